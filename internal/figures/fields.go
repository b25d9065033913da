package figures

import (
	"fmt"
	"reflect"
	"strings"
)

// A Field is a figure together with its field in a struct.
type Field struct {
	Figure
	Index int // of the field, for reflect.Value.Field
}

// FieldsOf returns the figures that a struct has, by the names of its fields in JSON, in the order of Answers. It panics if T is no struct.
func FieldsOf[T any]() (fields []Field) {
	index := make(map[string]int)
	t := reflect.TypeFor[T]()
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		index[name] = i
	}
	for _, f := range Answers {
		if i, ok := index[f.Name]; ok {
			fields = append(fields, Field{f, i})
		}
	}
	return fields
}

// Number returns the number in a field, of a pointer the one that it points to. ok is false if the pointer is nil: the figure is unknown.
// It panics if the field holds no number.
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
	}
	panic(fmt.Sprintf("a figure in a field of type %s", field.Type()))
}
