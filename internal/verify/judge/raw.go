package judge

import (
	"slices"
	"strconv"
	"strings"

	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/internal/verify/recount"
	"github.com/footfall/footfall/internal/verify/scope"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// RawSource reads where a raw event's record lies: "topic/partition/offset".
func RawSource(it sinks.Item) (topic string, partition int32, offset int64, ok bool) {
	rest, last, ok1 := cutLast(it["source"].Str())
	topic, middle, ok2 := cutLast(rest)
	offset, err1 := strconv.ParseInt(last, 10, 64)
	p, err2 := strconv.ParseInt(middle, 10, 32)
	return topic, int32(p), offset, ok1 && ok2 && err1 == nil && err2 == nil
}

func cutLast(s string) (before, after string, ok bool) {
	i := strings.LastIndexByte(s, '/')
	if i < 0 {
		return "", s, false
	}
	return s[:i], s[i+1:], true
}

// judgeEvent compares a raw event with a hash of what its record makes. One that is not so has differences that
// settleEvents puts into words.
func (v *Judges) judgeEvent(s Subject, it sinks.Item) Judgement {
	return v.judgeRaw(s, it, func(j *Judgement, cmp *finding.Comparison, e recount.RawEvent) {
		if !e.Required || recount.Digest(it) != e.Digest {
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
	switch f := v.fateOfEvent(s, e, it); {
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
		return v.missingEvent(cmp, &e, gone)
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
func (v *Judges) missingEvent(cmp *finding.Comparison, e *recount.RawEvent, gone bool) (j Judgement) {
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

// OfAnotherTopic reports whether a raw event names a record of another topic that the table counts.
func (v *Judges) OfAnotherTopic(it sinks.Item) bool {
	topic, _, _, ok := RawSource(it)
	return ok && topic != v.Opts.Topic && v.Topics[topic] != 0
}

// strangeEvent answers for a raw event whose key no record of the recount has.
func (v *Judges) strangeEvent(cmp *finding.Comparison) (j Judgement) {
	if v.OfAnotherTopic(cmp.Item) {
		return nothing
	}
	topic, partition, offset, ok := RawSource(cmp.Item)
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

// OfLostRecord reports whether a raw event names a record that no chain folds, or that the log has lost. Such a raw event comes from an
// owner that read the record and ended before the record's step began.
func (v *Judges) OfLostRecord(it sinks.Item) bool {
	topic, partition, offset, ok := RawSource(it)
	c := v.Chains[checkpoint.ChainID{Partition: partition, Lane: checkpoint.LaneStats}]
	if !ok || topic != v.Opts.Topic || c == nil {
		return false
	}
	position := offset + c.Head.Base
	return c.Gaps > 0 && position < c.First || offset < v.Starts[partition] || v.Recreated || c.Head.TopicID != v.Log.HexID() ||
		slices.ContainsFunc(c.Skips, func(s recount.Skip) bool { return s.From <= position && position < s.To })
}

// rawMarks compares which kinds of raw events an entry of the list of sites mentions. Each kind that a settled flush has written must be
// there. A kind that none has written may be: its writer may not have begun the flush.
func (v *Judges) rawMarks(cmp *finding.Comparison, site string) {
	var items, packs bool
	for key, e := range v.Raw.Sites[site] {
		if e.Required && !e.Unsure && e.Position < e.Chain.Settled() {
			items, packs = items || key.Packed == 0, packs || key.Packed > 0
		}
	}
	for _, mark := range []struct {
		attr     string
		required bool
	}{{sinks.AttrRawItems, items}, {sinks.AttrRawPacks, packs}} {
		cmp.Ignore(mark.attr)
		switch has := cmp.Item[mark.attr]; {
		case has.Kind() == sinks.None && mark.required:
			cmp.Differ(mark.attr, finding.Absent, "1")
		case has.Kind() != sinks.None && !has.Equal(sinks.Int(1)):
			cmp.Differ(mark.attr, finding.Show(has), "1, or absent")
		}
	}
}
