package judge

import (
	"slices"
	"strings"

	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/internal/verify/count"
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/internal/verify/recount"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// A quarantined item is no difference: the history of its chains has the lost spans. The report lists each span and leaves out what
// follows from it, attribute by attribute. An item with the mark of a loss and without a span in the history is a difference.

// losses finds what the lost spans of other items take from a subject.
type losses struct{ *recount.Model }

// The spans that excuse differences of another kind of item.

// ofLostState is of what follows from a state of the site.
func ofLostState(v *Judges, s Subject, _ string) bool { return v.LostSpans.StateLost(s.Site, s.TP) }

func recentOfLost(v *Judges, s Subject, attr string) bool { // One subject is all lists of a minute.
	key := v.Key(s)
	return v.LostSpans.StateLost(s.Site, s.TP) || attr == sinks.AttrSessionIDs && slices.ContainsFunc(v.LostSpans.List,
		func(l sinks.LostSpan) bool {
			return l.Kind == sinks.EntityRecent && l.Key.PK == key.PK && strings.HasPrefix(l.Key.SK, key.SK) || v.lost.newSessions(s, l)
		})
}

// listedOfLost is of lists by visitor of an hour, of which one was quarantined.
func listedOfLost(v *Judges, s Subject, attr string) bool {
	return v.LostSpans.StateLost(s.Site, s.TP) || attr == sinks.AttrListed && slices.ContainsFunc(v.LostSpans.List,
		func(l sinks.LostSpan) bool {
			m, ok := sinks.Find(l.Key, nil, v.Table.SessionShards)
			return ok && (l.Kind == sinks.EntityVisitorSessions || l.Kind == sinks.EntityNewSessions) && l.Site == s.Site &&
				count.Floor(m.Fields.At, count.HourMs) == s.At && m.Fields.TP == s.TP
		})
}

// newSessions reports whether a lost item of new sessions may have named sessions of a minute.
func (x losses) newSessions(s Subject, l sinks.LostSpan) bool {
	m, ok := sinks.Find(l.Key, nil, x.Table.SessionShards)
	return ok && l.Kind == sinks.EntityNewSessions && l.Site == s.Site && m.Fields.TP == s.TP && inSpanOf(m.Fields.At, s.At)
}

func sumsOfLost(v *Judges, s Subject, attr string) bool {
	return ofSessions(attr) && v.lost.anyState(s.Site)
}

func hourOfLost(v *Judges, s Subject, attr string) bool {
	return sumsOfLost(v, s, attr) || slices.ContainsFunc(v.Stats, func(c *recount.Chain) bool {
		return attr == sinks.AttrUniques(c.TP) && v.lost.visitors(s.Site, s.At, c.TP)
	})
}

func monthOfLost(v *Judges, s Subject, attr string) bool {
	return v.lost.day(s, attr) || v.lost.anyState(s.Site)
}

func uniquesOfLost(v *Judges, s Subject, attr string) bool { // Fewer visitors may be in the other place, or in none.
	return (attr == sinks.AttrPart || attr == finding.Whole) && v.lost.visitors(s.Site, s.At, s.TP)
}

func breakdownOfLost(v *Judges, s Subject, attr string) bool {
	return (attr == sinks.AttrPart || attr == finding.Whole) && (v.LostSpans.IsLost(v.Key(s), s.TP) || v.LostSpans.StateLost(s.Site, s.TP))
}

func sealedOfLost(v *Judges, s Subject, _ string) bool { return v.lost.hours(s) }

func (x losses) anyState(site string) bool {
	return slices.ContainsFunc(x.Stats, func(c *recount.Chain) bool { return x.LostSpans.StateLost(site, c.TP) })
}

// ofSessions reports whether an attribute of stats is counted by sessions, or by visitors' arrivals.
func ofSessions(attr string) bool {
	for s := range figures.AllSums {
		if s.Attr() == attr {
			return s.ByState()
		}
	}
	return strings.HasPrefix(attr, "g") || strings.HasPrefix(attr, "rw")
}

// visitors reports whether a partition's part of an hour's visitors is lost, in either of its two places.
func (x losses) visitors(site string, at int64, tp sinks.TP) bool {
	return x.LostSpans.IsLost(x.Keys.HourStats(site, at), tp) || x.LostSpans.IsLost(x.Keys.Uniques(site, at, tp), tp)
}

// day reports whether a day of the month has lost the attribute. The month was sealed from what was left.
func (x losses) day(s Subject, attr string) bool {
	first, last := s.Days()
	from, _ := x.DaySpan(s.Site, first)
	_, to := x.DaySpan(s.Site, last)
	return slices.ContainsFunc(x.LostSpans.List, func(l sinks.LostSpan) bool {
		m, ok := sinks.Find(l.Key, nil, x.Table.SessionShards)
		named := slices.Contains(l.Attrs, attr) || slices.Contains(l.Attrs, sinks.AttrMark(l.Lane, l.TP))
		return ok && named && l.Kind == sinks.EntityStats && l.Site == s.Site && strings.HasPrefix(l.Key.SK, sinks.DayStatsPrefix) &&
			from <= m.Fields.At && m.Fields.At < to
	})
}

// hours reports whether an hour of a sealed item has a lost span.
func (x losses) hours(s Subject) bool {
	first, last := s.Days()
	from, _ := x.DaySpan(s.Site, first)
	_, to := x.DaySpan(s.Site, last)
	for _, l := range x.LostSpans.List {
		m, ok := sinks.Find(l.Key, nil, x.Table.SessionShards)
		if ok && l.Lane == checkpoint.LaneStats && l.Site == s.Site && recount.Decides(l.Kind) {
			return true
		}
		if ok && l.Lane == checkpoint.LaneStats && l.Site == s.Site && from <= m.Fields.At && m.Fields.At < to {
			return true
		}
	}
	return false
}
