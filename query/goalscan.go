package query

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/urlquery"
	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/query/internal/sitetable"
	"github.com/footfall/footfall/sinks"
)

// A goalScan finds the raw events that reach goals of a site. A session reaches a goal once, by the first event of the log that matches,
// but for goals by duration: see reach. That event is a conversion if it passes the filters.
type goalScan struct {
	span   calendar.Span
	goals  []scannedGoal
	within bool // as in FilterParams
}

// A scannedGoal is a goal with its conversions.
type scannedGoal struct {
	Goal
	means      sites.Goal
	chosen     bool              // conversions of sessions include its own
	from       int64             // as in goalReport.since
	all, later sitetable.GoalSum // of the range, and from then on
	sums       *filterSums       // of what passes from then on; nil: that is all of the range
}

// A reachedGoal is a goal that a session has reached.
type reachedGoal struct {
	offset, at int64 // of the event
	micros     int64 // what it is worth
	goal       int32 // its index
	passes     bool  // the event passes the filters, but for those by what whole sessions have
}

// newGoalScan makes a scan of a range for the goals of the site.
func newGoalScan(ctx context.Context, t sitetable.Table, s calendar.Span) (*goalScan, error) {
	g := &goalScan{span: s}
	report := goalReport{table: t}
	list := sinks.Query{PK: t.Keys.Site(t.Site), From: sinks.GoalPrefix, To: sinks.GoalPrefix + "~", Consistent: t.Consistent}
	for it, err := range t.Items(ctx, list) {
		if err != nil {
			return nil, err
		}
		goal, err := readGoal(it)
		if err != nil {
			return nil, err
		}
		means, err := sites.ParseGoal(it[sinks.AttrDefinition].Str())
		if err != nil {
			return nil, err
		}
		if goal.Deleted {
			continue
		}
		own := scannedGoal{Goal: goal, means: *means, from: report.since(goal)}
		if own.from > s.From {
			own.sums = newFilterSums()
		}
		g.goals = append(g.goals, own)
	}
	slices.SortFunc(g.goals, func(a, b scannedGoal) int { return cmp.Compare(a.Number, b.Number) })
	return g, nil
}

// and adds to sums those of goals that began in the range, as far as something of this time counts in them.
func (g *goalScan) and(sums []*filterSums, at int64) []*filterSums {
	if g == nil {
		return sums
	}
	for i := range g.goals {
		if goal := &g.goals[i]; goal.sums != nil && at >= goal.from {
			sums = append(sums, goal.sums)
		}
	}
	return sums
}

// reach notes which goals a session reaches by an event, which has been folded into it. Events come in the order of event time. That of
// the log decides which one reaches a goal first; for how long a session has lasted, event time does.
func (g *goalScan) reach(s *filterSession, it sinks.Item, at int64, passes bool) {
	var typ, name, page []byte
	for i := range g.goals {
		goal := &g.goals[i]
		if goal.Since != nil && at < goal.Since.UnixMilli() || goal.means.Inactive {
			continue
		}
		if typ == nil {
			typ = []byte(it["type"].Str())
			if it[sinks.AttrName].Kind() != sinks.None {
				name = []byte(it[sinks.AttrName].Str())
			}
			if it["url"].Kind() != sinks.None {
				page = urlquery.Page([]byte(it["url"].Str()))
			}
		}
		if !goal.means.ReachedBy(typ, name, page, s.end-s.start) {
			continue
		}
		r := reachedGoal{offset: offsetOf(it), at: at, goal: int32(i), passes: passes} //nolint:gosec // A site has few goals.
		has := it["value"].Kind() != sinks.None
		value := int64(0)
		if has {
			value = micros(it["value"].Str())
		}
		r.micros, _ = goal.means.ValueOf(value, has)
		s.reach(r, goal.means.DurationMs > 0)
	}
}

// reach notes a goal, unless the session has reached it by an event before.
func (s *filterSession) reach(r reachedGoal, byDuration bool) {
	i := slices.IndexFunc(s.reached, func(had reachedGoal) bool { return had.goal == r.goal })
	switch {
	case i < 0:
		s.reached = append(s.reached, r)
	case !byDuration && r.offset < s.reached[i].offset:
		s.reached[i] = r
	}
}

// converts reports whether a session that has ended has reached the goal of that id within the range.
func (g *goalScan) converts(s *filterSession, id string) bool {
	return slices.ContainsFunc(s.reached, func(r reachedGoal) bool { return g.goals[r.goal].ID == id && g.span.Has(r.at) })
}

// end counts what a session has reached, once it is known whether it passes the filters.
func (g *goalScan) end(s *filterSession) {
	g.addTo(s)
	for _, r := range s.reached {
		if !r.passes || !s.source || !g.span.Has(r.at) {
			continue
		}
		goal := &g.goals[r.goal]
		goal.all.Plus(r.micros)
		if r.at >= goal.from {
			goal.later.Plus(r.micros)
		}
	}
	s.reached = nil
}

// totals are the figures of all goals, given the sums of what passes. nil: goals were not asked for.
func (g *goalScan) totals(total *filterSums, scope Scope) *FilteredGoalTotals {
	if g == nil {
		return nil
	}
	t := &FilteredGoalTotals{Goals: []FilteredGoal{}}
	if scope == ScopeSessions {
		t.Sessions = new(total.sessions)
	}
	for _, goal := range g.goals {
		f := FilteredGoal{ID: goal.ID, Number: goal.Number, Name: goal.Name, Since: goal.Since}
		if !goal.Active {
			f.Refused = inactiveGoal(goal.ID)
			t.Goals = append(t.Goals, f)
			continue
		}
		t.Conversions += goal.all.Count
		f.Conversions, f.ValueSum, f.ConversionsSince = new(goal.all.Count), new(decimal(goal.all.ValueMicros)), new(goal.later.Count)
		if scope == ScopeSessions {
			since := total
			if goal.sums != nil {
				since = goal.sums
			}
			f.SessionsSince, f.ConversionRate = new(since.sessions), ratio(goal.later.Count, since.sessions)
		}
		t.Goals = append(t.Goals, f)
	}
	return t
}

// offsetOf returns the offset of the record that an event is from.
func offsetOf(it sinks.Item) int64 {
	source := it["source"].Str()
	n, _ := strconv.ParseInt(source[strings.LastIndexByte(source, '/')+1:], 10, 64) // The pipeline writes nothing else.
	return n
}
