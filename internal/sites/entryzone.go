package sites

import (
	"time"

	"github.com/footfall/footfall/sinks"
)

// EntryZone returns the zone that a site's entry in the list of sites fixes; the zero Zone is UTC. The worker that lists a site puts it
// there, and it never changes: so all partitions, redos and readers cut the site's hours and days by one zone, whatever their
// configurations say. entry may be nil.
func EntryZone(entry sinks.Item) (Zone, error) {
	if entry[sinks.AttrZone].Kind() == sinks.None {
		return Zone{}, nil
	}
	name := entry[sinks.AttrZone].Str() // Of another kind, it has no text, which names no zone.
	loc, err := LoadZone(name)
	return Zone{Name: name, loc: loc}, sinks.Damaged(entry.Key(), sinks.AttrZone, err)
}

// In returns the rules of a site whose entry fixes a zone: it holds from the beginning, until rules say otherwise. s is not changed;
// where the entry fixes none, or rules hold always, it is returned as it is.
func (s *Rules) In(fixed Zone) *Rules {
	if fixed.Name == "" || fixed.Name == time.UTC.String() || s != nil && len(s.Zones) > 0 && s.Zones[0].From == 0 {
		return s
	}
	c := new(Rules)
	if s != nil {
		*c = *s
	}
	if fixed.loc == nil {
		var err error
		if fixed.loc, err = LoadZone(fixed.Name); err != nil {
			panic(err) // It was loaded once.
		}
	}
	c.Zones = append([]Zone{{Name: fixed.Name, loc: fixed.loc}}, c.Zones...)
	return c
}
