package sites

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/footfall/footfall/sinks"
)

// EntryZone returns the zone that a site's entry in the list of sites fixes for the items with these keys; the zero Zone is UTC. The
// worker that lists a site puts it there, and a rebuild under the settings of today fixes another one for its generation, before it counts
// anything. Neither ever changes: so all partitions, redos and readers cut the site's hours and days by one zone, whatever their
// configurations say. entry may be nil.
func EntryZone(entry sinks.Item, keys sinks.Keys) (Zone, error) {
	name, attr, until := entry[sinks.AttrZone].Str(), sinks.AttrZone, int64(0) // Of another kind, it has no text, which names no zone.
	if zone, ms, ok := generationZone(entry[sinks.AttrGenerationZones].Str(), keys); ok {
		name, attr, until = zone, sinks.AttrGenerationZones, ms
	} else if entry[attr].Kind() == sinks.None {
		return Zone{}, nil
	}
	loc, err := LoadZone(name)
	return Zone{Name: name, loc: loc, until: until}, sinks.Damaged(entry.Key(), attr, err)
}

// FirstZone is a zone that an entry fixes, until rules name one from an instant after until on, ms since the epoch; 0: until they name one.
func FirstZone(name string, until int64) Zone { return Zone{Name: name, until: until} }

// generationZone finds the zone of a generation in what a site's entry has, and up to which instant it replaces what rules say.
func generationZone(text string, keys sinks.Keys) (zone string, until int64, ok bool) {
	for _, field := range strings.Fields(text) {
		if part := strings.SplitN(field, ":", 3); len(part) == 3 && part[0] == strconv.Itoa(keys.Generation) {
			until, _ = strconv.ParseInt(part[1], 10, 64)
			return part[2], until, true
		}
	}
	return "", 0, false
}

// GenerationZone spells, as a site's entry has it, the zone of a generation in which what was decided up to an instant holds for all that
// it has; "": the site's rules have no change of zone up to then, so nothing need be fixed.
func GenerationZone(keys sinks.Keys, s *Rules, until int64) string {
	if s == nil || until == 0 {
		return ""
	}
	for i := len(s.Zones) - 1; i >= 0; i-- {
		if z := s.Zones[i]; 0 < z.From && z.From <= until {
			return fmt.Sprintf("%d:%d:%s", keys.Generation, until, z.Name)
		}
	}
	return ""
}

// In returns the rules of a site whose entry fixes a zone: it holds from the beginning, until rules say otherwise, which those of a zone
// from an earlier instant on than the entry names do not. s is not changed; where the entry fixes none, or rules hold always, it is
// returned as it is.
func (s *Rules) In(fixed Zone) *Rules {
	switch {
	case fixed.until > 0:
	case fixed.Name == "" || fixed.Name == time.UTC.String() || s != nil && len(s.Zones) > 0 && s.Zones[0].From == 0:
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
	c.Zones = append([]Zone{{Name: fixed.Name, loc: fixed.loc}}, c.Zones[fixed.replaces(c.Zones):]...)
	return c
}

// replaces returns how many zones of rules, the first ones, an entry's zone is in place of.
func (z Zone) replaces(ruled []Zone) (n int) {
	for n < len(ruled) && z.until > 0 && ruled[n].From <= z.until {
		n++
	}
	return n
}
