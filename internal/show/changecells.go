package show

import (
	"strings"
	"time"

	"github.com/footfall/footfall/query"
)

// A changeCell shows a change: the difference, and the difference in relation. Of percentages, the difference is in points.
type changeCell struct {
	absolute, relative cell
	points             bool
}

// beside is the change as it is shown beside the figure; unknown: it is not.
func (c changeCell) beside() cell {
	if c.points && c.relative != unknown { // Otherwise there is nothing to compare with.
		return c.absolute
	}
	return c.relative
}

// plainChange shows a difference as it is.
func plainChange(absolute cell, relative *float64) changeCell {
	return changeCell{plus(absolute), relativeCell(relative), false}
}

func countChange(c query.Change[int64]) changeCell {
	return plainChange(intCell(c.Absolute), c.Relative)
}

// knownChange shows a change of a number that may be unknown.
func knownChange(c query.Change[*int64]) changeCell {
	return plainChange(knownCell(c.Absolute), c.Relative)
}

// noChange is of figures that are not compared.
var noChange = changeCell{absolute: unknown, relative: unknown}

// changeCells are the changes of figureCells.
func changeCells(c query.Changes) []changeCell {
	return []changeCell{countChange(c.PageViews), countChange(c.Events), knownChange(c.UniqueVisitors), noChange,
		knownChange(c.NewVisitors), knownChange(c.ReturningVisitors), noChange,
		countChange(c.Sessions), countChange(c.Bounces), pointsCell(c.BounceRate), countChange(c.Engaged), pointsCell(c.EngagementRate),
		countChange(c.DurationMs),
		plainChange(durationCell(c.AvgDurationMs.Absolute), c.AvgDurationMs.Relative),
		plainChange(ratioCell(c.PagesPerSession.Absolute), c.PagesPerSession.Relative),
		countChange(c.Values), plainChange(textCell(c.ValueSum.Absolute), c.ValueSum.Relative),
		plainChange(decimalCell(c.ValueMin.Absolute), c.ValueMin.Relative),
		plainChange(decimalCell(c.ValueMax.Absolute), c.ValueMax.Relative), countChange(c.Conversions),
		countChange(c.ForeignEvents), countChange(c.OverBudgetEvents), countChange(c.ExcludedEvents), countChange(c.ExcludedPageViews),
		countChange(c.BotEvents), countChange(c.BotPageViews)}
}

// pointsCell shows a change of percentages, whose difference is one of points.
func pointsCell(c query.Change[*float64]) changeCell {
	p := percentCell(c.Absolute)
	p.table = strings.Replace(p.table, " %", " points", 1)
	return changeCell{plus(p), relativeCell(c.Relative), true}
}

// plus shows people the sign of what has grown.
func plus(c cell) cell {
	if c.csv != "" && c.csv != "0" && !strings.HasPrefix(c.csv, "-") {
		c.table = "+" + c.table
	}
	return c
}

func relativeCell(r *float64) cell { return plus(percentCell(r)) }

// beside adds changes to the figures that they are of, as far as they are known.
func beside(cells []cell, changes []changeCell) []cell {
	for i, c := range changes {
		if by := c.beside(); by != unknown {
			cells[i].table += " (" + by.table + ")"
		}
	}
	return cells
}

func comparisonSheet(columns []column, now, before []cell, changes []changeCell) sheet {
	s := sheet{title: "Totals of both ranges", columns: []column{{"figure", "Figure", false},
		{"now", "Now", true}, {"previous", "Before", true}, {"absolute", "Change", true}, {"relative", "Relative", true}}}
	for i, c := range columns {
		if c.title != "" {
			s.rows = append(s.rows, []cell{textCell(c.title), now[i], before[i], changes[i].absolute, changes[i].relative})
		}
	}
	return s
}

func changesSheet() sheet {
	return sheet{columns: []column{{"of", "", false}, {"start", "", false}, {"end", "", false}, {"previousStart", "", false},
		{"previousEnd", "", false}, {"figure", "", false}, {"now", "", true}, {"previous", "", true}, {"absolute", "", true},
		{"relative", "", true}, {"clippedByRange", "", false}, {"inProgress", "", false}, {"dataExpired", "", false}}}
}

// comparedSpans are a range or bucket and the one that it is compared with.
type comparedSpans struct{ from, to, beforeFrom, beforeTo time.Time }

// addChanges adds a line for each figure. marks are the last columns.
func (s *sheet) addChanges(columns []column, of string, at comparedSpans, now, before []cell, changes []changeCell, marks ...cell) {
	for i, figure := range columns {
		s.rows = append(s.rows, append([]cell{textCell(of), timeCell(&at.from, toMinute), timeCell(&at.to, toMinute),
			timeCell(&at.beforeFrom, toMinute), timeCell(&at.beforeTo, toMinute), textCell(figure.name), now[i], before[i], changes[i].absolute,
			changes[i].relative}, marks...))
	}
}
