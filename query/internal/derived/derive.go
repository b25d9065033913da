package derived

import (
	"fmt"
	"reflect"

	declared "github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/query/figures"
	"github.com/footfall/footfall/query/internal/numbers"
)

// Figures that are sums, rates or means are filled in as package internal/figures declares them. Which struct has which figures follows
// from the names of its fields in JSON.
var (
	ownFields      = declared.FieldsOf[figures.Figures]()
	filteredFields = declared.FieldsOf[figures.FilteredFigures]()
)

// derive fills in the figures of to, a pointer to a struct with these fields, that follow from known sums: the bounce rate from Bounces and
// Sessions, for one. The others stay as they are.
func derive(to any, fields []declared.Field, s *declared.Sums, known declared.Set) {
	all := reflect.ValueOf(to).Elem()
	for i := range fields {
		f := &fields[i]
		if f.Kind == declared.Own || !known.Has(f.Sum) || f.Kind != declared.Total && !known.Has(f.By) {
			continue
		}
		switch field := all.Field(f.Index).Addr().Interface().(type) {
		case *int64:
			*field = s.Counts[f.Sum]
		case *string:
			*field = numbers.Decimal(s.Micros(f.Sum))
		case **string:
			*field = new(numbers.Decimal(s.Micros(f.Sum)))
		case **float64:
			*field = numbers.Ratio(s.Counts[f.Sum], s.Counts[f.By])
		case **int64:
			if f.Kind == declared.Mean {
				*field = numbers.Average(s.Counts[f.Sum], s.Counts[f.By])
			} else {
				*field = new(s.Counts[f.Sum])
			}
		default:
			panic(fmt.Sprintf("figure %s in a field of type %T", f.Name, field))
		}
	}
}

// WithoutRelative takes the relative changes out of changes, a pointer to a struct of them.
func WithoutRelative(changes any) {
	fields := reflect.ValueOf(changes).Elem()
	for _, field := range fields.Fields() {
		field.FieldByName("Relative").SetZero()
	}
}
