package query

import (
	"context"
	"fmt"
	"time"

	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/query/internal/numbers"
	"github.com/footfall/footfall/query/internal/sitetable"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/int128"
)

// GoalsParams ask for the goals of a site.
type GoalsParams struct {
	Site       string
	Deleted    bool // include deleted goals
	Consistent bool // strongly consistent reads, at twice the cost
	Paging
}

// GoalsAnswer lists goals in the order of their ids, in which keys escape special characters.
type GoalsAnswer struct {
	Site string `json:"siteId"`
	Known
	Goals  []Goal `json:"goals"`
	Cursor string `json:"cursor"` // of the next page; "": this is the last
}

// Goal is the definition of a goal: an event or a duration that sessions can reach.
type Goal struct {
	ID         string  `json:"goalId"`
	Number     uint64  `json:"number"` // identifies it in the counters; never given to another goal
	Name       string  `json:"name"`
	On         string  `json:"on"`         // the pattern of events that reach it; "": it is a duration
	DurationMs int64   `json:"durationMs"` // of a session that reaches it, in ms; 0: it is an event
	Value      *string `json:"value"`      // of a conversion, a decimal; null: the value of the event, if it has one
	Active     bool    `json:"active"`
	Deleted    bool    `json:"deleted"`
	Revision   int64   `json:"revision"` // of the site settings, as of its last change
	// Since is when it was created, or first made active. Earlier events did not reach it. null: the site had no figures then, so that
	// the goal counts from the beginning.
	Since *time.Time `json:"since"`
}

func readGoal(t *sitetable.Store) func(sinks.Item) (Goal, error) {
	return func(it sinks.Item) (Goal, error) {
		g, err := t.ReadGoal(it)
		return goalOf(g), err
	}
}

func goalOf(g sitetable.StoredGoal) Goal {
	goal := Goal{ID: g.ID, Number: g.N, Name: g.Name, DurationMs: g.DurationMs, Active: !g.Inactive, Deleted: g.Deleted, Revision: g.Revision,
		Since: instantOf(g.Since)}
	if g.DurationMs == 0 {
		goal.On = g.On.String()
	}
	if g.Value != nil {
		goal.Value = new(numbers.Decimal(int128.From(*g.Value)))
	}
	return goal
}

// Goals lists the goals of a site.
func (r *Reader) Goals(ctx context.Context, p GoalsParams) (GoalsAnswer, error) {
	return ask(ctx, r, p, answerGoals, "goals of site %q", p.Site)
}

func answerGoals(ctx context.Context, t *sitetable.Store, p GoalsParams) (GoalsAnswer, error) {
	if err := sitetable.CheckID("site", p.Site); err != nil {
		return GoalsAnswer{}, err
	}
	list, err := sitetable.NewListing(p.Paging, "goals", p.Site, fmt.Sprint(p.Deleted))
	if err != nil {
		return GoalsAnswer{}, err
	}
	q := sinks.Query{From: sinks.GoalPrefix, To: sinks.GoalPrefix + "~", Desc: p.Desc, Consistent: p.Consistent}
	keep := func(it sinks.Item) bool { return p.Deleted || it[sinks.AttrDeleted].Int() == 0 }
	a := GoalsAnswer{Site: p.Site}
	walk := t.Walk(q, list.Limit, list.Cursor.Position(), sinks.Decided(p.Site))
	if a.Goals, a.Cursor, err = sitetable.Definitions(ctx, walk, list, calendar.Span{}, keep, readGoal(t)); err != nil {
		return GoalsAnswer{}, err
	}
	a.SiteKnown, err = t.Known(ctx, p.Site, len(a.Goals) > 0)
	return a, err
}

// GoalParams ask for one goal.
type GoalParams struct {
	Site, Goal string
	Consistent bool // strongly consistent reads, at twice the cost
}

// GoalAnswer is a goal. Goal is null if the site has never had it. A deleted goal is returned with Deleted set.
type GoalAnswer struct {
	Site string `json:"siteId"`
	Known
	GoalID string `json:"goalId"`
	Goal   *Goal  `json:"goal"`
}

// Goal reads one goal of a site, deleted or not.
func (r *Reader) Goal(ctx context.Context, p GoalParams) (GoalAnswer, error) {
	return ask(ctx, r, p, answerGoal, "goal %q of site %q", p.Goal, p.Site)
}

func answerGoal(ctx context.Context, t *sitetable.Store, p GoalParams) (GoalAnswer, error) {
	a := GoalAnswer{Site: p.Site, GoalID: p.Goal}
	g, err := loadGoal(ctx, t, p)
	if err != nil {
		return a, err
	}
	a.Goal = g
	a.SiteKnown, err = t.Known(ctx, p.Site, g != nil)
	return a, err
}

// loadGoal reads a goal; nil: there is none, nor was there.
func loadGoal(ctx context.Context, t *sitetable.Store, p GoalParams) (*Goal, error) {
	if err := sitetable.CheckID("site", p.Site); err != nil {
		return nil, err
	}
	if err := sitetable.CheckID("goal", p.Goal); err != nil {
		return nil, err
	}
	it, err := t.Get(ctx, t.Keys.Goal(p.Site, p.Goal), p.Consistent)
	if err != nil || it == nil {
		return nil, err
	}
	g, err := readGoal(t)(it)
	return &g, err
}

// GoalStatsAnswer holds the conversions of a site for each bucket of the range that has any data, and totals. A conversion belongs to
// the bucket of its event, a session to the bucket in which it started: some sessions reach a goal in a later bucket than they started in.
type GoalStatsAnswer struct {
	Site string `json:"siteId"`
	Known
	By      By           `json:"by"`
	Zone    string       `json:"timeZone"`
	From    time.Time    `json:"from"`
	To      time.Time    `json:"to"`      // exclusive
	Buckets []GoalBucket `json:"buckets"` // each with the goals that were reached in it
	// Totals are the figures of the whole range, with all goals that exist or were reached. Only the first page has them; null on others.
	Totals         *GoalTotals `json:"totals"`
	Incomplete     bool        `json:"dataExpired"` // the totals are or may be too low, as in StatsAnswer
	ExpiredOmitted int         `json:"expiredCount"`
	Cursor         string      `json:"cursor"` // of the next page; "": this is the last
	Coverage
}

// GoalBucket is a bucket with its conversions. Its first fields are those of [Bucket].
type GoalBucket struct {
	Start      time.Time `json:"start"`
	End        time.Time `json:"end"`
	Partial    bool      `json:"clippedByRange"`
	InProgress bool      `json:"inProgress"`
	Incomplete bool      `json:"dataExpired"`
	GoalTotals
}

// GoalTotals are the sessions and conversions of a bucket or a range.
type GoalTotals struct {
	Sessions    int64         `json:"sessions"`
	Conversions int64         `json:"conversions"` // of all goals
	Goals       []GoalFigures `json:"goals"`       // in the order of their numbers
}

// GoalFigures are the conversions of one goal.
type GoalFigures struct {
	ID             string   `json:"goalId"` // "": it was deleted, and another goal has its id now
	Number         uint64   `json:"number"`
	Name           string   `json:"name"`
	Deleted        bool     `json:"deleted"`
	Conversions    int64    `json:"conversions"`
	ValueSum       string   `json:"valueSum"`       // their exact sum, a decimal
	ConversionRate *float64 `json:"conversionRate"` // ConversionsSince divided by SessionsSince, at most 1; null: no sessions
	// Since is as in Goal. SessionsSince and ConversionsSince are those of the bucket or range, from the first hour that begins at or
	// after it.
	Since            *time.Time `json:"since"`
	SessionsSince    int64      `json:"sessionsSince"`
	ConversionsSince int64      `json:"conversionsSince"`
}

// GoalStats reads the conversions of a site over a range, in the same buckets as Stats. Compare, Fill and IncludeBots are
// ignored.
func (r *Reader) GoalStats(ctx context.Context, p StatsParams) (GoalStatsAnswer, error) {
	return ask(ctx, r, p, answerGoalStats, "goals of site %q", p.Site)
}

func answerGoalStats(ctx context.Context, t *sitetable.Store, p StatsParams) (GoalStatsAnswer, error) {
	p.Compare, p.Fill, p.IncludeBots = false, false, false
	stats, err := answerStats(ctx, t, p)
	if err != nil {
		return GoalStatsAnswer{}, err
	}
	goals, err := allGoals(ctx, t, p.Site, p.Consistent)
	if err != nil {
		return GoalStatsAnswer{}, err
	}
	a := GoalStatsAnswer{Coverage: stats.Coverage, Site: stats.Site, Known: stats.Known, By: stats.By, Zone: stats.Zone, From: stats.From,
		To: stats.To, Buckets: []GoalBucket{}, Incomplete: stats.Incomplete, ExpiredOmitted: stats.ExpiredOmitted, Cursor: stats.Cursor}
	table, _, err := t.Open(ctx, p.Site, p.Consistent)
	if err != nil {
		return GoalStatsAnswer{}, err
	}
	report := goalReport{table: table, goals: goals, read: make(map[calendar.Span]sitetable.Sums)}
	asked := calendar.Span{From: a.From.UnixMilli(), To: a.To.UnixMilli()}
	for _, b := range stats.Buckets {
		totals, err := report.totals(ctx, reachedGoals{b.Sessions, b.Conversions, b.goals},
			asked.In(calendar.Span{From: b.Start.UnixMilli(), To: b.End.UnixMilli()}), b.goals.Numbers())
		if err != nil {
			return GoalStatsAnswer{}, err
		}
		a.Buckets = append(a.Buckets, GoalBucket{Start: b.Start, End: b.End, Partial: b.Partial, InProgress: b.InProgress,
			Incomplete: b.Incomplete, GoalTotals: totals})
	}
	if stats.Totals != nil {
		totals, err := report.totals(ctx, reachedGoals{stats.Totals.Sessions, stats.Totals.Conversions, stats.goals}, asked,
			shownGoals(goals, stats.goals))
		if err != nil {
			return GoalStatsAnswer{}, err
		}
		a.Totals = &totals
	}
	return a, nil
}

// allGoals reads the goals of a site by number, those that were deleted among them.
func allGoals(ctx context.Context, t *sitetable.Store, site string, consistent bool) (map[uint64]Goal, error) {
	all, err := t.GoalsOf(ctx, site, consistent)
	if err != nil {
		return nil, err
	}
	goals := make(map[uint64]Goal)
	for _, g := range all {
		goals[g.N] = goalOf(g)
	}
	return goals, nil
}
