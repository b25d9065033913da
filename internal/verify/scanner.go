package verify

import (
	"sync"

	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/internal/verify/judge"
	"github.com/footfall/footfall/sinks"
)

// scanners is how many sites are read at a time, and maxPending after how many subjects that did not agree these are read again.
const (
	scanners   = 8
	maxPending = 10_000
)

// scanner finds what is to be compared.
type scanner struct {
	*judge.Judges
	siteKnown bool // the list of sites or the recount has Options.Site

	mu      sync.Mutex      // covers pending: sites are scanned side by side
	pending []judge.Subject // that did not agree
}

// weigh judges a subject that was read once. What does not agree may have moved: settle reads it again.
func (v *scanner) weigh(s judge.Subject, items []sinks.Item) {
	j := v.Judge(s, items)
	if !v.accept(s, items, j) {
		v.mu.Lock()
		v.pending = append(v.pending, s)
		v.mu.Unlock()
	}
}

// accept counts what needs no second look; false: it may have moved.
func (v *scanner) accept(s judge.Subject, items []sinks.Item, j judge.Judgement) bool {
	switch {
	case j.Nothing:
	case j.LeftOut != "":
		v.LeaveOut(j.LeftOut, s.Kind)
	case len(j.Differences) > 0 || j.Ahead:
		return false
	default:
		v.Count(s.Kind)
		if j.Partly != "" {
			v.LeaveOut(j.Partly, s.Kind)
		} else if v.Opts.Agreed != nil && len(items) > 0 {
			v.Opts.Agreed(items[0])
		}
	}
	return true
}

// unexplained reports an item that no key template spells.
func (v *scanner) unexplained(kind string, it sinks.Item) {
	if it.Expired(v.Now()) {
		v.LeaveOut(finding.BecauseRetention, kind)
		return
	}
	if kind == finding.KindSession && it[sinks.AttrErased].Kind() != sinks.None { // It has lost the id that the key spells.
		v.LeaveOut(finding.BecauseErased, kind)
		return
	}
	key := it.Key()
	v.Differ(finding.Difference{Kind: kind, PK: key.PK, SK: key.SK, Attribute: finding.Whole, Table: finding.Summary(it),
		Recount: finding.Absent})
}
