package sites

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/footfall/footfall/sinks"
)

// EntryZone returns the zone that a site's entry in the list of sites fixes for items with these keys; the zero Zone is UTC. The worker
// that lists a site writes one. A rebuild under the settings of today writes another one for its generation, before it counts anything. As
// long as the generation exists its zone never changes: all partitions, redos and readers cut the site's hours and days by it, whatever
// their configurations say. entry may be nil.
func EntryZone(entry sinks.Item, keys sinks.Keys) (Zone, error) {
	z, attr, err := generationZone(entry, keys)
	if attr == "" && entry[sinks.AttrZone].Kind() != sinks.None {
		z.Name, attr = entry[sinks.AttrZone].Str(), sinks.AttrZone // Of another kind, it has no text, which names no zone.
	}
	if attr == "" {
		return Zone{}, nil
	}
	if err == nil {
		z.loc, err = LoadZone(z.Name)
	}
	return z, sinks.Damaged(entry.Key(), attr, err)
}

// FirstZone is a zone that an entry fixes. Zones of rules replace it if they begin after until, ms since the epoch; 0: any does.
func FirstZone(name string, until int64) Zone { return Zone{Name: name, until: until} }

// generationZone finds the zone of a generation in a site's entry. attr is "" if there is none.
func generationZone(entry sinks.Item, keys sinks.Keys) (z Zone, attr string, err error) {
	for _, field := range strings.Fields(entry[sinks.AttrGenerationZones].Str()) {
		if part := strings.SplitN(field, ":", 3); len(part) == 3 && part[0] == strconv.Itoa(keys.Generation) {
			z.Name = part[2]
			z.until, err = strconv.ParseInt(part[1], 10, 64)
			return z, sinks.AttrGenerationZones, err
		}
	}
	return Zone{}, "", nil
}

// GenerationZone spells a generation's zone as a site's entry has it: decisions up to an instant hold for all of the generation. "": the
// site's rules have no change of zone up to then.
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

// In returns the rules of a site whose entry fixes a zone. That holds from the beginning until a zone of the rules replaces it: see
// [FirstZone]. s is not changed. It is returned as it is if the entry fixes none, or the rules have one from the beginning on.
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
