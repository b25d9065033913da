package sites

import (
	"encoding/json"
	"fmt"
	"strings"
)

// patternPrefixes begin the short spellings of patterns.
var patternPrefixes = []struct {
	prefix string
	how    PatternHow
}{
	{"page:", MatchExact},
	{"page-prefix:", MatchPrefix},
	{"page-contains:", MatchContains},
	{"page-regexp:", MatchRegexp},
}

const (
	eventPrefix = "event:"
	namePrefix  = "name:"
	nameInfix   = " name:"
)

// PatternForms lists the short spellings that ParsePattern reads, for helps and errors.
const PatternForms = "page:/path, page-prefix:/path, page-contains:text, page-regexp:expression, event:type, name:name or event:type " +
	"name:name"

// ParsePattern reads a pattern as people write it on a command line, one of [PatternForms], or as JSON where text begins with a brace. The
// pattern is validated.
func ParsePattern(text string) (Pattern, error) {
	p, err := parsePattern(text)
	if err != nil {
		return Pattern{}, err
	}
	if err := p.Validate(); err != nil {
		return Pattern{}, fmt.Errorf("%s: %w", text, err)
	}
	return p, nil
}

func parsePattern(text string) (p Pattern, err error) {
	if strings.HasPrefix(text, "{") {
		return parsePatternJSON(text)
	}
	for _, f := range patternPrefixes {
		if rest, ok := strings.CutPrefix(text, f.prefix); ok {
			return Pattern{On: OnPage, How: f.how, Text: rest}, nil
		}
	}
	if name, ok := strings.CutPrefix(text, namePrefix); ok {
		return Pattern{On: OnEvent, Name: name}, nil
	}
	typ, ok := strings.CutPrefix(text, eventPrefix)
	if !ok {
		return p, fmt.Errorf("pattern %q: write it as %s", text, PatternForms)
	}
	typ, name, both := strings.Cut(typ, nameInfix)
	if both && (typ == "" || name == "") {
		return p, fmt.Errorf("pattern %q: give a type before and a name after%s, or leave one out as in name:signup", text, nameInfix)
	}
	return Pattern{On: OnEvent, Type: typ, Name: name}, nil
}

func parsePatternJSON(text string) (p Pattern, err error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&p); err != nil {
		return p, fmt.Errorf("pattern %s: %w; its fields are on, how, text, type and name", text, err)
	}
	if d.More() {
		return p, fmt.Errorf("pattern %s: more follows the object; give one object", text)
	}
	return p, nil
}

// String spells a valid pattern so that Parse reads it again: shortly where that is possible, else as JSON.
func (p Pattern) String() string {
	if p.On == OnEvent {
		switch {
		case p.Type == "":
			return namePrefix + p.Name
		case p.Name == "" && !strings.Contains(p.Type, nameInfix):
			return eventPrefix + p.Type
		case p.Name != "" && !strings.Contains(p.Type+nameInfix[:len(nameInfix)-1], nameInfix):
			return eventPrefix + p.Type + nameInfix + p.Name
		}
	}
	for _, f := range patternPrefixes {
		if p.On == OnPage && f.how == p.How {
			return f.prefix + p.Text
		}
	}
	return p.JSON()
}

// JSON spells a pattern as it is stored, equal patterns equally.
func (p Pattern) JSON() string {
	b, err := json.Marshal(p)
	if err != nil {
		panic(err) // Texts marshal.
	}
	return string(b)
}
