package show

import (
	"fmt"
	"slices"
	"strings"

	"github.com/footfall/footfall/query"
)

type (
	filteredStatsView   query.FilteredStatsAnswer
	filteredUniquesView query.FilteredUniquesAnswer
	filteredTopView     query.FilteredTopAnswer
	filteredGoalsView   query.FilteredGoalsAnswer
)

// whereText names filters in a title.
func whereText(r query.FilterReport) string {
	if len(r.Where) == 0 {
		return ""
	}
	return " where " + strings.Join(r.Where, " and ")
}

// filteredColumns are the columns of filteredCells.
var filteredColumns = append(columnsOf(filteredFigures), column{"maxUndercount", "Max. undercount", true},
	column{"maxUndercountOfSessions", "", true})

func filteredCells(f query.FilteredFigures) []cell {
	return append(cellsOf(&f, filteredFigures), intCell(f.Uncertain), intCell(f.UncertainSessions))
}

func (a filteredStatsView) sheets() []sheet {
	s := sheet{title: fmt.Sprintf("Site %s%s, by %s, %s", a.Site, whereText(a.Filter), a.By, spanText(&a.From, &a.To)),
		none: "None.", barOf: "pageViews"}
	var change *query.FilteredChanges
	if a.Previous != nil {
		s.title += ", compared with " + spanText(&a.Previous.From, &a.Previous.To)
		change = a.Previous.Change
	}
	if a.Totals == nil {
		s.none = "not read: only the cost was asked for"
	}
	s.columns = append(append([]column{{"start", "Start (" + a.Zone + ")", false}}, filteredColumns...), column{"end", "", false},
		column{"clippedByRange", "", false}, column{"inProgress", "", false})
	worst := 0.0
	of := statsView{By: a.By, Zone: a.Zone}
	for _, b := range a.Buckets {
		worst = max(worst, b.VisitorsError)
		row := append([]cell{of.bucketCell(query.Bucket{Start: b.Start, Partial: b.Partial, InProgress: b.InProgress})},
			annotatedFiltered(b.FilteredFigures, b.Change)...)
		s.rows = append(s.rows, append(row, timeCell(&b.End, toMinute), boolCell(b.Partial), boolCell(b.InProgress)))
	}
	if a.Totals != nil {
		worst = max(worst, a.Totals.VisitorsError)
		s.footers = [][]cell{append(append([]cell{textCell("Total" + marks(mark{a.InProgress, " (so far)"}))},
			annotatedFiltered(*a.Totals, change)...), cell{}, cell{}, cell{})}
	}
	s.legend = aboutEstimates(worst)
	if !slices.ContainsFunc(a.Buckets, func(b query.FilteredBucket) bool { return b.Uncertain > 0 }) {
		s.columns[len(s.columns)-5].title = "" // maxUndercount
	}
	switch {
	case a.Previous == nil:
		return []sheet{s}
	case change == nil:
		return []sheet{a.changes(), s}
	}
	s.legend = ""
	totals := a.comparison()
	totals.legend = aboutEstimates(max(worst, a.Previous.Totals.VisitorsError))
	return []sheet{a.changes(), s, totals}
}

func (a filteredStatsView) notes() []string {
	return slices.Concat(a.comparedNotes(), filterNotes(a.Filter, a.Totals), covered(a.Coverage),
		remarks(a.Site, a.SiteKnown, a.ExpiredOmitted, ""))
}

// filterNotes say how filters were answered, and at what cost. totals are of what passes them; nil: it was not counted.
func filterNotes(r query.FilterReport, totals *query.FilteredFigures) (notes []string) {
	if totals != nil && totals.Events == 0 && len(r.Where) > 0 {
		notes = append(notes, "Nothing passes the filters. Values are compared as a whole, as they are spelled, and one with a comma is "+
			"quoted: footfall query top SITE DIMENSION lists those that there are.")
	}
	scope := "Scope: sessions. Events count if they have the values, sessions if their earliest event has them. Entry and exit page are " +
		"those of the session, goals those that it reaches within the range."
	if r.Scope == query.ScopeEvents {
		scope = "Scope: events. Figures of sessions are unknown, because a filter by page, event, type or property selects events alone."
	}
	if len(r.Where) > 0 {
		notes = append(notes, scope)
	}
	if r.Source == query.FromBreakdowns {
		return append(notes, "Computed from breakdowns.")
	}
	if c := r.Cost; c != nil {
		text := fmt.Sprintf("Computed from raw events: %d read for %.1f read units; estimated before: %d for %.0f.", c.EventsRead, c.ReadUnits,
			c.EventsEstimated, c.ReadUnitsEstimated)
		if c.EventsRead == 0 {
			text = fmt.Sprintf("Raw events to read: about %d, for about %.0f read units.", c.EventsEstimated, c.ReadUnitsEstimated)
		}
		notes = append(notes, text)
	}
	if r.EventsMissing > 0 {
		notes = append(notes, fmt.Sprintf("Events that were counted and have no raw event: %d. They are of erased visitors, or were sent twice.",
			r.EventsMissing))
	}
	return notes
}

func (a filteredUniquesView) sheets() []sheet {
	s := sheet{title: fmt.Sprintf("Site %s%s, %s", a.Site, whereText(a.Filter), spanText(&a.From, &a.To)), columns: filteredColumns,
		none: "not read: only the cost was asked for"}
	if a.Totals != nil {
		s.rows = [][]cell{filteredCells(*a.Totals)}
		s.legend = aboutEstimates(a.Totals.VisitorsError)
	}
	return []sheet{s}
}

func (a filteredUniquesView) notes() []string {
	return append(filterNotes(a.Filter, a.Totals), remarks(a.Site, a.SiteKnown, a.ExpiredOmitted, "")...)
}

func (a filteredTopView) sheets() []sheet {
	s := sheet{title: fmt.Sprintf("Top %s of site %s%s by %s, %s", a.Dimension, a.Site, whereText(a.Filter), a.Sort,
		spanText(&a.From, &a.To)), none: "None.", sortedBy: a.Sort, barOf: a.Sort,
		columns: slices.Concat([]column{{"value", a.Dimension, false}, {"kind", "", false}, {"share", "Share", true}},
			filteredColumns[:len(filteredColumns)-2], conversionColumns)}
	if a.Totals == nil {
		s.none = "not read: only the cost was asked for"
	}
	s.columns = shown(s.columns, a.converted(), conversionColumns...)
	worst := 0.0
	line := func(value cell, kind string, share *float64, f query.FilteredTopCounts) []cell {
		worst = max(worst, f.VisitorsError)
		cells := filteredCells(f.FilteredFigures)
		return slices.Concat([]cell{value, textCell(kind), percentCell(share)}, cells[:len(cells)-2], conversionCells(f.FilteredConversions))
	}
	for _, row := range a.Rows {
		s.rows = append(s.rows, line(valueCell(row.Value), "value", row.Share, row.FilteredTopCounts))
	}
	if a.None != nil {
		s.footers = append(s.footers, line(textCell(noneRow), "none", nil, *a.None))
	}
	s.parts = len(s.footers)
	if a.Totals != nil {
		s.footers = append(s.footers, line(textCell("Total"), "", nil, *a.Totals))
	}
	s.legend = aboutEstimates(worst)
	return []sheet{s}
}

// conversionColumns are the columns of conversionCells.
var conversionColumns = []column{{"conversions", "Conversions", true}, {"convertedSessions", "", true}, {"eligibleSessions", "", true},
	{"conversionRate", "Conversion rate", true}, {"conversionValue", "Conversion value", true}}

func conversionCells(c query.FilteredConversions) []cell {
	return []cell{knownCell(c.Conversions), knownCell(c.ConvertedSessions), knownCell(c.EligibleSessions), percentCell(c.ConversionRate),
		optionalCell(c.ConversionValue)}
}

// converted reports whether any session that passes has reached a goal.
func (a filteredTopView) converted() bool {
	return a.Totals != nil && a.Totals.Conversions != nil && *a.Totals.Conversions > 0
}

func (a filteredTopView) notes() []string {
	var totals *query.FilteredFigures
	if a.Totals != nil {
		totals = &a.Totals.FilteredFigures
	}
	notes := filterNotes(a.Filter, totals)
	if a.converted() {
		notes = append(notes, "Conversions are of these goals: "+strings.Join(a.Goals, ", ")+". --where goal=ID chooses one, and its rate is of "+
			"the sessions that pass the other filters.")
	}
	if a.MinCount > 0 {
		notes = append(notes, fewer(a.Sort, a.MinCount)+" are in the total alone.")
	}
	if a.Values > len(a.Rows) {
		notes = append(notes, fmt.Sprintf("Values in all: %d. The total has those that are not shown, too.", a.Values))
	}
	var shares []*float64
	for _, row := range a.Rows {
		shares = append(shares, row.Share)
	}
	if a.Sort == "uniqueVisitors" && exceed(shares) {
		notes = append(notes, aboutShares)
	}
	return append(notes, remarks(a.Site, a.SiteKnown, 0, "")...)
}
