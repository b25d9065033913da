package show

import (
	"slices"
	"strings"

	"github.com/footfall/footfall/query"
)

func (a sitesFiguresView) notes() []string {
	var notes []string
	if slices.ContainsFunc(a.Sites, func(s query.SiteFigures) bool { return s.Incomplete }) {
		notes = append(notes, "Figures marked \"data expired\" are or may be too low: some of their hours or days have expired.")
	}
	return append(notes, remarks("", true, a.ExpiredOmitted, a.Cursor)...)
}

// sheets are the sites with their settings and figures for programs, and with the figures for people.
func (a sitesFiguresView) sheets() []sheet {
	sites := make([]query.Site, len(a.Sites))
	for i, s := range a.Sites {
		sites[i] = s.Site
	}
	all := siteSheet("", sites)
	figures := sheet{title: "Sites" + a.span(), none: "None.", signed: []string{"pageViewsChange"},
		columns: []column{{"siteId", "Site", false}, {"uniqueVisitors", "Visitors", true}, {"pageViews", "Page views", true},
			{"pageViewsChange", "Trend", true}, {"lastEventWithin", "Last event (UTC)", false}, {sparkColumn, "By day", false},
			{"name", "Name", false}, {"owner", "Owner", false}, {"timeZone", "Zone", false}, {"deletedAt", "Deleted (UTC)", false}}}
	all.columns = append(all.columns, column{"from", "", false}, column{"to", "", false}, column{"pageViews", "", true},
		column{"uniqueVisitors", "", true}, column{"uniqueVisitorsError", "", true}, column{"pageViewsChange", "", true},
		column{"lastEventWithin", "", false}, column{"dataExpired", "", false})
	worst := 0.0
	for i, s := range a.Sites {
		visitors, views := estimateCell(s.UniqueVisitors, s.VisitorsError), intCell(s.PageViews)
		trend, last := trendCell(s), lastCell(s.LastEvents)
		all.rows[i] = append(all.rows[i], timeCell(&s.From, toMinute), timeCell(&s.To, toMinute), views, visitors, percentCell(&s.VisitorsError),
			trend, last, boolCell(s.Incomplete))
		views.table += marks(mark{s.Incomplete, " (data expired)"})
		figures.rows = append(figures.rows, []cell{textCell(s.SiteID), visitors, views, trend, last, {"", sparkline(s.Days)},
			textCell(s.Name), textCell(s.Owner), textCell(s.Zone), timeCell(s.DeletedAt, toMinute)})
		worst = max(worst, s.VisitorsError)
	}
	if a.Totals.Sites > 1 {
		total := make([]cell, len(figures.columns))
		total[0].table, total[2] = "Total", intCell(a.Totals.PageViews)
		figures.footers = [][]cell{total}
	}
	figures.legend = strings.TrimSpace("Trend: page views compared with the range before; new: the site has no data of its beginning. " +
		"Last event: the hour in which it lies. " +
		aboutEstimates(worst))
	return []sheet{all, figures}
}

// span says which days the figures are of, in the zone of each site.
func (a sitesFiguresView) span() string {
	if len(a.Sites) == 0 || len(a.Sites[0].Days) == 0 {
		return ""
	}
	days := a.Sites[0].Days
	return ", " + days[0].Start.Format(toDay) + " to " + days[len(days)-1].Start.Format(toDay)
}

// trendCell shows how the page views have changed. Those of a site that is newer than the earlier range have no such figure.
func trendCell(s query.SiteFigures) cell {
	if s.PreviousDataFrom != nil && s.PageViews > 0 {
		return cell{"", "new"}
	}
	return relativeCell(s.PageViewsChange)
}

// lastCell shows when the hour or day begins in which a site's last event lies.
func lastCell(w *query.Within) cell {
	if w == nil {
		return unknown
	}
	return timeCell(&w.From, toMinute)
}

// sparkline draws the page views of days, up to 60 of them: of more, the last ones.
func sparkline(days []query.DayViews) string {
	days = days[max(0, len(days)-maxCell):]
	values := make([]float64, len(days))
	for i, d := range days {
		values[i] = float64(d.PageViews)
	}
	return spark(values)
}

func (a eachSiteView) notes() []string {
	return append(covered(a.Coverage), remarks("", true, a.ExpiredOmitted, a.Cursor)...)
}

// sheets are the rows of stats, after the site that each is of.
func (a eachSiteView) sheets() []sheet {
	of := statsView{Buckets: make([]query.Bucket, len(a.Rows))}
	for i, row := range a.Rows {
		of.Buckets[i] = row.Bucket
	}
	s := of.rows()
	s.title, s.columns = "Sites", append([]column{{"siteId", "Site", false}}, s.columns...)
	for i, row := range a.Rows {
		s.rows[i] = append([]cell{textCell(row.Site)}, s.rows[i]...)
	}
	return []sheet{s}
}
