package match

import (
	"encoding/json"
	"fmt"
	"strings"
)

// prefixes begin the short spellings of patterns.
var prefixes = []struct {
	prefix string
	how    How
}{
	{"page:", Exact},
	{"page-prefix:", Prefix},
	{"page-contains:", Contains},
	{"page-regexp:", Regexp},
}

const (
	eventPrefix = "event:"
	namePrefix  = "name:"
	nameInfix   = " name:"
)

// Forms lists the short spellings that Parse reads, for helps and errors.
const Forms = "page:/path, page-prefix:/path, page-contains:text, page-regexp:expression, event:type, name:name or event:type name:name"

// Parse reads a pattern as people write it on a command line, one of [Forms], or as JSON where text begins with a brace. The
// pattern is validated.
func Parse(text string) (Pattern, error) {
	p, err := parse(text)
	if err != nil {
		return Pattern{}, err
	}
	if err := p.Validate(); err != nil {
		return Pattern{}, fmt.Errorf("%s: %w", text, err)
	}
	return p, nil
}

func parse(text string) (p Pattern, err error) {
	if strings.HasPrefix(text, "{") {
		return parseJSON(text)
	}
	for _, f := range prefixes {
		if rest, ok := strings.CutPrefix(text, f.prefix); ok {
			return Pattern{On: Page, How: f.how, Text: rest}, nil
		}
	}
	if name, ok := strings.CutPrefix(text, namePrefix); ok {
		return Pattern{On: Event, Name: name}, nil
	}
	typ, ok := strings.CutPrefix(text, eventPrefix)
	if !ok {
		return p, fmt.Errorf("pattern %q: write it as %s", text, Forms)
	}
	typ, name, both := strings.Cut(typ, nameInfix)
	if both && (typ == "" || name == "") {
		return p, fmt.Errorf("pattern %q: give a type before and a name behind%s, or leave one out as in name:signup", text, nameInfix)
	}
	return Pattern{On: Event, Type: typ, Name: name}, nil
}

func parseJSON(text string) (p Pattern, err error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&p); err != nil {
		return p, fmt.Errorf("pattern %s: %w; its fields are on, how, text, type and name", text, err)
	}
	if d.More() {
		return p, fmt.Errorf("pattern %s: there is more behind it; give one object", text)
	}
	return p, nil
}

// String spells a valid pattern so that Parse reads it again: shortly where that is possible, else as JSON.
func (p Pattern) String() string {
	if p.On == Event {
		switch {
		case p.Type == "":
			return namePrefix + p.Name
		case p.Name == "" && !strings.Contains(p.Type, nameInfix):
			return eventPrefix + p.Type
		case p.Name != "" && !strings.Contains(p.Type+nameInfix[:len(nameInfix)-1], nameInfix):
			return eventPrefix + p.Type + nameInfix + p.Name
		}
	}
	for _, f := range prefixes {
		if p.On == Page && f.how == p.How {
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
