package judge

import (
	"slices"

	"github.com/footfall/footfall/internal/verify/count"
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/internal/verify/recount"
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sinks"
)

// judging is how subjects of a kind are judged.
type judging struct {
	// span is the event time of a subject, in milliseconds. it is nil where the table does not have the item. A nil span is all times.
	span func(t times, s Subject, it sinks.Item) (start, end int64)

	judge func(v *Judges, s Subject, it sinks.Item) Judgement
	// judgeAll judges a subject of several items instead. read reads them again.
	judgeAll func(v *Judges, s Subject, items []sinks.Item) Judgement

	// excuse reports whether an attribute may differ because of a lost span of another item. A nil excuse is never.
	excuse func(v *Judges, s Subject, attr string) bool
}

// judgings says how the subjects of each kind are judged.
var judgings = map[string]judging{
	finding.KindNewSites: {judge: (*Judges).judgeNewSites},
	finding.KindSite:     {judge: (*Judges).judgeSite},
	finding.KindMetadata: {judge: (*Judges).judgeMetadata},
	finding.KindGoal:     {judge: (*Judges).judgeGoal},
	finding.KindFunnel:   {}, // compareFunnel
	finding.KindSegment:  {}, // compareSegment
	finding.KindBudget:   {judge: (*Judges).judgeBudget, excuse: ofLostState},

	finding.KindHour:      {span: times.ofHour, judge: (*Judges).judgeStats, excuse: hourOfLost},
	finding.KindDay:       {span: times.ofDays, judge: (*Judges).judgeStats, excuse: sumsOfLost},
	finding.KindUniques:   {span: times.ofHour, judge: (*Judges).judgeUniques, excuse: uniquesOfLost},
	finding.KindBreakdown: {span: times.ofHour, judge: (*Judges).judgeBreakdown, excuse: breakdownOfLost},
	finding.KindLate:      {}, // readJournal
	finding.KindRealtime:  {span: times.ofMinute, judge: (*Judges).judgeRealtime},

	finding.KindSession:    {span: times.opened, judge: (*Judges).judgeSession, excuse: ofLostState},
	finding.KindVisitor:    {span: times.visited, judge: (*Judges).judgeVisitor, excuse: ofLostState},
	finding.KindArrival:    {span: times.arrived, judge: (*Judges).judgeArrival, excuse: ofLostState},
	finding.KindRecent:     {span: times.ofMinute, judgeAll: (*Judges).judgeRecent, excuse: recentOfLost},
	finding.KindNew:        {}, // placeNew
	finding.KindListed:     {span: times.ofHour, judgeAll: (*Judges).judgeListed, excuse: listedOfLost},
	finding.KindConversion: {span: times.converted, judge: (*Judges).judgeConversion, excuse: ofLostState},
	finding.KindEvent:      {span: times.ofEvent, judge: (*Judges).judgeEvent},
	finding.KindPack:       {span: times.ofEvent, judge: (*Judges).judgePacked, excuse: packedOfLost},

	finding.KindMonth:          {span: times.ofDays, judgeAll: (*Judges).judgeSealed, excuse: monthOfLost},
	finding.KindDayUniques:     {span: times.ofDays, judgeAll: (*Judges).judgeSealed, excuse: sealedOfLost},
	finding.KindMonthUniques:   {span: times.ofDays, judgeAll: (*Judges).judgeSealed, excuse: sealedOfLost},
	finding.KindDayBreakdown:   {span: times.ofDays, judgeAll: (*Judges).judgeSealed, excuse: sealedOfLost},
	finding.KindMonthBreakdown: {span: times.ofDays, judgeAll: (*Judges).judgeSealed, excuse: sealedOfLost},
}

// Timed reports whether items of a kind have an event time.
func Timed(kind string) bool { return judgings[kind].span != nil }

// Judge compares a subject, as it was read, with the recount as of what its marks say. items holds its item, or is
// empty when the table has none.
func (v *Judges) Judge(s Subject, items []sinks.Item) Judgement {
	if v.Purging(s.Site) {
		return Judgement{LeftOut: finding.BecausePurged}
	}
	if _, gone := v.Gone(s.Site); gone {
		return v.judgePurged(s, items)
	}
	how := judgings[s.Kind]
	if how.judgeAll != nil {
		return v.excuse(s, items, how.judgeAll(v, s, items))
	}
	var it sinks.Item
	if len(items) > 0 {
		it = items[0]
	}
	return v.excuse(s, items, how.judge(v, s, it))
}

// excuse leaves out the differences that follow from a lost span.
func (v *Judges) excuse(s Subject, items []sinks.Item, j Judgement) Judgement {
	if len(v.LostSpans.List) == 0 || len(j.Differences) == 0 {
		return j
	}
	var it sinks.Item
	if len(items) > 0 {
		it = items[0]
	}
	rest := slices.DeleteFunc(slices.Clone(j.Differences), func(d finding.Difference) bool { return v.lostOf(s, it, d.Attribute) })
	if len(rest) < len(j.Differences) {
		j.Differences, j.Partly = rest, finding.BecauseLost
	}
	return j
}

// lostOf reports whether an attribute of a subject differs because of a lost span.
func (v *Judges) lostOf(s Subject, it sinks.Item, attr string) bool {
	for _, l := range v.LostSpans.Of[v.Key(s)] {
		if attr == sinks.AttrLost(l.TP) && it[attr].Equal(sinks.Int(l.To)) || slices.Contains(l.Attrs, attr) {
			return true
		}
		if l.Kind == sinks.EntityStats && slices.Contains(l.Attrs, sinks.AttrMark(l.Lane, l.TP)) {
			return true // Without the mark it is not known whether the sums have the last step.
		}
	}
	if it == nil && attr == finding.Whole && len(v.LostSpans.Of[v.Key(s)]) > 0 {
		return true // It was removed.
	}
	excuse := judgings[s.Kind].excuse
	return excuse != nil && excuse(v, s, attr)
}

// Chosen reports whether a subject is of the span of event time that is verified.
func (v *Judges) Chosen(s Subject, it sinks.Item) bool {
	span := judgings[s.Kind].span
	if span == nil || v.Opts.From.IsZero() && v.Opts.To.IsZero() {
		return true
	}
	return v.InRange(span(times{v.Model}, s, it))
}

// times finds the event times of subjects: of buckets and of instants.
type times struct{ *recount.Model }

func (times) ofHour(s Subject, _ sinks.Item) (start, end int64) {
	return s.At, s.At + count.HourMs // In some zones it ends before.
}

func (times) ofMinute(s Subject, _ sinks.Item) (start, end int64) {
	return s.At, s.At + count.MinuteMs
}

func (times) ofEvent(s Subject, _ sinks.Item) (start, end int64) {
	return recount.RawTime(s.Raw.ID), recount.RawTime(s.Raw.ID) + 1
}

func (t times) ofDays(s Subject, _ sinks.Item) (start, end int64) {
	first, last := s.Days()
	if t.Zoned(s.Site) { // Somewhere on earth it is that day.
		return first - 14*count.HourMs, last + 3*count.DayMs + 12*count.HourMs // A change of zone makes a day up to two days longer.
	}
	return first, last + count.DayMs
}

// opened is when a session was opened, visited when the last of a visitor's visits ended, and converted when a goal was reached:
// by the log, or by the item where the log does not have it.

func (t times) opened(s Subject, it sinks.Item) (start, end int64) {
	have, _ := state.SessionOf(it) // If it cannot be read, its comparison says so.
	at := have.OpenedAt
	if x := t.statsOf(s).Sessions[s.ID].At(count.AtEnd); x != nil {
		at = x.OpenedAt
	}
	return at, at + 1
}

func (t times) visited(s Subject, it sinks.Item) (start, end int64) {
	at := it[sinks.AttrEndedAt].Int()
	if x := t.statsOf(s).Visitors[s.ID].At(count.AtEnd); x != nil {
		at = x.Last()
	}
	return at, at + 1
}

func (t times) converted(s Subject, it sinks.Item) (start, end int64) {
	at := it[sinks.AttrAt].Int()
	if x := t.statsOf(s).Conversions[count.Converted{Goal: s.goal, Session: s.ID}]; x != nil {
		at = x.At
	}
	return at, at + 1
}

// statsOf returns what the subject's partition knows of its site.
func (t times) statsOf(s Subject) *count.Site {
	if c := t.StatsChain(s.TP); c != nil {
		return c.Stats.Site(s.Site)
	}
	return new(count.Site)
}
