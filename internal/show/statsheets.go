package show

import (
	"fmt"
	"strconv"
	"time"

	"github.com/footfall/footfall/query"
)

func (a statsView) sheets() []sheet {
	sheets := []sheet{a.rows()}
	if a.Previous != nil {
		sheets = []sheet{a.changes(), a.rows()}
		if a.Previous.Totals != nil {
			sheets = append(sheets, a.comparison())
		}
	}
	sheets[len(sheets)-1].legend = a.estimates()
	return sheets
}

// estimates says how exact the answer's numbers of visitors are at worst, and those of returning ones, which are differences of others.
func (a statsView) estimates() string {
	var visitors, returning float64
	see := func(f query.Figures) {
		visitors, returning = max(visitors, f.VisitorsError), max(returning, f.ReturningError)
	}
	if a.Totals != nil {
		see(*a.Totals)
	}
	if a.Previous != nil && a.Previous.Totals != nil {
		see(*a.Previous.Totals)
	}
	for _, b := range a.Buckets {
		see(b.Figures) // The bucket before is shown by its change alone.
	}
	if visitors == 0 || returning == 0 {
		return aboutEstimates(max(visitors, returning))
	}
	return fmt.Sprintf("%s Returning visitors: %.2f %%.", aboutEstimates(visitors), 100*returning)
}

// rows is a line for each bucket. What differs from the range before is said in people's cells.
func (a statsView) rows() sheet {
	s := sheet{title: fmt.Sprintf("%s by %s, %s", a.about(), a.By, spanText(&a.From, &a.To)), none: noneLeft(a.Stored), barOf: "pageViews"}
	if a.Previous != nil {
		s.title += ", compared with " + spanText(&a.Previous.From, &a.Previous.To)
	}
	start := "Start (" + a.Zone + ")"
	if a.Zone == query.OwnZones {
		start = "Start (own zones)"
	}
	s.columns = append(append([]column{{"start", start, false}}, a.figureColumns()...),
		column{"end", "", false}, column{"clippedByRange", "", false}, column{"inProgress", "", false}, column{"dataExpired", "", false},
		column{"completeThrough", "", false}, column{"final", "", false})
	for _, b := range a.Buckets {
		row := append([]cell{a.bucketCell(b)}, annotated(b.Figures, b.Change)...)
		s.rows = append(s.rows, append(row, timeCell(&b.End, toMinute), boolCell(b.Partial), boolCell(b.InProgress), boolCell(b.Incomplete),
			timeCell(b.CompleteThrough, toSecond), boolCell(b.Final)))
	}
	if a.Totals != nil {
		var change *query.Changes
		if a.Previous != nil {
			change = a.Previous.Change
		}
		label := textCell("Total" + marks(mark{a.InProgress, " (so far)"}, mark{a.Incomplete, " (data expired)"}))
		s.footers = [][]cell{append(append([]cell{label}, annotated(*a.Totals, change)...), cell{}, cell{}, cell{}, cell{}, cell{}, cell{})}
	}
	return s
}

// about names the site, or the sites together.
func (a statsView) about() string {
	if a.Included == nil {
		return "Site " + a.Site
	}
	return aboutSites(*a.Included)
}

func aboutSites(of query.SitesIncluded) string {
	if of.Owner == "" {
		return "All sites"
	}
	return "Sites of " + of.Owner
}

// annotated shows figures, and how far they are from others if change is given.
func annotated(f query.Figures, change *query.Changes) []cell {
	if change == nil {
		return figureCells(f)
	}
	return beside(figureCells(f), changeCells(*change))
}

// bucketCell names a bucket by its start, and says what is special about it.
func (a statsView) bucketCell(b query.Bucket) cell {
	layout := toMinute
	switch {
	case a.By == query.Hour && a.Zone != time.UTC.String():
		layout += " -07:00" // An hour comes twice when clocks are set back.
	case a.By == query.Day || a.By == query.Week:
		layout = toDay
	case a.By == query.Month:
		layout = "2006-01"
	case a.By == query.Year:
		layout = "2006"
	}
	c := timeCell(&b.Start, layout)
	if a.By == query.Week {
		_, week := b.Start.ISOWeek()
		c.table += fmt.Sprintf(" (W%02d)", week)
	}
	if b.Hours > 0 {
		c.table += " (" + strconv.FormatFloat(b.Hours, 'f', -1, 64) + " h)"
	}
	c.table += marks(mark{b.Partial, " (clipped by range)"}, mark{b.InProgress, " (so far)"}, mark{b.Incomplete, " (data expired)"})
	return c
}

// A mark says what is special about a figure, if it is on.
type mark struct {
	on   bool
	text string
}

func marks(all ...mark) (text string) {
	for _, m := range all {
		if m.on {
			text += m.text
		}
	}
	return text
}

// comparison is a line for each figure: the totals of both ranges.
func (a statsView) comparison() sheet {
	return comparisonSheet(a.figureColumns(), figureCells(*a.Totals), figureCells(*a.Previous.Totals), changeCells(*a.Previous.Change))
}

// changes is for programs: a line for each figure of both ranges, and for each of every two buckets that are compared.
func (a statsView) changes() sheet {
	s := changesSheet()
	add := func(of string, now, before query.Bucket, change query.Changes) {
		s.addChanges(figureColumns, of, comparedSpans{now.Start, now.End, before.Start, before.End}, figureCells(now.Figures),
			figureCells(before.Figures), changeCells(change), boolCell(now.Partial || before.Partial), boolCell(now.InProgress),
			boolCell(now.Incomplete || before.Incomplete))
	}
	if a.Totals != nil {
		add("range", query.Bucket{Start: a.From, End: a.To, InProgress: a.InProgress, Incomplete: a.Incomplete, Figures: *a.Totals},
			query.Bucket{Start: a.Previous.From, End: a.Previous.To, Incomplete: a.Previous.Incomplete, Figures: *a.Previous.Totals},
			*a.Previous.Change)
	}
	for _, b := range a.Buckets {
		if b.Change != nil {
			add("bucket", b, *b.Previous, *b.Change)
		}
	}
	return s
}
