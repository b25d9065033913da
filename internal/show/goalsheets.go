package show

import (
	"fmt"
	"slices"
	"time"

	"github.com/footfall/footfall/query"
)

// conversionColumn is shown to people where there are conversions.
var conversionColumn = column{"conversions", "Conversions", true}

func (a goalsView) notes() []string { return remarks(a.Site, a.SiteKnown, 0, a.Cursor) }

func (a goalsView) sheets() []sheet { return []sheet{goalSheet("Goals of site "+a.Site, a.Goals)} }

func (a goalView) notes() []string {
	notes := remarks(a.Site, a.SiteKnown, 0, "")
	if a.SiteKnown && a.Goal == nil {
		notes = append(notes, unknownGoal)
	}
	return notes
}

const unknownGoal = "The site has never had this goal: footfall goal list lists its goals."

func (a goalView) sheets() []sheet {
	var goals []query.Goal
	if a.Goal != nil {
		goals = []query.Goal{*a.Goal}
	}
	return []sheet{goalSheet(fmt.Sprintf("Goal %s of site %s", a.GoalID, a.Site), goals)}
}

func goalSheet(title string, goals []query.Goal) sheet {
	s := sheet{title: title, none: "None.", columns: []column{{"goalId", "Goal", false}, {"number", "Number", true},
		{"name", "Name", false},
		{"on", "Reached by", false}, {"durationMs", "", true}, {"value", "Value", true}, {"active", "Active", false},
		{"deleted", "Deleted", false},
		{"revision", "Revision", true}, {"since", "Since (UTC)", false}}}
	for _, g := range goals {
		on := textCell(g.On)
		if g.DurationMs > 0 {
			on.table = "a session of " + (time.Duration(g.DurationMs) * time.Millisecond).String()
		}
		s.rows = append(s.rows, []cell{textCell(g.ID), intCell(g.Number), textCell(g.Name), on, intCell(g.DurationMs), optionalCell(g.Value),
			boolCell(g.Active), boolCell(g.Deleted), intCell(g.Revision), sinceCell(g.Since)})
	}
	return s
}

// sinceCell shows since when a goal counts; nil: from the beginning.
func sinceCell(t *time.Time) cell {
	if t == nil {
		return cell{"", "the beginning"}
	}
	return timeCell(t, toSecond)
}

// optionalCell shows a text; nil is none.
func optionalCell(s *string) cell {
	if s == nil {
		return unknown
	}
	return textCell(*s)
}

func (a conversionsView) notes() []string {
	notes := remarks(a.Site, a.SiteKnown, a.ExpiredOmitted, a.Cursor)
	switch {
	case a.SiteKnown && a.Goal == nil:
		notes = append(notes, unknownGoal)
	case a.Goal != nil && a.Goal.Deleted:
		notes = append(notes, "The goal was deleted: these are the conversions that it had.")
	}
	return notes
}

func (a conversionsView) sheets() []sheet {
	s := sheet{title: fmt.Sprintf("Conversions of goal %s of site %s, %s", a.GoalID, a.Site, spanText(a.From, a.To)), none: "None.",
		columns: []column{{"at", "Time (UTC)", false}, {"sessionId", "Session", false}, {"visitorId", "Visitor", false},
			{"userId", "User", false},
			{"type", "Type", false}, {"name", "Name", false}, {"page", "Page", false}, {"value", "Value", true}, {"source", "", false},
			{"partition", "", false}}, ids: true, minor: []string{"userId", "visitorId", "type"}}
	for _, c := range a.Conversions {
		s.rows = append(s.rows, []cell{timeCell(&c.At, toSecond), textCell(c.SessionID), textCell(c.VisitorID), textCell(c.UserID),
			textCell(c.Type),
			textCell(c.Name), textCell(c.Page), optionalCell(c.Value), textCell(c.Source), textCell(c.Partition)})
	}
	return []sheet{s}
}

func (a goalStatsView) notes() []string {
	incomplete := a.Incomplete
	for _, b := range a.Buckets {
		incomplete = incomplete || b.Incomplete
	}
	var notes []string
	if incomplete {
		notes = append(notes, "Figures marked \"data expired\" are or may be too low: some of their hours or days have expired.")
	}
	return append(notes, remarks(a.Site, a.SiteKnown, a.ExpiredOmitted, a.Cursor)...)
}

// goalColumns are those of goalCells.
var goalColumns = []column{{"goalId", "Goal", false}, {"number", "Number", true}, {"name", "Name", false}, {"deleted", "Deleted", false},
	conversionColumn, {"valueSum", "Value sum", true}, {"sessions", "Sessions", true}, {"since", "Since (UTC)", false},
	{"sessionsSince", "Sessions since", true}, {"conversionsSince", "", true}, {"conversionRate", "Conversion rate", true}}

func goalCells(g query.GoalFigures, sessions int64) []cell {
	return []cell{textCell(g.ID), intCell(g.Number), textCell(g.Name), boolCell(g.Deleted), intCell(g.Conversions), textCell(g.ValueSum),
		intCell(sessions), sinceCell(g.Since), intCell(g.SessionsSince), intCell(g.ConversionsSince), percentCell(g.ConversionRate)}
}

// anySince reports whether a goal began after the site did.
func (a goalStatsView) anySince() bool {
	began := func(t query.GoalTotals) bool {
		return slices.ContainsFunc(t.Goals, func(g query.GoalFigures) bool { return g.Since != nil })
	}
	return a.Totals != nil && began(*a.Totals) || slices.ContainsFunc(a.Buckets, func(b query.GoalBucket) bool { return began(b.GoalTotals) })
}

func (a goalStatsView) sheets() []sheet {
	columns := shown(goalColumns, a.anySince(), goalColumns[7], goalColumns[8])
	rows := sheet{title: fmt.Sprintf("Goals of site %s by %s, %s", a.Site, a.By, spanText(&a.From, &a.To)), none: "None was reached.",
		columns: append(append([]column{{"start", "Start (" + a.Zone + ")", false}, {"end", "", false}}, columns...),
			column{"clippedByRange", "", false}, column{"inProgress", "", false}, column{"dataExpired", "", false})}
	for _, b := range a.Buckets {
		for _, g := range b.Goals {
			start := statsView{By: a.By, Zone: a.Zone}.bucketCell(query.Bucket{Start: b.Start, Partial: b.Partial, InProgress: b.InProgress,
				Incomplete: b.Incomplete})
			row := append([]cell{start, timeCell(&b.End, toMinute)}, goalCells(g, b.Sessions)...)
			rows.rows = append(rows.rows, append(row, boolCell(b.Partial), boolCell(b.InProgress), boolCell(b.Incomplete)))
		}
	}
	if a.Totals == nil {
		return []sheet{rows}
	}
	totals := sheet{title: "In all", none: "The site has no goals.", columns: columns}
	for _, g := range a.Totals.Goals {
		totals.rows = append(totals.rows, goalCells(g, a.Totals.Sessions))
	}
	return []sheet{rows, totals}
}
