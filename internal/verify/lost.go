package verify

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// A quarantined item is no difference: the history of its chains has the lost spans. The report lists each span and leaves out what
// follows from it, attribute by attribute. An item with the mark of a loss and without a span in the history is a difference.

// Lost is a lost span of an item, from the history of a chain.
type Lost struct {
	Kind       string    `json:"kind"` // entity of the item
	PK         string    `json:"pk"`
	SK         string    `json:"sk"`
	Attributes []string  `json:"attributes"` // that could not be read
	Partition  int32     `json:"partition"`
	Lane       string    `json:"lane"`
	To         int64     `json:"to"` // end of the span, a position, exclusive
	At         string    `json:"at"` // when the item was quarantined, RFC 3339
	By         string    `json:"by"`
	Copy       sinks.Key `json:"copy"`
}

// losses are the lost spans of the topic.
type losses struct {
	items map[sinks.Key]sinks.Item
	of    map[sinks.Key][]sinks.LostSpan // by the item
	list  []sinks.LostSpan
}

// loadLost reads the lost spans of the topic's chains.
func (v *chainAudit) loadLost(ctx context.Context) error {
	found := losses{items: make(map[sinks.Key]sinks.Item), of: make(map[sinks.Key][]sinks.LostSpan)}
	pk, prefix := v.keys.LostSpans(v.number)
	for it, err := range v.items(ctx, sinks.Query{PK: pk, Prefix: prefix}) {
		if err != nil {
			return fmt.Errorf("read the lost spans: %w", err)
		}
		found.items[it.Key()] = it
		if span, err := sinks.ReadLostSpan(it); err == nil { // compareLost reports the others.
			found.of[span.Key] = append(found.of[span.Key], span)
			found.list = append(found.list, span)
		}
	}
	v.lostSpans = found
	return nil
}

// listLost names every lost span in the report.
func (v *chainAudit) listLost() {
	v.report.Lost = []Lost{}
	for _, l := range v.lostSpans.list {
		v.report.Lost = append(v.report.Lost, Lost{Kind: l.Kind, PK: l.Key.PK, SK: l.Key.SK, Attributes: l.Attrs, Partition: l.TP.Partition,
			Lane: l.Lane, To: l.To, At: time.UnixMilli(l.At).UTC().Format(time.RFC3339), By: l.By, Copy: v.keys.Damaged(l.Key, l.ID)})
	}
}

func writeLost(b io.Writer, list []Lost) {
	for _, l := range list {
		fmt.Fprintf(b, "lost: %s %s / %s: what partition %d, lane %s had folded into it before position %d (%s; quarantined %s by %s; copy %s "+
			"/ %s)\n",
			l.Kind, l.PK, l.SK, l.Partition, l.Lane, l.To, strings.Join(l.Attributes, ", "), l.At, l.By, l.Copy.PK, l.Copy.SK)
	}
}

// The spans that excuse differences of another kind of item.

// ofLostState is of what follows from a state of the site.
func ofLostState(v *judges, s subject, _ string) bool { return v.lostSpans.stateLost(s.site, s.tp) }

func recentOfLost(v *judges, s subject, attr string) bool { // One subject is all lists of a minute.
	key := v.key(s)
	return v.lostSpans.stateLost(s.site, s.tp) || attr == sinks.AttrSessionIDs && slices.ContainsFunc(v.lostSpans.list,
		func(l sinks.LostSpan) bool {
			return l.Kind == sinks.EntityRecent && l.Key.PK == key.PK && strings.HasPrefix(l.Key.SK, key.SK) || v.newOfLost(s, l)
		})
}

// listedOfLost is of lists by visitor of an hour, of which one was quarantined.
func listedOfLost(v *judges, s subject, attr string) bool {
	return v.lostSpans.stateLost(s.site, s.tp) || attr == sinks.AttrListed && slices.ContainsFunc(v.lostSpans.list,
		func(l sinks.LostSpan) bool {
			m, ok := sinks.Find(l.Key, nil, v.table.SessionShards)
			return ok && (l.Kind == sinks.EntityVisitorSessions || l.Kind == sinks.EntityNewSessions) && l.Site == s.site &&
				floor(m.Fields.At, hourMs) == s.at && m.Fields.TP == s.tp
		})
}

// newOfLost reports whether a lost item of new sessions may have named sessions of a minute.
func (v *judges) newOfLost(s subject, l sinks.LostSpan) bool {
	m, ok := sinks.Find(l.Key, nil, v.table.SessionShards)
	return ok && l.Kind == sinks.EntityNewSessions && l.Site == s.site && m.Fields.TP == s.tp && inSpanOf(m.Fields.At, s.at)
}

func sumsOfLost(v *judges, s subject, attr string) bool {
	return ofSessions(attr) && v.anyStateLost(s.site)
}

func hourOfLost(v *judges, s subject, attr string) bool {
	return sumsOfLost(v, s, attr) || slices.ContainsFunc(v.stats, func(c *chain) bool {
		return attr == sinks.AttrUniques(c.tp) && v.visitorsLost(s.site, s.at, c.tp)
	})
}

func monthOfLost(v *judges, s subject, attr string) bool {
	return v.dayLost(s, attr) || v.anyStateLost(s.site)
}

func uniquesOfLost(v *judges, s subject, attr string) bool { // Fewer visitors may be in the other place, or in none.
	return (attr == sinks.AttrPart || attr == whole) && v.visitorsLost(s.site, s.at, s.tp)
}

func breakdownOfLost(v *judges, s subject, attr string) bool {
	return (attr == sinks.AttrPart || attr == whole) && (v.lostSpans.isLost(v.key(s), s.tp) || v.lostSpans.stateLost(s.site, s.tp))
}

func sealedOfLost(v *judges, s subject, _ string) bool { return v.hoursLost(s) }

func (v *judges) anyStateLost(site string) bool {
	return slices.ContainsFunc(v.stats, func(c *chain) bool { return v.lostSpans.stateLost(site, c.tp) })
}

// stateLost reports whether the partition has lost a state of the site that decides what is counted: a session, a visitor, an
// arrival or a budget.
// The table does not say which figures were counted with the lost state, and which were counted after it.
func (l *losses) stateLost(site string, tp sinks.TP) bool {
	return slices.ContainsFunc(l.list, func(l sinks.LostSpan) bool { return decides(l.Kind) && l.TP == tp && l.Site == site })
}

// decides reports whether items of the entity decide what other items of their site receive.
func decides(entity string) bool {
	switch entity {
	case sinks.EntitySession, sinks.EntityVisitor, sinks.EntityArrival, sinks.EntityBudget:
		return true
	}
	return false
}

// ofSessions reports whether an attribute of stats is counted by sessions.
func ofSessions(attr string) bool {
	for s := range figures.AllSums {
		if s.Attr() == attr {
			return s.ByState()
		}
	}
	return strings.HasPrefix(attr, "g")
}

func (l *losses) isLost(key sinks.Key, tp sinks.TP) bool {
	return slices.ContainsFunc(l.of[key], func(l sinks.LostSpan) bool { return l.TP == tp })
}

// visitorsLost reports whether a partition's part of an hour's visitors is lost, in either of its two places.
func (v *judges) visitorsLost(site string, at int64, tp sinks.TP) bool {
	return v.lostSpans.isLost(v.keys.HourStats(site, at), tp) || v.lostSpans.isLost(v.keys.Uniques(site, at, tp), tp)
}

// dayLost reports whether a day of the month has lost the attribute. The month was sealed from what was left.
func (v *judges) dayLost(s subject, attr string) bool {
	first, last := s.days()
	from, _ := v.daySpan(s.site, first)
	_, to := v.daySpan(s.site, last)
	return slices.ContainsFunc(v.lostSpans.list, func(l sinks.LostSpan) bool {
		m, ok := sinks.Find(l.Key, nil, v.table.SessionShards)
		named := slices.Contains(l.Attrs, attr) || slices.Contains(l.Attrs, sinks.AttrMark(l.Lane, l.TP))
		return ok && named && l.Kind == sinks.EntityStats && l.Site == s.site && strings.HasPrefix(l.Key.SK, sinks.DayStatsPrefix) &&
			from <= m.Fields.At && m.Fields.At < to
	})
}

// hoursLost reports whether an hour of a sealed item has a lost span.
func (v *judges) hoursLost(s subject) bool {
	first, last := s.days()
	from, _ := v.daySpan(s.site, first)
	_, to := v.daySpan(s.site, last)
	for _, l := range v.lostSpans.list {
		m, ok := sinks.Find(l.Key, nil, v.table.SessionShards)
		if ok && l.Lane == checkpoint.LaneStats && l.Site == s.site && decides(l.Kind) {
			return true
		}
		if ok && l.Lane == checkpoint.LaneStats && l.Site == s.site && from <= m.Fields.At && m.Fields.At < to {
			return true
		}
	}
	return false
}
