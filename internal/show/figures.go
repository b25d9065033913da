package show

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/query"
)

// Columns and cells of figures, as package figures declares them.

var (
	ownFigures      = figures.FieldsOf[query.Figures]()
	filteredFigures = figures.FieldsOf[query.FilteredFigures]()
	// figureColumns are the columns of figureCells and changeCells.
	figureColumns = columnsOf(ownFigures)
)

func columnsOf(fields []figures.Field) (columns []column) {
	for _, f := range fields {
		columns = append(columns, column{f.Name, f.Heading, true})
	}
	return columns
}

// figureCells are the cells of figures. New visitors of a part of the time are marked.
func figureCells(f query.Figures) []cell {
	cells := cellsOf(&f, ownFigures)
	if f.NewSince != nil {
		cells[slices.IndexFunc(ownFigures, func(f figures.Field) bool { return f.Name == "newVisitors" })].table += "*"
	}
	return cells
}

// changeCells are the changes of figureCells.
func changeCells(c query.Changes) []changeCell { return changesOf(&c, ownFigures) }

// figureColumns are the columns of the answer's figures. Some have a title only if there is anything to show.
func (a statsView) figureColumns() []column {
	columns := slices.Clone(figureColumns)
	for i, f := range ownFigures {
		if f.With != "" && !a.shows(f.With) {
			columns[i].title = ""
		}
	}
	return columns
}

// shows reports whether any figures of the answer have one of that name that is known and not 0, or bots were asked for.
func (a statsView) shows(name string) bool {
	field := ownFigures[slices.IndexFunc(ownFigures, func(f figures.Field) bool { return f.Name == name })]
	return name == "botEvents" && a.IncludesBots || a.has(func(f query.Figures) bool {
		v := reflect.ValueOf(&f).Elem().Field(field.Index)
		return !v.IsZero()
	})
}

// cellsOf shows the figures of a struct, which of points to.
func cellsOf(of any, fields []figures.Field) []cell {
	all := reflect.ValueOf(of).Elem()
	cells := make([]cell, len(fields))
	for i, f := range fields {
		cells[i] = figureCell(f.Unit, all.Field(f.Index))
		if f.Unit == figures.Estimate && cells[i] != unknown && !all.Field(fields[i+1].Index).IsZero() { // Its error comes after it.
			cells[i].table = "~" + cells[i].table
		}
	}
	return cells
}

// changesOf shows the changes of figures. of points to a struct of them, which has none of some figures.
func changesOf(of any, fields []figures.Field) []changeCell {
	all := reflect.ValueOf(of).Elem()
	index := make(map[string]int)
	for i := range all.NumField() {
		name, _, _ := strings.Cut(all.Type().Field(i).Tag.Get("json"), ",")
		index[name] = i
	}
	cells := make([]changeCell, len(fields))
	for i, f := range fields {
		at, compared := index[f.Name]
		if !compared {
			cells[i] = noChange
			continue
		}
		change := all.Field(at)
		absolute, relative := figureCell(f.Unit, change.FieldByName("Absolute")), change.FieldByName("Relative").Interface().(*float64)
		cells[i] = changeCell{plus(absolute), relativeCell(relative), false}
		if f.Unit == figures.Percentage {
			cells[i] = pointsChange(absolute, relative)
		}
	}
	return cells
}

// figureCell shows the figure in a field.
func figureCell(unit figures.Unit, field reflect.Value) cell {
	if field.Kind() == reflect.Pointer {
		if field.IsNil() {
			return unknown
		}
		field = field.Elem()
	}
	switch unit {
	case figures.Count, figures.Estimate, figures.Milliseconds:
		s := fmt.Sprint(field.Interface())
		return cell{s, s}
	case figures.ErrorOf, figures.Percentage:
		return percentCell(new(field.Float()))
	case figures.Span:
		return durationCell(new(field.Int()))
	case figures.Ratio:
		return ratioCell(new(field.Float()))
	case figures.DecimalText:
		return textCell(field.String())
	}
	panic(fmt.Sprintf("unit %d of a figure", unit))
}
