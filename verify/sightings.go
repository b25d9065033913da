package verify

import "github.com/footfall/footfall/pipeline"

// sightings know where each event of a partition was seen last, for as far back as the widest window of duplicates
// that any step of the chain had. What is older falls out a generation at a time.
type sightings struct {
	window   int64
	young    map[identity]int64 // offset of the last sighting
	old      map[identity]int64
	turnover int64 // the offset from which young becomes old
}

// identity is what makes two records one event.
type identity struct{ site, id string }

// widen makes room for a window. Sightings that fell out before are gone, so it is as wide as most will ever ask for
// from the beginning on: a later step's settings may become known while records are recounted.
func (s *sightings) widen(window int64) { s.window = max(s.window, window, pipeline.DefaultDuplicates) }

// clear forgets all events.
func (s *sightings) clear() { s.young, s.old = nil, nil }

// see takes in an event and returns how many offsets ago it was seen last; 0: not within the window.
func (s *sightings) see(site, id string, offset int64) (distance int64) {
	if s.young == nil || offset >= s.turnover {
		s.old, s.young, s.turnover = s.young, make(map[identity]int64), offset+s.window
	}
	who := identity{site, id}
	last, ok := s.young[who]
	if !ok {
		last, ok = s.old[who]
	}
	s.young[who] = offset
	if !ok {
		return 0
	}
	return offset - last
}
