package readable

import (
	"fmt"
	"reflect"
	"strings"
	"time"
)

// Text prints what %v and %+v of fmt would, but that it follows pointers, spells instants in RFC 3339, and leaves out fields that are zero.
func Text(v any) string {
	var b strings.Builder
	spell(&b, reflect.ValueOf(v))
	return b.String()
}

func spell(b *strings.Builder, v reflect.Value) {
	if t, ok := v.Interface().(time.Time); ok {
		b.WriteString(t.Format(time.RFC3339Nano))
		return
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			b.WriteString("nil")
			return
		}
		spell(b, v.Elem())
	case reflect.Struct:
		b.WriteByte('{')
		spellFields(b, v, "")
		b.WriteByte('}')
	case reflect.Slice:
		if bytes, ok := v.Interface().(interface{ MarshalJSON() ([]byte, error) }); ok { // Raw JSON.
			text, _ := bytes.MarshalJSON()
			b.Write(text)
			return
		}
		b.WriteByte('[')
		for i := range v.Len() {
			if i > 0 {
				b.WriteByte(' ')
			}
			spell(b, v.Index(i))
		}
		b.WriteByte(']')
	case reflect.String:
		fmt.Fprintf(b, "%q", v.String())
	default:
		fmt.Fprint(b, v.Interface())
	}
}

// spellFields writes the exported fields that are not zero, those of embedded structs among them, and returns what comes before the next.
func spellFields(b *strings.Builder, v reflect.Value, between string) string {
	for i := range v.NumField() {
		field, of := v.Type().Field(i), v.Field(i)
		switch {
		case !field.IsExported() || of.IsZero():
		case field.Anonymous && of.Kind() == reflect.Struct:
			between = spellFields(b, of, between)
		default:
			b.WriteString(between + field.Name + ":")
			spell(b, of)
			between = " "
		}
	}
	return between
}

// Shortened returns a text as an error shows it.
func Shortened(text string) string {
	if len(text) > 80 {
		return strings.ToValidUTF8(text[:77], "") + "..."
	}
	return text
}
