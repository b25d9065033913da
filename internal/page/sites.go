package page

import (
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/footfall/footfall/internal/page/chart"
	"github.com/footfall/footfall/internal/page/links"
	"github.com/footfall/footfall/internal/page/locale"
	"github.com/footfall/footfall/query"
)

// SitesParams are the query parameters of the overview.
var SitesParams = []string{"from", "to", "period", "tz", "search", "sort", "cursor"}

// SitesSorts are the figures that the overview can be sorted by. Without one, the sites come by their ids.
var SitesSorts = []string{"uniqueVisitors", "pageViews", "pageViewsChange"}

// SitesView is what the overview of sites shows.
type SitesView struct {
	query.SitesFiguresAnswer
	Look   links.Look
	Values map[string]string // of SitesParams, as far as they are given
	Units  float64           // read units that it consumed
	Read   time.Time         // when it was read
}

// SiteRow is a site with its figures.
type SiteRow struct {
	Title, ID, Address, Visitors, PageViews, Last string // ID: "" if it is the title
	Change, Trend                                 string
	Line, Area                                    string // of the visitors by day, without one that is not over
	Open                                          string // the path to the day that is not over
	Says                                          string
	Incomplete                                    bool // figures are or may be too low
}

// sitesData is a SitesView as its template has it.
type sitesData struct {
	Look         links.Look
	Rows         []SiteRow
	Ranges, Kept []links.Choice
	Columns      []Column
	Total        *SiteRow // of several sites
	First        string
	Next, Search string
	Home, Error  string
	Units        float64
}

// Sites writes the overview of sites.
func Sites(w io.Writer, v SitesView) error {
	d := sitesData{Look: v.Look, Ranges: v.ranges(), Search: v.Values["search"], Home: v.Look.Base + "/", Units: v.Units}
	worst := 0.0
	for _, s := range v.SitesFiguresAnswer.Sites {
		d.Rows = append(d.Rows, siteRow(s, v))
		worst = max(worst, s.VisitorsError)
	}
	if t := v.Totals; t.Sites > 1 {
		d.Total = &SiteRow{Title: locale.Say("Total of %s {site|sites}", locale.Count(int64(t.Sites))), PageViews: locale.Count(t.PageViews),
			Visitors: locale.Unknown, Incomplete: slices.ContainsFunc(v.SitesFiguresAnswer.Sites,
				func(s query.SiteFigures) bool { return s.Incomplete })}
	}
	if worst > 0 {
		d.Error = locale.Percent(worst)
	}
	if v.Cursor != "" {
		d.Next = v.with("cursor", v.Cursor)
	}
	if v.Values["cursor"] != "" {
		d.First = v.with("sort", v.Values["sort"])
	}
	d.Columns = v.columns()
	for _, name := range []string{"from", "to", "period", "tz", "sort"} {
		if v.Values[name] != "" {
			d.Kept = append(d.Kept, links.Choice{Title: name, Address: v.Values[name]})
		}
	}
	return render(w, v.Look, "sites.html", d)
}

// ranged are the values of the address that name its range.
func (v SitesView) ranged() url.Values {
	values := url.Values{}
	for _, name := range []string{"from", "to", "period", "tz"} {
		if v.Values[name] != "" {
			values.Set(name, v.Values[name])
		}
	}
	return values
}

// with is the address of the overview with another value; "" leaves it out.
func (v SitesView) with(name, value string) string {
	values := v.ranged()
	for _, kept := range []string{"search", "sort"} {
		if v.Values[kept] != "" {
			values.Set(kept, v.Values[kept])
		}
	}
	if values.Del(name); value != "" {
		values.Set(name, value)
	}
	return links.To(v.Look.Base+"/", values)
}

// columns are the columns that sites can be sorted by, with the addresses that do so.
func (v SitesView) columns() (all []Column) {
	for _, c := range []struct{ title, sort, defined string }{{locale.Say("Site"), "", ""}, {locale.Say("Visitors"), "uniqueVisitors",
		"uniqueVisitors"},
		{locale.Say("Page views"), "pageViews", "pageViews"}, {locale.Say("Change"), "pageViewsChange", ""}} {
		column := Column{Choice: links.Choice{Title: c.title, Address: v.with("sort", c.sort), Chosen: v.Values["sort"] == c.sort}}
		if c.defined != "" {
			column.Definition = v.Look.Defined(c.defined)
		}
		all = append(all, column)
	}
	return all
}

// ranges are the links to other ranges.
func (v SitesView) ranges() (all []links.Choice) {
	now := v.Values["from"]
	if now == "" && v.Values["period"] == "" {
		now = links.DefaultFrom
	}
	for _, r := range []struct{ title, from, key string }{{locale.Say("7 days to today"), "-7d", "w"}, {locale.Say("28 days to today"),
		"-28d", "m"},
		{locale.Say("90 days to today"), "-90d", "q"}} {
		other := SitesView{Look: v.Look, Values: map[string]string{"search": v.Values["search"], "tz": v.Values["tz"],
			"sort": v.Values["sort"]}}
		all = append(all, links.Choice{Title: r.title, Address: other.with("from", r.from), Chosen: now == r.from && v.Values["to"] == "",
			Key: r.key})
	}
	return all
}

func siteRow(s query.SiteFigures, v SitesView) SiteRow {
	figures := query.Figures{PageViews: s.PageViews, UniqueVisitors: s.UniqueVisitors, VisitorsError: s.VisitorsError}
	row := SiteRow{Title: locale.Text(s.SiteID), Address: links.To(v.Look.Base+links.SitePath(s.SiteID), v.ranged()),
		Visitors:  chart.FigureOf("uniqueVisitors").Show(&figures),
		PageViews: chart.FigureOf("pageViews").Show(&figures), Last: locale.Unknown, Incomplete: s.Incomplete}
	if s.Name != "" {
		row.Title, row.ID = locale.Text(s.Name), locale.Text(s.SiteID)
	}
	if s.PageViewsChange != nil {
		row.Change, row.Trend = locale.Change(*s.PageViewsChange)
	}
	if s.LastEvents != nil {
		row.Last = withinText(*s.LastEvents)
	}
	row.sparkline(s.Days, s.To.After(v.Read))
	return row
}

// withinText spells the hour or day within which something was.
func withinText(w query.Within) string {
	if w.To.Sub(w.From) > time.Hour {
		return locale.Spell(w.From, "2 Jan 2006")
	}
	return locale.Spell(w.From, "2 Jan 2006, 15:04") + "–" + locale.Spell(w.To, "15:04")
}

// sparkline draws the visitors of days in a box of 100 by 24, and says them. The last day may not be over.
func (r *SiteRow) sparkline(days []query.DayViews, unfinished bool) {
	visitors := chart.FigureOf("uniqueVisitors")
	greatest := 1.0
	var said []string
	of := make([]float64, len(days))
	for i, d := range days {
		figures := query.Figures{UniqueVisitors: d.UniqueVisitors}
		of[i], _ = visitors.Value(&figures)
		greatest = max(greatest, of[i])
		said = append(said, visitors.Show(&figures))
	}
	points := make([]string, len(of))
	for i, x := range of {
		at := 50.0
		if len(of) > 1 {
			at = 100 * float64(i) / float64(len(of)-1)
		}
		points[i] = fmt.Sprintf("%.1f %.1f", at, 22-20*x/greatest)
	}
	over, n := points, len(points)
	if unfinished && n > 1 {
		over = points[:n-1]
		r.Open = "M" + points[n-2] + "L" + points[n-1]
		said[n-1] += " " + locale.Say("so far")
	}
	if len(over) > 0 {
		r.Line = "M" + strings.Join(over, "L")
	}
	if len(over) > 1 {
		last, _, _ := strings.Cut(over[len(over)-1], " ")
		r.Area = "M0 24L" + strings.Join(over, "L") + "L" + last + " 24Z"
	}
	r.Says = locale.Say("Visitors of %s {day|days}: %s", n, strings.Join(said, ", "))
}
