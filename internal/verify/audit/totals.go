package audit

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/internal/verify/recount"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
)

// CheckHead compares the checkpoint itself: its totals with those of the recount, which must have reached its end, and
// its settings with the last history.
func (v *Audit) CheckHead(c *recount.Chain, t checkpoint.ChainState) {
	if c.NotRecounted != "" {
		if c.Stats != nil {
			v.LeaveOut(finding.BecauseLog, finding.KindCheckpoint)
		}
		return
	}
	key := v.Keys.Checkpoint(c.TP, c.Lane)
	if n := len(t.History); n > 0 && t.Head.Done {
		v.Count(finding.KindHistory)
		for _, a := range []struct{ name, head, history string }{
			{"ver", t.Head.Ver, t.History[n-1].Ver},
			{"rev", strconv.FormatInt(t.Head.Rev, 10), strconv.FormatInt(t.History[n-1].Rev, 10)},
			{"base", strconv.FormatInt(t.Head.Base, 10), strconv.FormatInt(t.History[n-1].Base, 10)},
			{"tid", t.Head.TopicID, t.History[n-1].TopicID},
		} {
			if a.head != a.history && t.History[n-1].Step <= t.Head.Step {
				v.Differ(finding.Difference{Kind: finding.KindHistory, PK: key.PK, SK: key.SK, Attribute: a.name, Table: a.head,
					Recount: "the last history has " + a.history})
			}
		}
	}
	if c.Stats == nil {
		return
	}
	if v.LostSpans.IsLost(key, c.TP) {
		v.LeaveOut(finding.BecauseLost, finding.KindCheckpoint)
		return
	}
	v.Count(finding.KindCheckpoint)
	have, want := t.Head.Totals, c.Stats.Totals
	differ := func(name string, have, want int64) {
		if have != want {
			v.Differ(finding.Difference{Kind: finding.KindCheckpoint, PK: key.PK, SK: key.SK, Attribute: "totals." + name,
				Table: strconv.FormatInt(have, 10), Recount: strconv.FormatInt(want, 10)})
		}
	}
	differ("counted", have.Counted, want.Counted)
	differ("duplicate", have.Duplicate, want.Duplicate)
	differ("sessionless", have.Sessionless, want.Sessionless)
	reasons := make(map[event.Reason]bool)
	for _, totals := range []checkpoint.Totals{have, want} {
		for r := range totals.Rejected {
			reasons[r] = true
		}
	}
	for r := range reasons {
		differ("rejected."+string(r), have.Rejected[r], want.Rejected[r])
	}
}

// ListGaps adds every gap of the topic's chains to the report.
func (v *Audit) ListGaps(all checkpoint.ChainStates) {
	for id, t := range all {
		for _, h := range t.History {
			if h.Gap != nil && h.Step <= t.Head.Step {
				v.Report.Gaps = append(v.Report.Gaps, finding.Gap{Partition: id.Partition, Lane: id.Lane, Gap: *h.Gap})
			}
		}
		if g := t.Head.Gap; g != nil && g.Accepted == "" {
			v.Report.Gaps = append(v.Report.Gaps, finding.Gap{Partition: id.Partition, Lane: id.Lane, Gap: *g})
		}
	}
	for _, id := range slices.SortedFunc(maps.Keys(all), func(a, b checkpoint.ChainID) int {
		return cmp.Or(cmp.Compare(a.Partition, b.Partition), strings.Compare(a.Lane, b.Lane))
	}) {
		v.listForgotten(id, all[id])
	}
	slices.SortFunc(v.Report.Gaps, func(a, b finding.Gap) int {
		return cmp.Or(cmp.Compare(a.Partition, b.Partition), strings.Compare(a.Lane, b.Lane), cmp.Compare(a.Step, b.Step))
	})
}

// listForgotten names all such positions in the report.
func (v *Audit) listForgotten(id checkpoint.ChainID, t checkpoint.ChainState) {
	for _, h := range t.History {
		if f := h.Forgot; f != nil && h.Step <= t.Head.Step {
			v.Report.Forgotten = append(v.Report.Forgotten, finding.Forgotten{Partition: id.Partition, Lane: id.Lane, Step: f.Step, From: f.From,
				To: f.To})
		}
	}
	if f := t.Head.Forgot; f != nil && f.Step > t.Head.Step {
		v.Report.Forgotten = append(v.Report.Forgotten, finding.Forgotten{Partition: id.Partition, Lane: id.Lane, Step: f.Step, From: f.From,
			To: f.To})
	}
}
