package config

import (
	"fmt"
	"reflect"
	"strings"
	"time"
	"unicode"
)

// Field is one thing that can be configured.
type Field struct {
	Path    string // its place in the file: kafka.failedTopic
	Env     string // its environment variable: FOOTFALL_KAFKA_FAILED_TOPIC
	Flag    string // its flag, without dashes: kafka-failed-topic; empty for secrets, which others could see there
	Help    string // what it is, a phrase
	Default string // as text
	Secret  bool
	Switch  bool // true or false: a flag without a value means true
}

// Fields lists everything that can be configured, in the order of the file.
func Fields() []Field {
	c := Default()
	var fields []Field
	for _, f := range c.fields() {
		field := Field{Path: f.path, Env: envName(f.path), Help: f.tag.Get("help"), Default: format(f.value),
			Secret: f.secret(), Switch: f.value.Kind() == reflect.Bool}
		if !field.Secret {
			field.Flag = f.tag.Get("flag")
			if field.Flag == "" {
				field.Flag = flagName(f.path)
			}
		}
		fields = append(fields, field)
	}
	return fields
}

// leaf is a field of one Config: setting value sets it there.
type leaf struct {
	path  string
	value reflect.Value
	tag   reflect.StructTag
}

func (l leaf) secret() bool { return l.tag.Get("secret") == "true" }

// fields lists the leaves of c in the order of their declaration.
func (c *Config) fields() []leaf {
	return leaves("", reflect.ValueOf(c).Elem())
}

func leaves(prefix string, v reflect.Value) []leaf {
	var all []leaf
	for i := range v.NumField() {
		sf := v.Type().Field(i)
		if !sf.IsExported() {
			continue
		}
		path := prefix + sf.Tag.Get("yaml")
		if sf.Type.Kind() == reflect.Struct {
			all = append(all, leaves(path+".", v.Field(i))...)
		} else {
			all = append(all, leaf{path, v.Field(i), sf.Tag})
		}
	}
	return all
}

// words splits a path at its dots and humps: kafka.failedTopic is kafka, failed, topic.
func words(path string) []string {
	var b strings.Builder
	for _, r := range path {
		if unicode.IsUpper(r) {
			b.WriteByte('.')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return strings.Split(b.String(), ".")
}

func envName(path string) string {
	return "FOOTFALL_" + strings.ToUpper(strings.Join(words(path), "_"))
}

func flagName(path string) string { return strings.Join(words(path), "-") }

// set parses text into v. The error says what the text should have been.
func set(v reflect.Value, text string) error {
	switch p := v.Addr().Interface().(type) {
	case *string:
		*p = text
		return nil
	case *[]string:
		return assign(p, text, parseList)
	case *bool:
		return assign(p, text, parseBool)
	case *RawEvents:
		return assign(p, text, parseRawEvents)
	case *int:
		return assign(p, text, parseInt)
	case *time.Duration:
		return assign(p, text, parseDuration)
	case *Lateness:
		return assign(p, text, parseLateness)
	case *Gap:
		return assign(p, text, parseGap)
	case *Days:
		return assign(p, text, parseDays)
	default:
		panic(fmt.Sprintf("config: no text for a %T", p)) // A field of a new type: teach set and format.
	}
}

// assign sets a field to what its text means. A text that means nothing leaves it as it is.
func assign[T any](p *T, text string, parse func(string) (T, error)) error {
	value, err := parse(text)
	if err == nil {
		*p = value
	}
	return err
}

// format spells v so that set reads the same from it.
func format(v reflect.Value) string {
	switch x := v.Interface().(type) {
	case []string:
		return strings.Join(x, ",")
	case time.Duration:
		return spell(x)
	default:
		return fmt.Sprint(x)
	}
}
