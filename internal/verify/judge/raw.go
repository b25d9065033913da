package judge

import (
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/internal/verify/recount"
	"github.com/footfall/footfall/internal/verify/scope"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// judgeEvent compares a raw event with a hash of what its record makes. One that is not so has differences that
// settleEvents puts into words.
func (v *Judges) judgeEvent(s Subject, it sinks.Item) Judgement {
	return v.judgeRaw(s, it, func(j *Judgement, cmp *finding.Comparison, e recount.RawEvent) {
		if e.Rebuilt() {
			j.LeftOut = finding.BecauseRebuilt
		} else if !e.Required || recount.Digest(it) != e.Digest {
			j.Event = it
			cmp.Differ(finding.Whole, finding.Summary(it), "as none of its records makes it")
		}
	})
}

// judgeRaw compares a raw event by itself or in a pack, nil if the table has none, with what the recount has under its key. compare is
// asked if both have it.
func (v *Judges) judgeRaw(s Subject, it sinks.Item, compare func(*Judgement, *finding.Comparison, recount.RawEvent)) (j Judgement) {
	gone, _ := v.Expiry(s.Site, sinks.AttrRawDays, recount.RawTime(s.Raw.ID))
	events := v.Raw.Sites[s.Site]
	e, known := events[s.Raw]
	cmp := v.Compare(s, it)
	if known && it != nil {
		e.Seen = true
		events[s.Raw] = e
	}
	switch f := v.fates.ofEvent(s, e, it); {
	case f == scope.MustBeGone && it != nil:
		cmp.Differ(finding.Whole, "present", "erased")
		j.Differences, j.Chains = cmp.Differences, v.Stats
		return j
	case f != scope.Stays:
		j.LeftOut = finding.BecauseErased
		return j
	}
	switch {
	case it == nil && !e.Required:
		return nothing
	case it == nil:
		return missingEvent(cmp, &e, gone)
	case known:
		j.Chains = []*recount.Chain{e.Chain}
		compare(&j, cmp, e)
	case gone:
		j.LeftOut = finding.BecauseRetention
	default:
		return v.strangeEvent(cmp)
	}
	j.Differences = cmp.Differences
	return j
}

// missingEvent answers for a raw event that a step asks for and the table does not have.
func missingEvent(cmp *finding.Comparison, e *recount.RawEvent, gone bool) (j Judgement) {
	switch {
	case e.Position >= e.Chain.Settled():
		return nothing // On its way.
	case gone: // Or it was not written, since it had passed.
		j.LeftOut = finding.BecauseRetention
		return j
	case e.Unsure:
		j.LeftOut = finding.BecauseLog
		return j
	}
	cmp.Differ(finding.Whole, finding.Absent, "present")
	j.Differences, j.Chains = cmp.Differences, []*recount.Chain{e.Chain}
	return j
}

// strangeEvent answers for a raw event whose key no record of the recount has.
func (v *Judges) strangeEvent(cmp *finding.Comparison) (j Judgement) {
	if v.OfAnotherTopic(cmp.Item) {
		return nothing
	}
	topic, partition, offset, ok := recount.RawSource(cmp.Item)
	cmp.Differ(finding.Whole, "present", finding.Absent)
	j.Differences = cmp.Differences
	c := v.Chains[checkpoint.ChainID{Partition: partition, Lane: checkpoint.LaneStats}]
	if !ok || topic != v.Opts.Topic || c == nil {
		j.Event = cmp.Item // Of a partition that no chain has begun, it may be of a record that was published since.
		return j
	}
	j.Chains = []*recount.Chain{c}
	switch position := offset + c.Head.Base; {
	case v.OfLostRecord(cmp.Item):
		return Judgement{LeftOut: finding.BecauseLog}
	case offset >= v.Ends[partition], position >= c.Settled():
		j.Event = cmp.Item
	}
	return j
}
