package judge

import (
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/sinks"
)

// judgePurged judges what is left of a site that was purged: nothing may be. Items that have expired count as gone.
func (v *Judges) judgePurged(s Subject, items []sinks.Item) Judgement {
	for _, it := range items {
		if it.Expired(v.Now()) {
			continue
		}
		key := it.Key()
		return Judgement{View: true, Differences: []finding.Difference{{Kind: s.Kind, PK: key.PK, SK: key.SK, Attribute: finding.Whole,
			Table: finding.Summary(it), Recount: "absent: the site was purged"}}}
	}
	return nothing
}
