package figures

import (
	"fmt"
	"math"
	"math/big"
	"reflect"

	declared "github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/query/internal/numbers"
)

// The figures that are compared. Which struct has which figures follows from the names of its fields in JSON.
var (
	changesFields         = comparedFields[Figures, Changes]()
	filteredChangesFields = comparedFields[FilteredFigures, FilteredChanges]()
)

// Since returns how f differs from the earlier figures before.
func (f Figures) Since(before Figures) Changes {
	for _, of := range []*Figures{&f, &before} {
		if of.NewSince != nil { // New visitors of a part of the time compare with nothing.
			of.NewVisitors = nil
		}
	}
	var changes Changes
	compare(&f, &before, &changes, changesFields)
	return changes
}

// Since returns how f differs from the earlier figures before.
func (f FilteredFigures) Since(before FilteredFigures) FilteredChanges {
	var changes FilteredChanges
	compare(&f, &before, &changes, filteredChangesFields)
	return changes
}

func countChange(now, before int64) Change[int64] {
	return Change[int64]{now - before, relative(float64(now-before), float64(before))}
}

// knownChange is the change of a figure that may be unknown, or none.
func knownChange[N int64 | float64](now, before *N) Change[*N] {
	if now == nil || before == nil {
		return Change[*N]{}
	}
	absolute := *now - *before
	if f, ok := any(absolute).(float64); ok {
		absolute = N(numbers.SixPlaces(f)) // As rates have.
	}
	return Change[*N]{&absolute, relative(float64(absolute), float64(*before))}
}

// decimalChange subtracts sums of values, which are exact.
func decimalChange(now, before string) Change[string] {
	n, ok1 := new(big.Rat).SetString(now)
	b, ok2 := new(big.Rat).SetString(before)
	if !ok1 || !ok2 {
		return Change[string]{Absolute: "0"} // Zero Figures, which no table holds.
	}
	n.Sub(n, b)
	absolute, _ := n.Float64()
	base, _ := b.Float64()
	return Change[string]{numbers.Plain(n), relative(absolute, base)}
}

// knownDecimalChange is the change of a value that may be unknown, or none.
func knownDecimalChange(now, before *string) Change[*string] {
	if now == nil || before == nil {
		return Change[*string]{}
	}
	c := decimalChange(*now, *before)
	return Change[*string]{&c.Absolute, c.Relative}
}

// relative divides a difference by the size of what it is a difference to; nil if that is nothing.
func relative(difference, before float64) *float64 {
	if before == 0 {
		return nil
	}
	q := numbers.SixPlaces(difference / math.Abs(before))
	return &q
}

// A comparedField is a figure's field, and the field of its change.
type comparedField struct{ figure, change int }

// comparedFields are the figures of F that C has a change of.
func comparedFields[F, C any]() (fields []comparedField) {
	changes := make(map[string]int)
	for _, f := range declared.FieldsOf[C]() {
		changes[f.Name] = f.Index
	}
	for _, f := range declared.FieldsOf[F]() {
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
