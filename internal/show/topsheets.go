package show

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sketch"
)

func (a topView) notes() []string {
	var notes []string
	if a.Bots != nil {
		notes = append(notes, "Bots are in a row of their own: breakdowns have no bots, so their events are in no other row.")
	}
	notes = append(notes, covered(a.Coverage)...)
	notes = append(append(notes, strangerNote(a.Included, a.SiteKnown)...), whereStored(a.Stored)...)
	notes = append(notes, remarks(a.Site, a.SiteKnown || a.Included != nil, a.ExpiredOmitted, a.Cursor)...)
	if a.Cursor != "" {
		notes = append(notes, fmt.Sprintf("Values in all: %d. Those after this page are in (others).", a.Values))
	}
	if a.MinCount > 0 {
		notes = append(notes, fewer(a.Sort, a.MinCount)+" are in (others).")
	}
	if a.AbsentAtMost > 0 {
		notes = append(notes, fmt.Sprintf("Events of a value that is not known, at the most: %d.", a.AbsentAtMost))
	}
	if lacks := a.lacks(); lacks != "" {
		notes = append(notes, "Each row may lack at most: "+lacks+". These are in (others), because their values had no row when they "+
			"were counted."+a.lackedExits())
	}
	if s := a.ConversionsSince; s != nil && s.After(a.From) && a.converted() {
		notes = append(notes,
			"Conversion rates are known of ranges from "+s.Format(time.RFC3339)+" on: that is when the site's first goal began.")
	}
	if a.byConversions() && !a.converted() {
		notes = append(notes, "Rows are in the order of their events: no session of this range has reached a goal of the site, or it has none.")
	}
	if a.manyOfOne() {
		notes = append(notes, aboutShares)
	}
	if a.None == nil {
		notes = append(notes, "How many events have no value is not known.")
	}
	if a.NotBrokenDown > 0 {
		notes = append(notes, fmt.Sprintf("Events in no breakdown, and so in none of these rows: %d. They were beyond the site's budget, or "+
			"came while breakdowns were off or after hours had expired, or are being written.", a.NotBrokenDown))
	}
	return notes
}

// fewer names the rows that an answer leaves out because their rate or average is of fewer sessions or page views.
func fewer(sort string, least int) string {
	return fmt.Sprintf("Values whose %s is of fewer than %d sessions or page views", sort, least)
}

// byConversions reports whether rows are sorted by a figure of conversions.
func (a topView) byConversions() bool {
	return slices.Contains([]string{"conversions", "conversionRate", "conversionValue"}, a.Sort)
}

// manyOfOne reports whether the shares of the answer add up to more than the whole.
func (a topView) manyOfOne() bool {
	var all []*float64
	for _, row := range a.Rows {
		all = append(all, row.Share)
	}
	return a.Sort == "uniqueVisitors" && exceed(append(all, a.Other.Share))
}

// exceed reports whether shares add up to more than the whole, as people see it.
func exceed(shares []*float64) bool {
	sum := 0.0
	for _, share := range shares {
		if share != nil {
			sum += *share
		}
	}
	return sum > 1.0005
}

// aboutShares says why shares add up to more than the whole.
const aboutShares = "Shares add up to more than 100 %: a visitor of several values is in the share of each."

// lackedExits says what the bound of the exits means for their rate.
func (a topView) lackedExits() string {
	if a.Lacks.Exits == 0 {
		return ""
	}
	return " An exit rate is too low where exits are."
}

// lacks says what a row lacks at most of what sessions were counted; "": nothing.
func (a topView) lacks() string {
	var texts []string
	for _, x := range []struct {
		name string
		n    int64
	}{{"sessions", a.Lacks.Sessions}, {"entries", a.Lacks.Entries}, {"exits", a.Lacks.Exits}, {"conversions", a.Lacks.Conversions}} {
		if x.n > 0 {
			texts = append(texts, fmt.Sprintf("%s %d", x.name, x.n))
		}
	}
	return strings.Join(texts, ", ")
}

func (a topView) sheets() []sheet {
	of := "site " + a.Site
	if a.Site == "" {
		of = fmt.Sprintf("all sites (%d)", a.Sites)
		if a.Included != nil && a.Included.Owner != "" {
			of = fmt.Sprintf("sites of %s (%d)", a.Included.Owner, a.Sites)
		}
	}
	name := func(shown bool, title string) string {
		if shown {
			return title
		}
		return ""
	}
	sessions := !strings.HasPrefix(a.Dimension, query.PropertyPrefix)
	s := sheet{title: fmt.Sprintf("Top %s of %s by %s, %s", a.Dimension, of, a.Sort, spanText(&a.From, &a.To)),
		none: noneLeft(a.Stored), sortedBy: a.Sort, barOf: a.Sort,
		columns: []column{{"value", a.Dimension, false}, {"kind", "", false}, {"share", "Share", true}, {"events", "Events", true},
			{"maxUndercount", name(a.uncertain(), "Max. undercount"), true}, {"pageViews", "Page views", true}, {"uniqueVisitors", "Visitors", true},
			{"uniqueVisitorsError", "", true}, {"sessions", name(sessions, "Sessions"), true}, {"bounces", "", true},
			{"bounceRate", name(sessions, "Bounce rate"), true}, {"durationMs", "", true},
			{"avgDurationMs", name(sessions, "Avg duration"), true}}}
	page, event := a.Dimension == sketch.Page.String(), a.Dimension == sketch.EventName.String()
	s.columns = append(s.columns, column{"entries", name(page, "Entries"), true}, column{"exits", name(page, "Exits"), true},
		column{"exitRate", name(page, "Exit rate"), true}, column{"timedPageViews", "", true}, column{"timeOnPageMs", "", true},
		column{"avgTimeOnPageMs", name(page, "Time on page"), true}, column{"scrolledPageViews", "", true},
		column{"scrollDepthSum", "", true}, column{"avgScrollDepth", name(a.scrolled(), "Scroll depth"), true},
		column{"conversions", name(a.converted() || a.Sort == "conversions", "Conversions"), true}, column{"convertedSessions", "", true},
		column{"conversionRate", name(a.converted() || a.Sort == "conversionRate", "Conv. rate"), true},
		column{"conversionValue", name(a.converted() || a.Sort == "conversionValue", "Conv. value"), true},
		column{"values", name(event && a.valued(), "Values"), true}, column{"valueSum", name(event && a.valued(), "Value sum"), true},
		column{"valueMin", name(event && a.valued(), "Least"), true}, column{"valueMax", name(event && a.valued(), "Greatest"), true})
	for _, row := range a.Rows {
		first := []cell{valueCell(row.Value), textCell("value"), percentCell(row.Share), intCell(row.Events), intCell(row.Uncertain)}
		s.rows = append(s.rows, append(first, topCells(row.TopCounts)...))
	}
	s.footers = a.footers()
	s.parts = len(s.footers)
	for i, c := range s.columns {
		if !a.counts(c.name) {
			for _, row := range slices.Concat(s.rows, s.footers) {
				row[i] = unknown
			}
		}
	}
	worst := a.Other.VisitorsError
	for _, row := range a.Rows {
		worst = max(worst, row.VisitorsError)
	}
	s.legend = aboutEstimates(worst)
	return []sheet{s}
}

// counts reports whether a figure is counted of the values of the dimension: where it is not, answers have 0.
func (a topView) counts(figure string) bool {
	switch figure {
	case "sessions", "bounces", "bounceRate", "durationMs", "avgDurationMs":
		return !strings.HasPrefix(a.Dimension, query.PropertyPrefix)
	case "entries", "exits", "exitRate", "timedPageViews", "timeOnPageMs", "avgTimeOnPageMs", "scrolledPageViews", "scrollDepthSum",
		"avgScrollDepth":
		return a.Dimension == sketch.Page.String()
	case "conversions", "convertedSessions", "conversionRate", "conversionValue":
		d, err := sketch.ParseDimension(a.Dimension)
		return err == nil && d.Converts()
	case "values", "valueSum", "valueMin", "valueMax":
		return a.Dimension == sketch.EventName.String()
	}
	return true
}

// valueCell quotes a value that reads like one of the rows that are no values.
func valueCell(value string) cell {
	c := textCell(value)
	if slices.Contains([]string{noneRow, othersRow, botsRow}, value) {
		c.table = strconv.Quote(value)
	}
	return c
}

// What stands in the place of a value in rows of several values, or of none.
const noneRow, othersRow, botsRow = "(none)", "(others)", "(bots)"

// uncertain reports whether a row may lack events.
func (a topView) uncertain() bool {
	return slices.ContainsFunc(a.Rows, func(r query.TopRow) bool { return r.Uncertain > 0 })
}

// scrolled reports whether the scroll depth of any page is known.
func (a topView) scrolled() bool {
	return slices.ContainsFunc(a.Rows, func(r query.TopRow) bool { return r.ScrolledPageViews > 0 })
}

// valued reports whether any event of a row has a value.
func (a topView) valued() bool {
	return a.Other.Values > 0 || slices.ContainsFunc(a.Rows, func(r query.TopRow) bool { return r.Values > 0 })
}

// converted reports whether any session of a row has reached a goal.
func (a topView) converted() bool {
	return a.Other.Conversions > 0 || a.None != nil && a.None.Conversions > 0 ||
		slices.ContainsFunc(a.Rows, func(r query.TopRow) bool { return r.Conversions > 0 })
}

// footers are the rows of what has no value and of values that are not shown, as far as there are any, and of bots.
func (a topView) footers() (rows [][]cell) {
	footer := func(kind, title string, share *float64, events int64, more ...cell) {
		rows = append(rows, append([]cell{{"", title}, textCell(kind), percentCell(share), intCell(events), textCell("")}, more...))
	}
	if n := a.None; n != nil && n.Events+n.Sessions > 0 {
		footer("none", noneRow, n.Share, n.Events, noneCells(*n)...)
	}
	other := a.Other
	if other.Share = nil; other != (query.TopCounts{ValueSum: "0", TopConversions: query.TopConversions{ConversionValue: "0"}}) {
		footer("other", othersRow, a.Other.Share, other.Events, topCells(other)...)
	}
	if b := a.Bots; b != nil {
		footer("bots", botsRow, nil, b.Events,
			append([]cell{intCell(b.PageViews)}, slices.Repeat([]cell{unknown}, 24)...)...)
	}
	return rows
}

// topCells are the cells after the events and their uncertainty.
func topCells(c query.TopCounts) []cell {
	return []cell{intCell(c.PageViews), estimateCell(&c.UniqueVisitors, c.VisitorsError), percentCell(&c.VisitorsError), intCell(c.Sessions),
		intCell(c.Bounces), percentCell(c.BounceRate),
		intCell(c.DurationMs), durationCell(c.AvgDurationMs), intCell(c.Entries), intCell(c.Exits), percentCell(c.ExitRate),
		intCell(c.TimedPageViews), intCell(c.TimeOnPageMs), durationCell(c.AvgTimeOnPageMs), intCell(c.ScrolledPageViews),
		intCell(c.ScrollDepthSum), percentCell(c.AvgScrollDepth), intCell(c.Conversions), intCell(c.ConvertedSessions),
		percentCell(c.ConversionRate), textCell(c.ConversionValue), intCell(c.Values), textCell(c.ValueSum),
		textCell(c.ValueMin), textCell(c.ValueMax)}
}

// noneCells are those of topCells that what has no value has.
func noneCells(n query.TopNone) []cell {
	has := []cell{intCell(n.PageViews), unknown, unknown, intCell(n.Sessions), intCell(n.Bounces), percentCell(n.BounceRate),
		intCell(n.DurationMs), durationCell(n.AvgDurationMs)}
	has = append(append(has, slices.Repeat([]cell{unknown}, 9)...), intCell(n.Conversions), intCell(n.ConvertedSessions),
		percentCell(n.ConversionRate), textCell(n.ConversionValue))
	return append(has, slices.Repeat([]cell{unknown}, 4)...)
}
