package sites

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/footfall/footfall/sketch"
)

// Limits of the properties that a site chooses.
const (
	MaxProperties    = 8 // at a time
	maxPropertyBytes = 64
	// MaxPropertyValue is up to how many bytes of a property's value are kept, as of other texts that events say.
	MaxPropertyValue = 256
)

// Property is a key of the events' properties that a site has chosen as a dimension of its breakdowns.
type Property struct {
	Key   string `json:"key"`
	N     uint64 `json:"n"`               // 1 to sketch.MaxProperty: given to this choice and never to another
	Since int64  `json:"since,omitempty"` // ms since the epoch, for people
}

// Dimension returns the property's dimension in breakdowns.
func (p Property) Dimension() sketch.Dimension { return sketch.PropertyDimension(p.N) }

// Property returns the property of that key that the site has chosen.
func (s *Rules) Property(key string) (Property, bool) {
	if s == nil {
		return Property{}, false
	}
	i := slices.IndexFunc(s.Properties, func(p Property) bool { return p.Key == key })
	if i < 0 {
		return Property{}, false
	}
	return s.Properties[i], true
}

// checkProperties checks the keys that are to be chosen.
func (d Definition) checkProperties(f *faults) {
	if n := len(d.Properties); n > MaxProperties {
		f.add("%d properties: name %d at most", n, MaxProperties)
	}
	for i, key := range d.Properties {
		f.text("property", key, maxPropertyBytes)
		if key == "" {
			f.add("a property's key is empty: write a key of the events' properties, as in plan")
		}
		if key != strings.TrimSpace(key) {
			f.add("property %q begins or ends with a blank: leave it out, as in plan,theme", key)
		}
		if slices.Contains(d.Properties[:i], key) {
			f.add("property %q is named twice: name it once", key)
		}
	}
}

// choose makes the properties those that are asked for. One that stays keeps its number. One that comes back gets another: nothing that
// was counted before is its own. The note says in a sentence or two what is dropped; "": nothing is.
func (c Changes) choose(s *Rules, now int64) (note string, err error) {
	if c.Properties == nil {
		return "", nil
	}
	var chosen []Property
	for _, key := range *c.Properties {
		p, ok := s.Property(key)
		if !ok {
			if s.LastProperty == sketch.MaxProperty {
				return "", fmt.Errorf("property %q: the site has had %d properties, and their numbers are never used again: keep the present ones",
					key, sketch.MaxProperty)
			}
			s.LastProperty++
			p = Property{key, s.LastProperty, now}
		}
		chosen = append(chosen, p)
	}
	slices.SortFunc(chosen, func(a, b Property) int { return int(a.N) - int(b.N) })
	note = dropNote(s.Properties, chosen, sketch.MaxProperty-s.LastProperty)
	s.Properties = chosen
	return note, nil
}

// dropNote says which properties are dropped, and how many numbers are left for others; "": none is dropped.
func dropNote(before, after []Property, left uint64) string {
	var dropped []string
	for _, p := range before {
		if !slices.Contains(after, p) {
			dropped = append(dropped, strconv.Quote(p.Key))
		}
	}
	if dropped == nil {
		return ""
	}
	return fmt.Sprintf("This drops property %s: its figures so far can no longer be queried. A key that comes back counts from zero and uses "+
		"up one of the %d numbers that the site has left for properties.", strings.Join(dropped, ", "), left)
}
