package figures

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// A Field is a figure together with its field in a struct.
type Field struct {
	Figure
	Index int // of the field, for reflect.Value.Field
}

// FieldsOf returns the figures that a struct has, by the names of its fields in JSON, in the order of Answers. It panics if T is no struct.
func FieldsOf[T any]() (fields []Field) {
	index := indexes[T]()
	for _, f := range Answers {
		if i, ok := index[f.Name]; ok {
			fields = append(fields, Field{f, i})
		}
	}
	return fields
}

// indexes are the places of a struct's fields by their names in JSON.
func indexes[T any]() map[string]int {
	index := make(map[string]int)
	t := reflect.TypeFor[T]()
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		index[name] = i
	}
	return index
}

// OriginFields returns the places of the fields that a session has of dimensions, by dimension; -1: it has none. It panics if T is no
// struct.
func OriginFields[T any]() (of [len(Dimensions)]int) {
	index := indexes[T]()
	for d, declared := range Dimensions {
		of[d] = -1
		if i, ok := index[declared.Field]; ok && declared.Field != "" {
			of[d] = i
		}
	}
	return of
}

// GivenFields returns the places of the fields that an event has of the dimensions that it gives, in their order. It panics if T is no
// struct or lacks one.
func GivenFields[T any]() (of [len(Given)]int) {
	index := indexes[T]()
	for i, d := range Given {
		place, ok := index[Dimensions[d].Name]
		if !ok {
			panic(fmt.Sprintf("%s has no field of the dimension %s", reflect.TypeFor[T](), Dimensions[d].Name))
		}
		of[i] = place
	}
	return of
}

// Number returns the number in a field, of a pointer the one that it points to, of a text the decimal that it spells, rounded. ok is false
// if the pointer is nil or the text is no decimal: the figure is unknown. It panics if the field holds no number.
func Number(field reflect.Value) (x float64, ok bool) {
	if field.Kind() == reflect.Pointer {
		if field.IsNil() {
			return 0, false
		}
		field = field.Elem()
	}
	switch {
	case field.CanInt():
		return float64(field.Int()), true
	case field.CanUint():
		return float64(field.Uint()), true
	case field.CanFloat():
		return field.Float(), true
	case field.Kind() == reflect.String:
		x, err := strconv.ParseFloat(field.String(), 64)
		return x, err == nil
	}
	panic(fmt.Sprintf("a figure in a field of type %s", field.Type()))
}
