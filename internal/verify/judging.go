package verify

import (
	"slices"

	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sinks"
)

// judging is how subjects of a kind are judged.
type judging struct {
	// span is the event time of a subject, in milliseconds. it is nil where the table does not have the item. A nil span is all times.
	span func(v *judges, s subject, it sinks.Item) (start, end int64)

	judge func(v *judges, s subject, it sinks.Item) judgement
	// judgeAll judges a subject of several items instead. read reads them again.
	judgeAll func(v *judges, s subject, items []sinks.Item) judgement

	// excuse reports whether an attribute may differ because of a lost span of another item. A nil excuse is never.
	excuse func(v *judges, s subject, attr string) bool
}

// judgings says how the subjects of each kind are judged.
var judgings = map[string]judging{
	kindNewSites: {judge: (*judges).judgeNewSites},
	kindSite:     {judge: (*judges).judgeSite},
	kindMetadata: {judge: (*judges).judgeMetadata},
	kindGoal:     {judge: (*judges).judgeGoal},
	kindFunnel:   {}, // compareFunnel
	kindBudget:   {judge: (*judges).judgeBudget, excuse: ofLostState},

	kindHour:      {span: ofHour, judge: (*judges).judgeStats, excuse: hourOfLost},
	kindDay:       {span: (*judges).daysOf, judge: (*judges).judgeStats, excuse: sumsOfLost},
	kindUniques:   {span: ofHour, judge: (*judges).judgeUniques, excuse: uniquesOfLost},
	kindBreakdown: {span: ofHour, judge: (*judges).judgeBreakdown, excuse: breakdownOfLost},
	kindLate:      {}, // readJournal
	kindRealtime:  {span: ofMinute, judge: (*judges).judgeRealtime},

	kindSession:    {span: (*judges).openedAt, judge: (*judges).judgeSession, excuse: ofLostState},
	kindVisitor:    {span: (*judges).visitedAt, judge: (*judges).judgeVisitor, excuse: ofLostState},
	kindArrival:    {span: (*judges).arrivedAt, judge: (*judges).judgeArrival, excuse: ofLostState},
	kindRecent:     {span: ofMinute, judgeAll: (*judges).judgeRecent, excuse: recentOfLost},
	kindNew:        {}, // placeNew
	kindListed:     {span: ofHour, judgeAll: (*judges).judgeListed, excuse: listedOfLost},
	kindConversion: {span: (*judges).convertedAt, judge: (*judges).judgeConversion, excuse: ofLostState},
	kindEvent:      {span: ofEvent, judge: (*judges).judgeEvent},
	kindPack:       {span: ofEvent, judge: (*judges).judgePacked, excuse: packedOfLost},

	kindMonth:          {span: (*judges).daysOf, judgeAll: (*judges).judgeSealed, excuse: monthOfLost},
	kindDayUniques:     {span: (*judges).daysOf, judgeAll: (*judges).judgeSealed, excuse: sealedOfLost},
	kindMonthUniques:   {span: (*judges).daysOf, judgeAll: (*judges).judgeSealed, excuse: sealedOfLost},
	kindDayBreakdown:   {span: (*judges).daysOf, judgeAll: (*judges).judgeSealed, excuse: sealedOfLost},
	kindMonthBreakdown: {span: (*judges).daysOf, judgeAll: (*judges).judgeSealed, excuse: sealedOfLost},
}

// timed reports whether items of a kind have an event time.
func timed(kind string) bool { return judgings[kind].span != nil }

// judge compares a subject, as it was read, with the recount as of what its marks say. items holds its item, or is
// empty when the table has none.
func (v *judges) judge(s subject, items []sinks.Item) judgement {
	how := judgings[s.kind]
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
func (v *judges) excuse(s subject, items []sinks.Item, j judgement) judgement {
	if len(v.lostSpans.list) == 0 || len(j.differences) == 0 {
		return j
	}
	var it sinks.Item
	if len(items) > 0 {
		it = items[0]
	}
	rest := slices.DeleteFunc(slices.Clone(j.differences), func(d Difference) bool { return v.lostOf(s, it, d.Attribute) })
	if len(rest) < len(j.differences) {
		j.differences, j.partly = rest, becauseLost
	}
	return j
}

// lostOf reports whether an attribute of a subject differs because of a lost span.
func (v *judges) lostOf(s subject, it sinks.Item, attr string) bool {
	for _, l := range v.lostSpans.of[v.key(s)] {
		if attr == sinks.AttrLost(l.TP) && it[attr].Equal(sinks.Int(l.To)) || slices.Contains(l.Attrs, attr) {
			return true
		}
		if l.Kind == sinks.EntityStats && slices.Contains(l.Attrs, sinks.AttrMark(l.Lane, l.TP)) {
			return true // Without the mark it is not known whether the sums have the last step.
		}
	}
	if it == nil && attr == whole && len(v.lostSpans.of[v.key(s)]) > 0 {
		return true // It was removed.
	}
	excuse := judgings[s.kind].excuse
	return excuse != nil && excuse(v, s, attr)
}

// chosen reports whether a subject is of the span of event time that is verified.
func (v *judges) chosen(s subject, it sinks.Item) bool {
	span := judgings[s.kind].span
	if span == nil || v.opts.From.IsZero() && v.opts.To.IsZero() {
		return true
	}
	return v.inRange(span(v, s, it))
}

// The event times of buckets and of instants.

func ofHour(_ *judges, s subject, _ sinks.Item) (start, end int64) {
	return s.at, s.at + hourMs // In some zones it ends before.
}

func ofMinute(_ *judges, s subject, _ sinks.Item) (start, end int64) { return s.at, s.at + minuteMs }

func ofEvent(_ *judges, s subject, _ sinks.Item) (start, end int64) {
	return rawTime(s.raw.id), rawTime(s.raw.id) + 1
}

func (v *judges) daysOf(s subject, _ sinks.Item) (start, end int64) {
	first, last := s.days()
	if v.zoned(s.site) { // Somewhere on earth it is that day.
		return first - 14*hourMs, last + 3*dayMs + 12*hourMs // A change of zone makes a day up to two days longer.
	}
	return first, last + dayMs
}

// openedAt is when a session was opened, visitedAt when the last of a visitor's visits ended, and convertedAt when a goal was reached:
// by the log, or by the item where the log does not have it.

func (v *judges) openedAt(s subject, it sinks.Item) (start, end int64) {
	have, _ := state.SessionOf(it) // If it cannot be read, its comparison says so.
	at := have.OpenedAt
	if x := v.statsOf(s).sessions[s.id].at(atEnd); x != nil {
		at = x.openedAt
	}
	return at, at + 1
}

func (v *judges) visitedAt(s subject, it sinks.Item) (start, end int64) {
	at := it[sinks.AttrEndedAt].Int()
	if x := v.statsOf(s).visitors[s.id].at(atEnd); x != nil {
		at = x.last()
	}
	return at, at + 1
}

func (v *judges) convertedAt(s subject, it sinks.Item) (start, end int64) {
	at := it[sinks.AttrAt].Int()
	if x := v.statsOf(s).conversions[converted{s.goal, s.id}]; x != nil {
		at = x.at
	}
	return at, at + 1
}

// statsOf returns what the subject's partition knows of its site.
func (v *judges) statsOf(s subject) *siteRecount {
	if c := v.statsChain(s.tp); c != nil {
		return c.stats.site(s.site)
	}
	return new(siteRecount)
}
