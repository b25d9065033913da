package passing

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/urlquery"
	"github.com/footfall/footfall/query/filters"
	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/query/internal/sitetable"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/int128"
)

// A GoalScan finds the raw events that reach goals of a site. A session reaches a goal once, by the first event of the log that matches,
// but for goals by duration: see reach. That event is a conversion if it passes the filters.
type GoalScan struct {
	span  calendar.Span
	Goals []scannedGoal
}

// A scannedGoal is a goal with its conversions.
type scannedGoal struct {
	sites.Goal
	chosen     bool              // conversions of sessions include its own
	from       int64             // as in sitetable.Table.GoalFrom
	All, Later sitetable.GoalSum // of the range, and from then on
	Sums       *Sums             // of what passes from then on; nil: that is all of the range
}

// NewGoalScan makes a scan of a range for the goals of the site.
func NewGoalScan(ctx context.Context, t sitetable.Table, s calendar.Span) (*GoalScan, error) {
	all, err := t.GoalsOf(ctx, t.Site, t.Consistent)
	if err != nil {
		return nil, err
	}
	g := &GoalScan{span: s}
	for _, goal := range all {
		if goal.Deleted {
			continue
		}
		own := scannedGoal{Goal: goal.Goal, from: t.GoalFrom(goal.Since)}
		if own.from > s.From {
			own.Sums = NewSums()
		}
		g.Goals = append(g.Goals, own)
	}
	slices.SortFunc(g.Goals, func(a, b scannedGoal) int { return cmp.Compare(a.N, b.N) })
	return g, nil
}

// And adds to sums those of goals that began in the range, as far as something of this time counts in them.
func (g *GoalScan) And(sums []*Sums, at int64) []*Sums {
	if g == nil {
		return sums
	}
	for i := range g.Goals {
		if goal := &g.Goals[i]; goal.Sums != nil && at >= goal.from {
			sums = append(sums, goal.Sums)
		}
	}
	return sums
}

// reach notes which goals a session reaches by an event, which has been folded into it. Events come in the order of event time. That of
// the log decides which one reaches a goal first; for how long a session has lasted, event time does.
func (g *GoalScan) reach(s *filterSession, it sinks.Item, at int64, passes bool) {
	var typ, name, page []byte
	for i := range g.Goals {
		goal := &g.Goals[i]
		if at < goal.Since || goal.Inactive {
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
		if !goal.ReachedBy(typ, name, page, s.end-s.start) {
			continue
		}
		r := reachedGoal{offset: offsetOf(it), at: at, goal: int32(i), passes: passes} //nolint:gosec // A site has few goals.
		has := it["value"].Kind() != sinks.None
		value := int64(0)
		if has {
			value = micros(it["value"].Str())
		}
		r.micros, _ = goal.ValueOf(value, has)
		s.reach(r, goal.DurationMs > 0)
	}
}

// converts reports whether a session that has ended has reached the goal of that id within the range.
func (g *GoalScan) converts(s *filterSession, id string) bool {
	return slices.ContainsFunc(s.reached, func(r reachedGoal) bool { return g.Goals[r.goal].ID == id && g.span.Has(r.at) })
}

// end counts what a session has reached, once it is known whether it passes the filters.
func (g *GoalScan) end(s *filterSession) {
	g.addTo(s)
	for _, r := range s.reached {
		if !r.passes || !s.source || !g.span.Has(r.at) {
			continue
		}
		goal := &g.Goals[r.goal]
		goal.All.Plus(r.micros)
		if r.at >= goal.from {
			goal.Later.Plus(r.micros)
		}
	}
	s.reached = nil
}

// offsetOf returns the offset of the record that an event is from.
func offsetOf(it sinks.Item) int64 {
	source := it["source"].Str()
	n, _ := strconv.ParseInt(source[strings.LastIndexByte(source, '/')+1:], 10, 64) // The pipeline writes nothing else.
	return n
}

// choose has the conversions of sessions be those of the goals that filters ask for, or of all active ones if none does.
func (g *GoalScan) choose(p filters.Params) {
	asked := slices.ContainsFunc(p.Where, filters.Condition.Converts)
	for i := range g.Goals {
		goal := &g.Goals[i]
		goal.chosen = !goal.Inactive && (!asked || slices.ContainsFunc(p.Where, func(c filters.Condition) bool {
			return c.Converts() && c.Has(goal.ID)
		}))
	}
}

// Chosen are the ids of the goals that conversions of sessions are of.
func (g *GoalScan) Chosen() []string {
	ids := []string{}
	if g == nil {
		return ids
	}
	for _, goal := range g.Goals {
		if goal.chosen {
			ids = append(ids, goal.ID)
		}
	}
	return ids
}

// Rated reports whether one of the goals has been there since the range began.
func (g *GoalScan) Rated() bool {
	return slices.ContainsFunc(g.Goals, func(goal scannedGoal) bool {
		return goal.chosen && goal.Since <= g.span.From
	})
}

// addTo adds the conversions of a session to what it counts in.
func (g *GoalScan) addTo(s *filterSession) {
	n, worth := int64(0), int128.Int{}
	for _, r := range s.reached {
		if g.Goals[r.goal].chosen {
			n++
			worth = worth.Plus(int128.From(r.micros))
		}
	}
	if n == 0 {
		return
	}
	for _, sums := range s.counted {
		sums.Conversions += n
		sums.Converted++
		sums.Worth = sums.Worth.Plus(worth)
	}
}
