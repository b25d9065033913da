package show

import (
	"strings"
	"time"
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

// noChange is of figures that are not compared.
var noChange = changeCell{absolute: unknown, relative: unknown}

// pointsChange shows a change of percentages, whose difference is one of points.
func pointsChange(absolute cell, relative *float64) changeCell {
	absolute.table = strings.Replace(absolute.table, " %", " points", 1)
	return changeCell{plus(absolute), relativeCell(relative), true}
}

// plus shows people the sign of what has grown, and none of what is shown as 0.
func plus(c cell) cell {
	switch {
	case c.csv == "":
	case !strings.ContainsAny(c.table, "123456789"): // It is rounded to nothing.
		c.table = strings.TrimPrefix(c.table, "-")
	case c.csv[0] != '-':
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
