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
	m := &Mapping{FindSchema: NoSchemas, input: c.Input, rest: c.Rest, Used: make(map[string]bool), comma: c.DecimalComma,
		spell: spelling(c.Configured)}
	b := builder{m: m, from: make(map[string]source), instead: make(map[string]source)}
	var err error
	if !slices.Contains(inputs, c.Input) {
		b.fault(fmt.Errorf("records that look as %q are unknown: choose one of %s", c.Input, strings.Join(inputs, ", ")))
	}
	if m.times, err = newTimeReader(c.TimeUnit, c.TimeLayout, c.TimeZone, m.spell); err != nil {
		b.fault(err)
	}
	for _, a := range c.Map {
		b.add("map", a, func(text string) (source, error) {
			src, err := parseSource(text, m.spell)
			if err != nil {
				err = fmt.Errorf("%s: %w", m.spell.with("map", a), err)
			}
			return src, err
		})
	}
	for _, a := range c.Set {
		b.add("set", a, func(text string) (source, error) { return constant(text), nil })
	}
	for _, a := range c.Default {
		b.otherwise(a)
	}
	for _, t := range targets {
		if src := b.from[t.name]; src.parts != nil {
			m.fields = append(m.fields, mapped{t, src, b.instead[t.name]})
		}
	}
	for name, src := range b.from {
		if t, _ := targetOf(name); t.kind == member {
			m.properties = append(m.properties, mapped{t, src, b.instead[name]})
		}
	}
	if i := slices.IndexFunc(m.fields, func(f mapped) bool { return f.kind == jsonObject }); i >= 0 && len(m.properties) > 0 {
		m.base = &m.fields[i]
		m.fields = m.fields[:i] // They come last.
	}
	if c.onlyInput() && c.Input == InputRegistry {
		m.events = true
		return m, nil
	}
	slices.SortFunc(m.properties, func(a, b mapped) int { return strings.Compare(a.name, b.name) })
	return m, errors.Join(append(b.faults, m.check(b.from)...)...)
}

// builder collects what a mapping is made of, by the names of fields.
type builder struct {
	m             *Mapping
	from, instead map[string]source
	faults        []error
}

func (b *builder) fault(err error) { b.faults = append(b.faults, err) }

// add takes an assignment of a source to a field.
func (b *builder) add(flag, assignment string, parse func(string) (source, error)) {
	name, text, err := b.m.spell.assign(flag, assignment)
	if err == nil && b.from[name].parts != nil {
		err = fmt.Errorf("%s: %s is given twice", b.m.spell.with(flag, assignment), name)
	}
	var src source
	if err == nil {
		src, err = parse(text)
	}
	if err != nil {
		b.fault(err)
		return
	}
	if name == "visitorId" || name == "sessionId" || name == "userId" {
		for i := range src.parts {
			src.parts[i].identity = true
		}
	}
	b.from[name] = src
	for _, key := range src.keys() {
		b.m.Used[key] = true
	}
}

// otherwise takes a default.
func (b *builder) otherwise(assignment string) {
	spell := b.m.spell
	name, text, err := spell.assign("default", assignment)
	if err == nil && b.from[name].isConstant() {
		err = fmt.Errorf("%s: no %s names %s: use %s where all lines have the same value", spell.with("default", assignment), spell.name("map"),
			name, spell.name("set"))
	}
	if err != nil {
		b.fault(err)
		return
	}
	b.instead[name] = constant(text)
	b.from[name] = b.from[name].optional()
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
		return "", "", fmt.Errorf("%s: events have no field %q: choose one of %s", s.with(flag, assignment), name,
			strings.Join(append(names, "properties.NAME"), ", "))
	}
	return name, text, nil
}
