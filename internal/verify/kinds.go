package verify

import (
	"slices"
	"strings"

	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sinks"
)

// The kinds of items, as reports name them.
const (
	kindTable        = "table settings"
	kindTopic        = "topic"
	kindCheckpoint   = "checkpoint"
	kindHistory      = "history"
	kindLost         = "lost span"
	kindNewSites     = "new sites"
	kindToken        = "token"
	kindAnnotation   = "annotation"
	kindVerification = "verification"

	kindSite     = "site"
	kindMetadata = "metadata"
	kindGoal     = "goal"
	kindFunnel   = "funnel"
	kindBudget   = "budget"

	kindHour      = "hour stats"
	kindDay       = "day stats"
	kindUniques   = "uniques"
	kindBreakdown = "breakdown"
	kindLate      = "journal entry"
	kindRealtime  = "realtime"

	kindSession    = "session"
	kindVisitor    = "visitor"
	kindArrival    = "arrival"
	kindRecent     = "recent sessions"
	kindNew        = "new sessions" // compared with the two
	kindListed     = "visitor sessions"
	kindConversion = "conversion"
	kindEvent      = "event"
	kindPack       = "pack" // an event of one

	kindMonth          = "month stats"
	kindDayUniques     = "sealed uniques of a day"
	kindMonthUniques   = "sealed uniques of a month"
	kindDayBreakdown   = "sealed breakdown of a day"
	kindMonthBreakdown = "sealed breakdown of a month"

	kindUnknown = "unknown" // at a key that no template spells
)

// kind is what the recount knows of a kind of item. The catalogue of package sinks says how the kind's keys are spelled.
type kind struct {
	item string // its name in the catalogue, where it has another one there

	// span is the event time of a subject, in milliseconds. it is nil where the table does not have the item. A nil span is all times.
	span func(v *judges, s subject, it sinks.Item) (start, end int64)

	judge func(v *judges, s subject, it sinks.Item) judgement
	// judgeAll judges a subject of several items instead. read reads them again.
	judgeAll func(v *judges, s subject, items []sinks.Item) judgement

	// excuse reports whether an attribute may differ because of a lost span of another item. A nil excuse is never.
	excuse func(v *judges, s subject, attr string) bool

	sealed, month bool // it is a sealed item, of a month
	typ           *sinks.ItemType
	prefix        string // how sort keys begin
}

// kinds are the kinds of items that are compared one subject at a time, and those that lie among them.
var kinds map[string]*kind

func init() { // The judges look up kinds themselves.
	kinds = map[string]*kind{
		kindNewSites: {judge: (*judges).judgeNewSites},
		kindSite:     {item: "site list entry", judge: (*judges).judgeSite},
		kindMetadata: {item: "site", judge: (*judges).judgeMetadata},
		kindGoal:     {judge: (*judges).judgeGoal},
		kindFunnel:   {}, // compareFunnel
		kindBudget:   {judge: (*judges).judgeBudget, excuse: ofLostState},

		kindHour:      {span: ofHour, judge: (*judges).judgeStats, excuse: hourOfLost},
		kindDay:       {span: (*judges).daysOf, judge: (*judges).judgeStats, excuse: sumsOfLost},
		kindUniques:   {span: ofHour, judge: (*judges).judgeUniques, excuse: uniquesOfLost},
		kindBreakdown: {span: ofHour, judge: (*judges).judgeBreakdown, excuse: breakdownOfLost},
		kindLate:      {}, // readJournal
		kindRealtime:  {item: "realtime minute", span: ofMinute, judge: (*judges).judgeRealtime},

		kindSession:    {span: (*judges).openedAt, judge: (*judges).judgeSession, excuse: ofLostState},
		kindVisitor:    {span: (*judges).visitedAt, judge: (*judges).judgeVisitor, excuse: ofLostState},
		kindArrival:    {span: (*judges).arrivedAt, judge: (*judges).judgeArrival, excuse: ofLostState},
		kindRecent:     {span: ofMinute, judgeAll: (*judges).judgeRecent, excuse: recentOfLost},
		kindNew:        {}, // placeNew
		kindListed:     {span: ofHour, judgeAll: (*judges).judgeListed, excuse: listedOfLost},
		kindConversion: {span: (*judges).convertedAt, judge: (*judges).judgeConversion, excuse: ofLostState},
		kindEvent:      {span: ofEvent, judge: (*judges).judgeEvent},
		kindPack:       {span: ofEvent, judge: (*judges).judgePacked, excuse: packedOfLost},

		kindMonth:          {sealed: true, month: true, excuse: monthOfLost},
		kindDayUniques:     {sealed: true, excuse: sealedOfLost},
		kindMonthUniques:   {sealed: true, month: true, excuse: sealedOfLost},
		kindDayBreakdown:   {sealed: true, excuse: sealedOfLost},
		kindMonthBreakdown: {sealed: true, month: true, excuse: sealedOfLost},
	}
	types := sinks.Catalogue()
	for name, k := range kinds {
		if k.item == "" {
			k.item = name
		}
		i := slices.IndexFunc(types, func(t sinks.ItemType) bool { return t.Name == k.item })
		k.typ = &types[i]
		_, sk := k.typ.Templates()
		k.prefix, _, _ = strings.Cut(string(sk), "{")
		if k.sealed {
			k.span, k.judgeAll = (*judges).daysOf, (*judges).judgeSealed
		}
		if k.judgeAll == nil {
			k.judgeAll = func(v *judges, s subject, items []sinks.Item) judgement {
				if len(items) == 0 {
					return k.judge(v, s, nil)
				}
				return k.judge(v, s, items[0])
			}
		}
	}
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
	return &unseen
}
