package mapping

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// New checks a mapping and names everything that is wrong with it.
func New(c Config) (*Mapping, error) {
	m := &Mapping{input: c.Input, rest: c.Rest, Used: make(map[string]bool), comma: c.DecimalComma, spell: spelling(c.Configured)}
	var faults []error
	var err error
	if !slices.Contains(inputs, c.Input) {
		faults = append(faults, fmt.Errorf("records that look as %q are unknown: choose one of %s", c.Input, strings.Join(inputs, ", ")))
	}
	if m.times, err = newTimeReader(c.TimeUnit, c.TimeLayout, c.TimeZone, m.spell); err != nil {
		faults = append(faults, err)
	}
	from := make(map[string]source)
	add := func(flag, assignment string, parse func(string) (source, error)) {
		name, text, err := m.spell.assign(flag, assignment)
		if err == nil && from[name].parts != nil {
			err = fmt.Errorf("%s: %s is given twice", m.spell.with(flag, assignment), name)
		}
		var src source
		if err == nil {
			src, err = parse(text)
		}
		if err != nil {
			faults = append(faults, err)
			return
		}
		from[name] = src
		for _, key := range src.keys() {
			m.Used[key] = true
		}
	}
	for _, a := range c.Map {
		add("map", a, func(text string) (source, error) {
			src, err := parseSource(text, m.spell)
			if err != nil {
				err = fmt.Errorf("%s: %w", m.spell.with("map", a), err)
			}
			return src, err
		})
	}
	for _, a := range c.Set {
		add("set", a, func(text string) (source, error) { return constant(text), nil })
	}
	instead := make(map[string]source)
	for _, a := range c.Default {
		name, text, err := m.spell.assign("default", a)
		if err == nil && from[name].isConstant() {
			err = fmt.Errorf("%s: no %s names %s: use %s where all lines have the same value", m.spell.with("default", a), m.spell.name("map"),
				name, m.spell.name("set"))
		}
		if err != nil {
			faults = append(faults, err)
			continue
		}
		instead[name] = constant(text)
		from[name] = from[name].optional()
	}
	for _, t := range targets {
		if src := from[t.name]; src.parts != nil {
			m.fields = append(m.fields, mapped{t, src, instead[t.name]})
		}
	}
	for name, src := range from {
		if t, _ := targetOf(name); t.kind == member {
			m.properties = append(m.properties, mapped{t, src, instead[name]})
		}
	}
	slices.SortFunc(m.properties, func(a, b mapped) int { return strings.Compare(a.name, b.name) })
	return m, errors.Join(append(faults, m.check(from)...)...)
}

// check finds what is missing from a mapping or contradicts itself.
func (m *Mapping) check(from map[string]source) []error {
	var faults []error
	has := func(name string) bool { return from[name].parts != nil }
	for _, name := range []string{"siteId", "type", "timestamp"} {
		if !has(name) {
			faults = append(faults, fmt.Errorf("no %s: every event needs one; say where it comes from with %s or %s", name,
				m.spell.with("map", name+"=KEY"), m.spell.with("set", name+"=TEXT")))
		}
	}
	if !has("visitorId") && !has("sessionId") {
		faults = append(faults, errors.New("neither visitorId nor sessionId: every event needs one; say where it comes from with "+
			m.spell.with("map", "visitorId=KEY")))
	}
	if len(m.properties) > 0 && has("properties") {
		faults = append(faults, errors.New("a mapping of properties and one of "+m.properties[0].name+": choose one"))
	}
	if m.rest && has("properties") {
		faults = append(faults, errors.New(m.spell.with("properties", "rest")+" and a mapping of properties: choose one"))
	}
	return faults
}

// Assign takes FIELD=TEXT of a flag apart.
func Assign(flag, assignment string) (name, text string, err error) {
	return spelling(false).assign(flag, assignment)
}

func (s spelling) assign(flag, assignment string) (name, text string, err error) {
	name, text, ok := strings.Cut(assignment, "=")
	if !ok || text == "" {
		return "", "", fmt.Errorf("%s: write FIELD=%s", s.with(flag, assignment),
			map[string]string{"map": "KEY, or FIELD=TEMPLATE as in url=/wiki/{page}", "set": "TEXT", "default": "TEXT"}[flag])
	}
	if !utf8.ValidString(text) {
		return "", "", fmt.Errorf("%s: not valid UTF-8, which JSON must be", s.with(flag, strconv.Quote(assignment)))
	}
	if _, ok := targetOf(name); !ok {
		names := make([]string, len(targets))
		for i, t := range targets {
			names[i] = t.name
		}
		return "", "", fmt.Errorf("%s: events have no field %q: choose one of %s", s.with(flag, assignment), name, strings.Join(append(names, "properties.NAME"), ", "))
	}
	return name, text, nil
}
