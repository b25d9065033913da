package sites

import "slices"

// Standing is what has been decided about whether a site is there.
type Standing uint8

// The standings of a site.
const (
	Unregistered Standing = iota // nobody has created it, or decided anything else about it
	Registered                   // somebody has
	Deleted                      // and somebody has deleted it since
)

// Standing returns how a site stands as of the view's own revision. First rules that hold always make no difference here: a
// step that was begun before them may have rejected the site's events, and must reject them when it is done again.
//
// A site that was purged since the view's records were counted first is deleted: they do not come back.
func (v View) Standing(site string) Standing {
	if v.Purged(site) > v.Counted() {
		return Deleted
	}
	for _, c := range slices.Backward(v.log.History(site)) {
		switch {
		case c.Rev > v.Ruled():
			continue
		case c.Rules.Empty():
			return Unregistered
		case c.Rules.Deleted():
			return Deleted
		}
		return Registered
	}
	return Unregistered
}

// Deleted reports whether the site has been deleted.
func (s *Rules) Deleted() bool { return s != nil && s.DeletedAt > 0 }

// Realtime reports whether realtime minutes are kept of the site.
func (s *Rules) Realtime() bool { return s == nil || !s.NoRealtime }

// Recent reports whether the site's new sessions are listed by the minute.
func (s *Rules) Recent() bool { return s == nil || !s.NoRecent }

// VisitorIndex reports whether the site's sessions are listed by visitor.
func (s *Rules) VisitorIndex() bool { return s == nil || !s.NoVisitorIndex }

// CountsNewVisitors reports whether the site's new visitors are counted.
func (s *Rules) CountsNewVisitors() bool { return s != nil && s.NewVisitors }
