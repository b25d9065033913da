package verify

import (
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// An erasure that includes breakdowns removes the rows that only its visitor made from the breakdowns of hours up to its instant. A
// step under the tombstone's revision removes them before it changes such an hour, and the visitor's events make no row there. The
// sweep removes rows from hours that no such step changes. Until the erasure is done such a row may be there or not; after that it
// must be gone.

// dropsOf returns whose rows the record's step drops from breakdowns of its site.
func (site *siteRecount) dropsOf(r *record) sites.DropIndex {
	if rev := r.erased.Rev(); rev != site.dropsRev {
		site.drops, site.dropsRev = sites.IndexDrops(r.erased.Drops()), rev
	}
	return site.drops
}

// drop drops rows from a breakdown of an hour, once for each revision.
func (b *breakdown) drop(drops sites.DropIndex, rev, hour int64) {
	if len(drops) == 0 || b.purged == rev {
		return
	}
	b.purged = rev
	if gone := drops.In(hour); gone != nil {
		b.Purge(gone)
	}
}

// sweptRows returns whose rows erasures must have dropped from hours, and whose they may have: those that are not done.
func (v *rulebook) sweptRows(site string) (must, may sites.DropIndex) {
	var done, begun []sites.Drop
	for _, d := range v.rules.At(v.rules.Rev()).Erased(site).Drops() {
		if v.swept[d.Rev] {
			done = append(done, d)
		} else {
			begun = append(begun, d)
		}
	}
	return sites.IndexDrops(done), sites.IndexDrops(begun)
}

// swept returns a breakdown of an hour without the rows that gone names; nil names none.
func swept(b *sketch.Breakdown, gone func(uint64) bool) *sketch.Breakdown {
	if gone == nil || !b.Alone(gone) {
		return b
	}
	b = b.Clone()
	b.Purge(gone)
	return b
}

// fateOfRows brings what the table has of an hour, and what it must have, to where rows that may be gone are gone from both.
func (v *judges) fateOfRows(s subject, have, want *sketch.Breakdown) (*sketch.Breakdown, *sketch.Breakdown) {
	must, may := v.sweptRows(s.site)
	want = swept(want, must.In(s.at))
	return swept(have, may.In(s.at)), swept(want, may.In(s.at))
}

// purged compares the revision of the last erasure that changed the item.
func (c *comparison) purged(v *rulebook, site string) {
	any := []sinks.Value{{}}
	for _, d := range v.rules.At(v.rules.Rev()).Erased(site).Drops() {
		any = append(any, sinks.Int(d.Rev))
	}
	c.oneOf(sinks.AttrPurged, any)
}
