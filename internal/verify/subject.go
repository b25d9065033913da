package verify

import (
	"fmt"
	"strings"

	"github.com/oklog/ulid/v2"

	"github.com/footfall/footfall/sinks"
)

// The kinds of subjects, as reports name them.
const (
	kindHour      = "hour stats"
	kindDay       = "day stats"
	kindUniques   = "uniques"
	kindBreakdown = "breakdown"
	kindSession   = "session"
	kindLate      = "journal entry"

	kindMonth          = "month stats"
	kindDayUniques     = "sealed uniques of a day"
	kindMonthUniques   = "sealed uniques of a month"
	kindDayBreakdown   = "sealed breakdown of a day"
	kindMonthBreakdown = "sealed breakdown of a month"

	kindVisitor  = "visitor"
	kindRecent   = "recent sessions"
	kindRealtime = "realtime"
	kindSite     = "site"
	kindMetadata = "metadata"
	kindNewSites = "new sites"
	kindEvent    = "event"
	kindBudget   = "budget"

	kindConversion = "conversion"
	kindGoal       = "goal"
	kindFunnel     = "funnel"
	kindUnknown    = "unknown" // at a key that no template spells
)

// subject is what is compared at a time: an item, or the items in which one partition lists the sessions that were
// opened in a minute.
type subject struct {
	kind string
	site string
	at   int64    // start of the hour, day or minute
	id   string   // of the session, visitor or goal; of new sites the lane
	goal uint64   // number of a conversion's goal
	tp   sinks.TP // whose part it is; zero for what partitions share
	raw  rawKey
}

// key returns the item's key. Of recent sessions it is how the keys of the items begin.
func (v *verifier) key(s subject) sinks.Key {
	switch s.kind {
	case kindHour:
		return v.keys.HourStats(s.site, s.at)
	case kindDay:
		return v.keys.DayStats(s.site, s.at)
	case kindUniques:
		return v.keys.Uniques(s.site, s.at, s.tp)
	case kindBreakdown:
		return v.keys.Breakdown(s.site, s.at, s.tp)
	case kindMonth:
		return v.keys.MonthStats(s.site, s.at)
	case kindDayUniques:
		return v.keys.DayUniques(s.site, s.at)
	case kindMonthUniques:
		return v.keys.MonthUniques(s.site, s.at)
	case kindDayBreakdown:
		return v.keys.DayBreakdown(s.site, s.at)
	case kindMonthBreakdown:
		return v.keys.MonthBreakdown(s.site, s.at)
	case kindSession:
		return v.keys.Session(s.site, s.id, s.tp, v.table.SessionShards)
	case kindVisitor:
		return v.keys.VisitorState(s.site, s.id, s.tp, v.table.SessionShards)
	case kindRecent:
		return sinks.Key{PK: v.keys.RecentList(s.site), SK: sinks.Minute(s.at) + "#" + s.tp.String() + "#"}
	case kindRealtime:
		return v.keys.Realtime(s.site, s.at, s.tp)
	case kindSite:
		return v.keys.SiteEntry(s.site)
	case kindMetadata:
		return v.keys.Metadata(s.site)
	case kindConversion:
		return v.keys.Conversion(s.site, s.goal, s.id, s.tp, v.table.SessionShards)
	case kindGoal:
		return v.keys.Goal(s.site, s.id)
	case kindNewSites:
		return v.keys.NewSites(s.tp, s.id)
	case kindBudget:
		return v.keys.Budget(s.site, s.tp)
	case kindEvent:
		return v.keys.Event(s.site, int(s.raw.shard), s.raw.id.String())
	}
	panic("verify: a subject without a kind")
}

// subjectOf finds out what an item is about; ok is false when no template spells its key. spelled are the site's
// sessions by sort key.
func (v *verifier) subjectOf(kind, site string, it sinks.Item, spelled map[string]subject) (s subject, ok bool) {
	key := it.Key()
	s = subject{kind: kind, site: site}
	var err error
	switch kind {
	case kindHour:
		s.at, err = sinks.ParseHour(strings.TrimPrefix(key.SK, sinks.HourStatsPrefix))
	case kindDay:
		s.at, err = sinks.ParseDay(strings.TrimPrefix(key.SK, sinks.DayStatsPrefix))
	case kindMonth, kindMonthUniques, kindMonthBreakdown:
		s.at, err = sinks.ParseMonth(key.SK[strings.LastIndexByte(key.SK, '#')+1:])
	case kindDayUniques, kindDayBreakdown:
		s.at, err = sinks.ParseDay(key.SK[strings.LastIndexByte(key.SK, '#')+1:])
	case kindRealtime:
		s.at, s.tp, err = parsePart(strings.TrimPrefix(key.SK, sinks.RealtimePrefix), sinks.ParseMinute)
	case kindUniques:
		s.at, s.tp, err = parsePart(strings.TrimPrefix(key.SK, sinks.UniquesPrefix), sinks.ParseHour)
	case kindBreakdown:
		s.at, s.tp, err = parsePart(strings.TrimPrefix(key.SK, sinks.BreakdownPrefix), sinks.ParseHour)
	case kindBudget:
		s.tp, err = sinks.ParseTP(strings.TrimPrefix(key.SK, sinks.BudgetPrefix))
	case kindRecent:
		s.at, s.tp, err = parsePart(key.SK, sinks.ParseMinute)
		ok := strings.HasPrefix(key.SK, v.key(s).SK)
		return s, err == nil && ok
	case kindSession:
		if known, ok := spelled[key.SK]; ok {
			return known, v.key(known) == key
		}
		if s.id = it[sinks.AttrSessionID].Str(); s.id == "" {
			s.id = key.SK[len(sinks.SessionPrefix):max(len(sinks.SessionPrefix), strings.LastIndexByte(key.SK, '#'))]
		}
		s.tp, err = sinks.ParseTP(key.SK[strings.LastIndexByte(key.SK, '#')+1:])
	case kindVisitor:
		if known, ok := spelled[key.SK]; ok {
			return known, v.key(known) == key
		}
		s.id = it[sinks.AttrVisitorID].Str()
		s.tp, err = sinks.ParseTP(key.SK[strings.LastIndexByte(key.SK, '#')+1:])
	case kindConversion:
		if known, ok := spelled[key.SK]; ok {
			return known, v.key(known) == key
		}
		err = conversionOf(&s, it)
	case kindGoal:
		if known, ok := spelled[key.SK]; ok {
			return known, v.key(known) == key
		}
		s.id = it[sinks.AttrGoal].Str()
	case kindUnknown:
		return s, false
	case kindEvent:
		s.raw.id, err = ulid.ParseStrict(strings.TrimPrefix(key.SK, sinks.EventPrefix))
		for nn := range sinks.MaxShards {
			if v.keys.Shard(site, nn) == key.PK {
				s.raw.shard = uint8(nn)
			}
		}
	}
	return s, err == nil && v.key(s) == key
}

// parsePart reads a sort key's instant and the partition whose part it is.
func parsePart(sk string, instant func(string) (int64, error)) (int64, sinks.TP, error) {
	segment := strings.Split(sk, "#")
	if len(segment) < 2 {
		return 0, sinks.TP{}, fmt.Errorf("sort key %q names no partition", sk)
	}
	at, err := instant(segment[0])
	if err != nil {
		return 0, sinks.TP{}, err
	}
	tp, err := sinks.ParseTP(segment[1])
	return at, tp, err
}

// spelledSessions returns the sessions, visitors and conversions of a site that the log knows, and the goals that the rules
// know, by sort key.
func (v *verifier) spelledSessions(site string) map[string]subject {
	spelled := make(map[string]subject)
	for id := range v.goalsOf(site) {
		s := subject{kind: kindGoal, site: site, id: id}
		spelled[v.key(s).SK] = s
	}
	for _, c := range v.stats {
		if known := c.stats.site(site); known != nil {
			for id := range known.sessions {
				s := subject{kind: kindSession, site: site, id: id, tp: c.tp}
				spelled[v.key(s).SK] = s
			}
			for id := range known.visitors {
				s := subject{kind: kindVisitor, site: site, id: id, tp: c.tp}
				spelled[v.key(s).SK] = s
			}
			for of := range known.conversions {
				s := subject{kind: kindConversion, site: site, id: of.session, goal: of.goal, tp: c.tp}
				spelled[v.key(s).SK] = s
			}
		}
	}
	return spelled
}

// chosen reports whether a subject is of the span of event time that is verified. A session is of its openedAt, a visitor
// of the end of the visits, which is taken from their items if the log does not have them.
func (v *verifier) chosen(s subject, it sinks.Item) bool {
	switch s.kind {
	case kindHour, kindUniques, kindBreakdown:
		return v.inRange(s.at, s.at+hourMs) // In some zones it ends before.
	case kindDay, kindMonth, kindMonthUniques, kindMonthBreakdown, kindDayUniques, kindDayBreakdown:
		last := s.at
		if s.kind != kindDay {
			_, last = s.days()
		}
		early, late := int64(0), int64(0)
		if v.zoned(s.site) { // Somewhere on earth it is that day.
			early, late = 14*hourMs, 12*hourMs
		}
		return v.inRange(s.at-early, last+dayMs+late)
	case kindRealtime, kindRecent:
		return v.inRange(s.at, s.at+minuteMs)
	case kindEvent:
		return v.inRange(rawTime(s.raw.id), rawTime(s.raw.id)+1)
	case kindSession:
		opened := it[sinks.AttrOpenedAt].Int()
		if c := v.statsChain(s.tp); c != nil {
			if x := c.session(s); x != nil && x.end != nil {
				opened = x.end.openedAt
			}
		}
		return v.inRange(opened, opened+1)
	case kindConversion:
		at := it[sinks.AttrAt].Int()
		if c := v.statsChain(s.tp); c != nil {
			if x := c.conversion(s); x != nil {
				at = x.at
			}
		}
		return v.inRange(at, at+1)
	case kindVisitor:
		ended := it[sinks.AttrEndedAt].Int()
		if c := v.statsChain(s.tp); c != nil {
			if x := c.visitor(s); x != nil && x.end != nil {
				ended = x.end.last()
			}
		}
		return v.inRange(ended, ended+1)
	}
	return true
}
