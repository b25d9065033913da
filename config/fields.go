package config

import (
	"fmt"
	"reflect"
	"strconv"
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

func parseList(text string) (list []string, err error) {
	if text == "" {
		return nil, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		if part == "" {
			return nil, fmt.Errorf("%q has an empty entry: leave it out, with its comma", text)
		}
		list = append(list, part)
	}
	return list, nil
}

func parseBool(text string) (bool, error) {
	if text != "true" && text != "false" {
		return false, fmt.Errorf("%q is neither true nor false: choose one", text)
	}
	return text == "true", nil
}

func parseRawEvents(text string) (RawEvents, error) {
	switch text {
	case "items", "true":
		return true, nil
	case "off", "false":
		return false, nil
	}
	return false, fmt.Errorf("%q is unknown: choose items or off", text)
}

func parseInt(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, fmt.Errorf("%q is not a whole number: write one as in 5000", text)
	}
	return n, nil
}

func parseDuration(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf("%q is not a duration: write one as in 500ms, 60s, 10m or 48h", text)
	}
	return d, nil
}

func parseLateness(text string) (Lateness, error) {
	if text == Off.String() {
		return Off, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("%q is not a duration: write one as in 10m or 48h, or off", text)
	}
	return Lateness(d), nil
}

func parseGap(text string) (Gap, error) {
	if text == NoVisits.String() {
		return NoVisits, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("%q is not a gap: write a duration as in 30m, or off", text)
	}
	return Gap(d), nil
}

func parseDays(text string) (Days, error) {
	if text == Never.String() {
		return Never, nil
	}
	number, unit := strings.CutSuffix(text, "d")
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 0 || !unit {
		return 0, fmt.Errorf("%q is not a number of days: write it as in 30d, or never", text)
	}
	return Days(n), nil
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

// spell is Duration.String without zero units at its end: 48h, not 48h0m0s.
func spell(d time.Duration) string {
	s := d.String()
	if d != 0 && d%time.Minute == 0 {
		s = strings.TrimSuffix(s, "0s")
	}
	if d != 0 && d%time.Hour == 0 {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
