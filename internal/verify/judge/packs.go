package judge

import (
	"fmt"
	"slices"

	"github.com/oklog/ulid/v2"

	"github.com/footfall/footfall/internal/pack"
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/internal/verify/recount"
	"github.com/footfall/footfall/sinks"
)

// judgePacked compares an event of a pack with a hash of what its record makes. The subject has the step of the pack, 0 if none has it.
func (v *Judges) judgePacked(s Subject, it sinks.Item) Judgement {
	return v.judgeRaw(s, it, func(_ *Judgement, cmp *finding.Comparison, e recount.RawEvent) {
		head := e.Chain.Head
		if s.At > head.Step || s.At == head.Step && (e.Position < head.From || e.Position >= head.To) ||
			s.At < head.Step && e.Position >= head.From {
			cmp.Differ(finding.Whole, fmt.Sprintf("in a pack of flush %d", s.At), fmt.Sprintf("in one of another flush: the last is %d, from %d",
				head.Step, head.From))
		}
		if recount.Digest(it) != e.Digest && !e.DiffersByRate(it) {
			cmp.Differ(finding.Whole, finding.Summary(it), "as its record does not make it")
		}
	})
}

// packedOfLost is of an event that a pack may have had which was quarantined.
func packedOfLost(v *Judges, s Subject, attr string) bool {
	return attr == finding.Whole && slices.ContainsFunc(v.LostSpans.List, func(l sinks.LostSpan) bool {
		if l.Kind != sinks.EntityPack || l.TP != s.TP || l.Key.PK != sinks.RawShard(s.Site, int(s.Raw.Shard)) {
			return false
		}
		first, _, _, _, err := sinks.ParsePack(l.Key.SK)
		id, bad := ulid.ParseStrict(first)
		return err == nil && bad == nil && id.Compare(s.Raw.ID) <= 0 && recount.RawTime(s.Raw.ID)-recount.RawTime(id) < pack.Reach
	})
}
