package query

import (
	"fmt"
	"reflect"

	"github.com/footfall/footfall/internal/figures"
)

// Figures that are sums, rates or means are filled in, and compared, as package figures declares them. Which struct has which figures
// follows from the names of its fields in JSON.

// ownFields, filteredFields and so on are the figures of these structs.
var (
	ownFields             = figures.FieldsOf[Figures]()
	changesFields         = comparedFields[Figures, Changes]()
	filteredFields        = figures.FieldsOf[FilteredFigures]()
	filteredChangesFields = comparedFields[FilteredFigures, FilteredChanges]()
)

// derive fills in the figures of to, a pointer to a struct with these fields, that follow from known sums. The others stay as they are.
func derive(to any, fields []figures.Field, s *figures.Sums, known figures.Set) {
	all := reflect.ValueOf(to).Elem()
	for i := range fields {
		f := &fields[i]
		if f.Kind == figures.Own || !known.Has(f.Sum) || f.Kind != figures.Total && !known.Has(f.By) {
			continue
		}
		switch field := all.Field(f.Index).Addr().Interface().(type) {
		case *int64:
			*field = s.Counts[f.Sum]
		case *string:
			*field = decimal(s.Micros(f.Sum))
		case **string:
			*field = new(decimal(s.Micros(f.Sum)))
		case **float64:
			*field = ratio(s.Counts[f.Sum], s.Counts[f.By])
		case **int64:
			if f.Kind == figures.Mean {
				*field = average(s.Counts[f.Sum], s.Counts[f.By])
			} else {
				*field = new(s.Counts[f.Sum])
			}
		default:
			panic(fmt.Sprintf("figure %s in a field of type %T", f.Name, field))
		}
	}
}

// A comparedField is a figure's field, and the field of its change.
type comparedField struct{ figure, change int }

// comparedFields are the figures of F that C has a change of.
func comparedFields[F, C any]() (fields []comparedField) {
	changes := make(map[string]int)
	for _, f := range figures.FieldsOf[C]() {
		changes[f.Name] = f.Index
	}
	for _, f := range figures.FieldsOf[F]() {
		if change, ok := changes[f.Name]; ok {
			fields = append(fields, comparedField{f.Index, change})
		}
	}
	return fields
}

// compare fills in changes, a pointer to a struct of them, from pointers to two structs of figures.
func compare(now, before, changes any, fields []comparedField) {
	n, b, c := reflect.ValueOf(now).Elem(), reflect.ValueOf(before).Elem(), reflect.ValueOf(changes).Elem()
	for _, f := range fields {
		n, b := n.Field(f.figure), b.Field(f.figure)
		switch change := c.Field(f.change).Addr().Interface().(type) {
		case *Change[int64]:
			now, _ := numberIn(n)
			before, _ := numberIn(b)
			*change = countChange(now, before)
		case *Change[*int64]:
			now, known := numberIn(n)
			if before, both := numberIn(b); known && both {
				absolute := now - before
				*change = Change[*int64]{&absolute, relative(float64(absolute), float64(before))}
			}
		case *Change[*float64]:
			*change = knownChange(n.Interface().(*float64), b.Interface().(*float64))
		case *Change[string]:
			*change = decimalChange(n.String(), b.String())
		case *Change[*string]:
			*change = knownDecimalChange(n.Interface().(*string), b.Interface().(*string))
		default:
			panic(fmt.Sprintf("a change in a field of type %T", change))
		}
	}
}

// numberIn returns the whole number in a field; ok is false if it is unknown.
func numberIn(field reflect.Value) (n int64, ok bool) {
	if field.Kind() == reflect.Pointer {
		if field.IsNil() {
			return 0, false
		}
		field = field.Elem()
	}
	if field.CanUint() {
		return int64(field.Uint()), true
	}
	return field.Int(), true
}
