package show

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/query/retention"
)

// shownAs is an answer as a table.
func shownAs(t *testing.T, answer any, columns ...string) string {
	t.Helper()
	var out bytes.Buffer
	if err := Print(&out, &out, Layout{Format: Table, Columns: columns}, answer); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// compared is a day with estimates, compared with another.
func compared() query.StatsAnswer {
	now := query.Figures{PageViews: 30, Events: 40, UniqueVisitors: new(uint64(20)), VisitorsError: 0.01, BounceRate: new(0.355),
		ValueSum: "0"}
	before := query.Figures{PageViews: 20, Events: 20, UniqueVisitors: new(uint64(10)), BounceRate: new(0.325), ValueSum: "0"}
	change := now.Since(before)
	day := time.Date(2026, 5, 12, 0, 0, 0, 0, time.UTC)
	return query.StatsAnswer{Site: "shop", Known: query.Known{SiteKnown: true}, By: query.Day, Zone: "UTC", From: day,
		To: day.AddDate(0, 0, 1), InProgress: true, Totals: &now,
		Previous: &query.Previous{From: day.AddDate(0, 0, -1), To: day, Totals: &before, Change: &change, ByBucket: true},
		Buckets: []query.Bucket{{Start: day, End: day.AddDate(0, 0, 1), InProgress: true, Figures: now,
			Previous: &query.Bucket{Start: day.AddDate(0, 0, -1), End: day, Figures: before}, Change: &change}}}
}

// A change beside a percentage is in points, as in the totals; other figures have percentages.
func TestRatesChangeByPoints(t *testing.T) {
	table := shownAs(t, compared())
	if strings.Count(table, "35.5 % (+3.0 points)") != 2 || !strings.Contains(table, "30 (+50.0 %)") || strings.Contains(table, "+9.2 %)") {
		t.Errorf("rates beside their changes:\n%s", table)
	}
}

// A note says that the earlier range is cut where it is, and that another is whole.
func TestEarlierRangeIsSaidToBeCut(t *testing.T) {
	a := compared()
	if table := shownAs(t, a); strings.Contains(table, "cut there") || !strings.Contains(table, "The previous range is whole.") {
		t.Errorf("a whole earlier range:\n%s", table)
	}
	a.Previous.ToDate = true
	if table := shownAs(t, a); !strings.Contains(table, "The previous range is cut there, too") {
		t.Errorf("an earlier range to date:\n%s", table)
	}
}

// Marks are explained where they occur.
func TestLegendIsOfTheColumnsShown(t *testing.T) {
	if table := shownAs(t, compared()); !strings.Contains(table, estimatesBegin) || !strings.Contains(table, "~20") {
		t.Errorf("estimates without an explanation:\n%s", table)
	}
	if table := shownAs(t, compared(), "start", "pageViews"); strings.Contains(table, "~") {
		t.Errorf("an explanation without estimates:\n%s", table)
	}
	a := compared()
	a.Totals.NewVisitors, a.Totals.NewSince = new(int64(4)), new(a.From.Add(21*time.Hour))
	if table := shownAs(t, a); !strings.Contains(table, "4*") || !strings.Contains(table, "those since 2026-05-12 21:00 UTC") {
		t.Errorf("new visitors of a part of the day:\n%s", table)
	}
}

// Shares that add up to more than the whole are explained, and so is an order by conversions where there are none.
func TestTopExplainsSharesAndOrder(t *testing.T) {
	row := func(value string, share float64) query.TopRow {
		return query.TopRow{Value: value, TopCounts: query.TopCounts{Share: &share, Events: 4, UniqueVisitors: 3, ValueSum: "0"}}
	}
	a := query.TopAnswer{Site: "shop", Known: query.Known{SiteKnown: true}, Dimension: "browser", Sort: "uniqueVisitors",
		Rows: []query.TopRow{row("Chrome", 0.7), row("Firefox", 0.3)}}
	if table := shownAs(t, a); strings.Contains(table, "100 %:") {
		t.Errorf("shares of 100 %%:\n%s", table)
	}
	a.Rows = append(a.Rows, row("Safari", 0.1))
	if table := shownAs(t, a); !strings.Contains(table, aboutShares) {
		t.Errorf("shares of 110 %%:\n%s", table)
	}
	a.Sort = "conversionRate"
	if table := shownAs(t, a); !strings.Contains(table, "no session of this range has reached a goal") {
		t.Errorf("by conversion rate, without goals:\n%s", table)
	}
}

// Filtered figures that are compared have their changes beside them, and a table of both totals.
func TestFilteredChangesAreShown(t *testing.T) {
	day := time.Date(2026, 5, 12, 0, 0, 0, 0, time.UTC)
	now, before := query.FilteredFigures{PageViews: 6, Events: 9}, query.FilteredFigures{PageViews: 4, Events: 6}
	change := now.Since(before)
	a := query.FilteredStatsAnswer{Site: "shop", Known: query.Known{SiteKnown: true}, By: query.Day, Zone: "UTC", From: day,
		To: day.AddDate(0, 0, 1), Totals: &now, Previous: &query.FilteredPrevious{From: day.AddDate(0, 0, -1), To: day, Totals: &before,
			Change: &change, ByBucket: true}, Filter: query.FilterReport{Where: []string{"country=DE"}},
		Buckets: []query.FilteredBucket{{Start: day, End: day.AddDate(0, 0, 1), FilteredFigures: now, Change: &change,
			Previous: &query.FilteredBucket{Start: day.AddDate(0, 0, -1), End: day, FilteredFigures: before}}}}
	table := shownAs(t, a)
	if strings.Count(table, "6 (+50.0 %)") != 2 || !strings.Contains(table, "Totals of both ranges") ||
		!strings.Contains(table, "compared with [2026-05-11") {
		t.Errorf("filtered and compared:\n%s", table)
	}
	var csv bytes.Buffer
	if err := Print(&csv, &csv, Layout{Format: CSV}, a); err != nil || !strings.Contains(csv.String(), "bucket,2026-05-12T00:00:00Z,") ||
		!strings.Contains(csv.String(), ",pageViews,6,4,2,0.5,") {
		t.Errorf("as CSV (%v):\n%s", err, csv.String())
	}
}

// CSV of top values has the values and what has none, so that its columns add up; only people see a total, with filters as without.
func TestTopValuesHaveNoTotalInCSV(t *testing.T) {
	counts := func(events int64) query.FilteredTopCounts {
		return query.FilteredTopCounts{FilteredFigures: query.FilteredFigures{Events: events}}
	}
	none, total := counts(2), counts(5)
	a := query.FilteredTopAnswer{Site: "shop", Known: query.Known{SiteKnown: true}, Dimension: "browser", Sort: "events", Values: 1,
		Rows: []query.FilteredTopRow{{Value: "Chrome", FilteredTopCounts: counts(3)}}, None: &none, Totals: &total}
	if table := shownAs(t, a); !strings.Contains(table, "Total") {
		t.Errorf("a table without a total:\n%s", table)
	}
	var out bytes.Buffer
	if err := Print(&out, &out, Layout{Format: CSV, Columns: []string{"value", "kind", "events"}}, a); err != nil {
		t.Fatal(err)
	}
	if want := "value,kind,events\nChrome,value,3\n(none),none,2\n"; out.String() != want {
		t.Errorf("CSV %q, want %q", out.String(), want)
	}
}

// A note says where the rows are whose rate is of too few sessions.
func TestRowsOfFewAreSaidToBeMissing(t *testing.T) {
	for says, answer := range map[string]any{
		"bounceRate is of fewer than 20 sessions or page views are in (others).": query.TopAnswer{Site: "shop", Dimension: "page",
			Sort: "bounceRate", MinCount: 20, Known: query.Known{SiteKnown: true}},
		"bounceRate is of fewer than 20 sessions or page views are in the total alone.": query.FilteredTopAnswer{Site: "shop",
			Dimension: "country", Sort: "bounceRate", MinCount: 20, Known: query.Known{SiteKnown: true}},
	} {
		if table := shownAs(t, answer); !strings.Contains(table, says) {
			t.Errorf("no note %q:\n%s", says, table)
		}
	}
}

// The running week is marked in each row that has it.
func TestRetentionMarksTheRunningWeek(t *testing.T) {
	week := time.Date(2026, 5, 4, 0, 0, 0, 0, time.UTC)
	next := week.AddDate(0, 0, 7)
	table := shownAs(t, query.RetentionAnswer{Site: "shop", SiteKnown: true, Counted: true, From: week, To: next, Cohorts: []retention.Cohort{
		{Start: week, End: next, NewVisitors: new(int64(4)), Later: []retention.CohortWeek{
			{Week: 1, Start: next, InProgress: true, Visitors: new(int64(1)), Share: new(0.25)}}},
		{Start: next, End: next.AddDate(0, 0, 7), InProgress: true, NewVisitors: new(int64(3))}}})
	for _, want := range []string{"25.0 %*", "2026-05-11*", notOver} {
		if !strings.Contains(table, want) {
			t.Errorf("the table lacks %q:\n%s", want, table)
		}
	}
	if strings.Contains(table, "2026-05-04*") {
		t.Errorf("a week that is over is marked:\n%s", table)
	}
}

// The page views of several sites have a sum below the table, and their visitors none.
func TestSitesHaveATotal(t *testing.T) {
	all := []query.SiteFigures{{Site: query.Site{SiteID: "a"}, PageViews: 30}, {Site: query.Site{SiteID: "b"}, PageViews: 12}}
	if table := shownAs(t, query.SitesFiguresAnswer{Sites: all, Totals: query.TotalsOf(all)}); !regexp.MustCompile(`Total +42\n`).MatchString(table) {
		t.Errorf("no total:\n%s", table)
	}
}
