package show

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/footfall/footfall/query"
)

// figureColumns are the columns of figureCells and changeCells.
var figureColumns = append([]column{{"pageViews", "Page views", true}, {"events", "Events", true}, {"uniqueVisitors", "Visitors", true},
	{"uniqueVisitorsError", "", true}, newColumns[0], newColumns[1], {"returningVisitorsError", "", true},
	{"sessions", "Sessions", true}, {"bounces", "", true}, {"bounceRate", "Bounce rate", true},
	{"engaged", "", true},
	{"engagementRate", "Engagement rate", true}, {"durationMs", "", true}, {"avgDurationMs", "Avg duration", true},
	{"pagesPerSession", "Pages/session", true}, valueColumns[0], valueColumns[1], extremeColumns[0],
	extremeColumns[1], conversionColumn, foreignColumn, overColumn, excludedColumns[0], excludedColumns[1]}, botColumns...)

func figureCells(f query.Figures) []cell {
	return []cell{intCell(f.PageViews), intCell(f.Events), estimateCell(f.UniqueVisitors, f.VisitorsError), percentCell(&f.VisitorsError),
		newCell(f), estimateCell(f.ReturningVisitors, f.ReturningError), percentCell(&f.ReturningError),
		intCell(f.Sessions), intCell(f.Bounces), percentCell(f.BounceRate), intCell(f.Engaged), percentCell(f.EngagementRate),
		intCell(f.DurationMs),
		durationCell(f.AvgDurationMs), ratioCell(f.PagesPerSession), intCell(f.Values), textCell(f.ValueSum), decimalCell(f.ValueMin),
		decimalCell(f.ValueMax), intCell(f.Conversions),
		intCell(f.ForeignEvents), intCell(f.OverBudgetEvents), intCell(f.ExcludedEvents), intCell(f.ExcludedPageViews),
		intCell(f.BotEvents), intCell(f.BotPageViews)}
}

// valueColumns have a title where there are values.
var valueColumns = []column{{"values", "Values", true}, {"valueSum", "Value sum", true}}

// extremeColumns have a title where the values are known.
var extremeColumns = []column{{"valueMin", "Least value", true}, {"valueMax", "Greatest value", true}}

// decimalCell shows a decimal that may be unknown.
func decimalCell(d *string) cell {
	if d == nil {
		return unknown
	}
	return textCell(*d)
}

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

func changeCells(c query.Changes) []changeCell {
	count := func(c query.Change[int64]) changeCell {
		return changeCell{plus(intCell(c.Absolute)), relativeCell(c.Relative), false}
	}
	visitors := func(c query.Change[*int64]) changeCell {
		if c.Absolute == nil {
			return changeCell{absolute: unknown, relative: relativeCell(c.Relative)}
		}
		return changeCell{plus(intCell(*c.Absolute)), relativeCell(c.Relative), false}
	}
	plain := func(absolute cell, relative *float64) changeCell {
		return changeCell{plus(absolute), relativeCell(relative), false}
	}
	none := changeCell{absolute: unknown, relative: unknown}
	return []changeCell{count(c.PageViews), count(c.Events), visitors(c.UniqueVisitors), none,
		visitors(c.NewVisitors), visitors(c.ReturningVisitors), none,
		count(c.Sessions), count(c.Bounces), pointsCell(c.BounceRate), count(c.Engaged), pointsCell(c.EngagementRate), count(c.DurationMs),
		plain(durationCell(c.AvgDurationMs.Absolute), c.AvgDurationMs.Relative),
		plain(ratioCell(c.PagesPerSession.Absolute), c.PagesPerSession.Relative),
		count(c.Values), plain(textCell(c.ValueSum.Absolute), c.ValueSum.Relative),
		plain(decimalCell(c.ValueMin.Absolute), c.ValueMin.Relative),
		plain(decimalCell(c.ValueMax.Absolute), c.ValueMax.Relative), count(c.Conversions),
		count(c.ForeignEvents), count(c.OverBudgetEvents), count(c.ExcludedEvents), count(c.ExcludedPageViews),
		count(c.BotEvents), count(c.BotPageViews)}
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

func (a statsView) notes() []string {
	var notes []string
	incomplete := a.Incomplete || a.Previous != nil && a.Previous.Incomplete
	for _, b := range a.Buckets {
		incomplete = incomplete || b.Incomplete || b.Previous != nil && b.Previous.Incomplete
	}
	if incomplete && len(a.Buckets) > 0 {
		notes = append(notes, "Figures marked \"data expired\" are or may be too low: some of their hours or days have expired.")
	}
	if a.Previous != nil && a.Previous.Incomplete {
		notes = append(notes, "Data of the previous range has expired.")
	}
	if a.Previous != nil && a.Previous.DataFrom != nil {
		notes = append(notes, dataFromNote(*a.Previous.DataFrom))
	}
	if a.marksInProgress() {
		notes = append(notes, soFarNote+a.comparedSoFar())
	}
	if slices.ContainsFunc(a.Buckets, func(b query.Bucket) bool { return b.Hours > 0 }) {
		notes = append(notes, "A change of the site's zone made the rows that show their hours shorter or longer.")
	}
	if a.Previous != nil && !a.Previous.ByBucket {
		notes = append(notes, unpairedNote)
	}
	notes = append(notes, a.aboutNew()...)
	notes = append(notes, covered(a.Coverage)...)
	notes = append(append(notes, includedNote(a.Included)...), newOfSites(a.Included)...)
	notes = append(notes, aboutBots(a.IncludesBots)...)
	notes = append(append(notes, strangerNote(a.Included, a.SiteKnown)...), whereStored(a.Stored)...)
	return append(notes, remarks(a.Site, a.SiteKnown || a.Included != nil, a.ExpiredOmitted, a.Cursor)...)
}

// marksInProgress reports whether a figure is marked as of a time that is not over.
func (a statsView) marksInProgress() bool {
	return a.InProgress && a.Totals != nil && len(a.Buckets) > 0 ||
		slices.ContainsFunc(a.Buckets, func(b query.Bucket) bool { return b.InProgress })
}

// What several answers say about a comparison.
const (
	soFarNote    = "Figures marked \"so far\" are of a time that is not over."
	unpairedNote = "Rows are not compared: the previous range has another number of rows."
)

// dataFromNote says why changes have no percentages.
func dataFromNote(from time.Time) string {
	return "The site has data only from " + from.Format(toDay) + " on, and may have only a part of that day: changes since that day or " +
		"earlier ones have no percentages."
}

// previousEnds says where the previous range of one that is not over ends.
func previousEnds(toDate bool) string {
	if toDate {
		return " The previous range is cut there, too, at a full hour or day."
	}
	return " The previous range is whole."
}

// comparedSoFar says where the previous range ends.
func (a statsView) comparedSoFar() string {
	if a.Previous == nil || !a.InProgress {
		return ""
	}
	return previousEnds(a.Previous.ToDate)
}

// aboutNew says since when new visitors are counted, if that is not the whole range.
func (a statsView) aboutNew() []string {
	of := a.allFigures()
	if i := slices.IndexFunc(of, func(f query.Figures) bool { return f.NewSince != nil }); i >= 0 {
		return []string{"New visitors marked with a * are those since " + of[i].NewSince.Format(toMinute+" MST") + ", when the site began to " +
			"count them, and the visitors are all."}
	}
	if a.Included == nil && slices.ContainsFunc(of, func(f query.Figures) bool {
		return f.NewVisitors != nil && f.UniqueVisitors != nil && f.ReturningVisitors == nil
	}) {
		return []string{"New visitors were not counted in all of the range: those shown without returning ones are of a part of their time."}
	}
	return nil
}

// allFigures are the totals and those of the rows, and of what they are compared with.
func (a statsView) allFigures() (all []query.Figures) {
	if a.Totals != nil {
		all = append(all, *a.Totals)
	}
	for _, b := range a.Buckets {
		all = append(all, b.Figures)
	}
	if a.Previous != nil && a.Previous.Totals != nil {
		all = append(all, *a.Previous.Totals)
	}
	return all
}

// newCell shows new visitors, and marks those of a part of the time.
func newCell(f query.Figures) cell {
	c := knownCell(f.NewVisitors)
	if f.NewSince != nil {
		c.table += "*"
	}
	return c
}

func (a statsView) sheets() []sheet {
	sheets := []sheet{a.rows()}
	if a.Previous != nil {
		sheets = []sheet{a.changes(), a.rows()}
		if a.Previous.Totals != nil {
			sheets = append(sheets, a.comparison())
		}
	}
	sheets[len(sheets)-1].legend = aboutEstimates(a.visitorsError())
	return sheets
}

// visitorsError is the greatest error of a number of visitors in the answer.
func (a statsView) visitorsError() (worst float64) {
	if a.Totals != nil {
		worst = a.Totals.VisitorsError
	}
	if a.Previous != nil && a.Previous.Totals != nil {
		worst = max(worst, a.Previous.Totals.VisitorsError)
	}
	for _, b := range a.Buckets {
		worst = max(worst, b.VisitorsError) // The bucket before is shown by its change alone.
	}
	return worst
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

// includedNote says how many sites figures are of.
func includedNote(of *query.SitesIncluded) []string {
	if of == nil {
		return nil
	}
	return []string{fmt.Sprintf("Sites: %d, with events in the range: %d.", of.Sites, of.WithEvents)}
}

// strangerNote says that an owner has no sites.
func strangerNote(of *query.SitesIncluded, known bool) []string {
	if of == nil || known {
		return nil
	}
	return []string{"Owner " + clean(strconv.Quote(of.Owner)) + " is not known: no site has that owner."}
}

// newOfSites says what the new visitors of several sites are, or why they are unknown.
func newOfSites(of *query.SitesIncluded) []string {
	switch {
	case of == nil || of.CountingNew == 0 || of.WithEvents < 2:
		return nil
	case of.CountingNew < of.WithEvents:
		return []string{fmt.Sprintf("New and returning visitors are unknown unless all sites with events have counted them since the range or "+
			"row began; sites that have, in the whole range: %d.", of.CountingNew)}
	}
	return []string{"A visitor of several sites is new at each of them, so there may be more new visitors than visitors."}
}

// annotated shows figures, and how far they are from others if change is given.
func annotated(f query.Figures, change *query.Changes) []cell {
	if change == nil {
		return figureCells(f)
	}
	return beside(figureCells(f), changeCells(*change))
}

// beside adds changes to the figures that they are of, as far as they are known.
func beside(cells []cell, changes []changeCell) []cell {
	for i, c := range changes {
		if by := c.beside(); by != unknown {
			cells[i].table += " (" + by.table + ")"
		}
	}
	return cells
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
