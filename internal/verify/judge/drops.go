package judge

import (
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/internal/verify/scope"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// An erasure that includes breakdowns removes the rows that only its visitor made from the breakdowns of hours up to its instant. A
// step under the tombstone's revision removes them before it changes such an hour, and the visitor's events make no row there. The
// sweep removes rows from hours that no such step changes. Until the erasure is done such a row may be there or not; after that it
// must be gone.

// swept returns a breakdown of an hour without the rows that gone names; nil names none.
func swept(b *sketch.Breakdown, gone func(uint64) bool) *sketch.Breakdown {
	if gone == nil || !b.Alone(gone) {
		return b
	}
	b = b.Clone()
	b.Purge(gone)
	return b
}

// ofRows brings what the table has of an hour, and what it must have, to where rows that may be gone are gone from both.
func (f fates) ofRows(s Subject, have, want *sketch.Breakdown) (*sketch.Breakdown, *sketch.Breakdown) {
	must, may := f.SweptRows(s.Site)
	want = swept(want, must.In(s.At))
	return swept(have, may.In(s.At)), swept(want, may.In(s.At))
}

// comparePurged compares the revision of the last erasure that changed the item.
func comparePurged(c *finding.Comparison, v *scope.Rulebook, site string) {
	any := []sinks.Value{{}}
	for _, d := range v.Rules.At(v.Rules.Rev()).Erased(site).Drops() {
		any = append(any, sinks.Int(d.Rev))
	}
	c.OneOf(sinks.AttrPurged, any)
}
