package page

import (
	"io"
	"net/url"
	"strconv"
	"strings"

	"github.com/footfall/footfall/query"
)

// SitesView is what the overview of sites shows.
type SitesView struct {
	query.SitesFiguresAnswer
	Look   Look
	Search string  // what their ids have in common; "": all sites
	Units  float64 // read units that it consumed
}

// SiteRow is a site with its figures.
type SiteRow struct {
	Title, Address, Visitors, PageViews, Trend, Last string
	Line, Area                                       string // of the visitors by day
	Says                                             string
}

// Sites writes the overview of sites.
func Sites(w io.Writer, v SitesView) error {
	d := struct {
		Look         Look
		Rows         []SiteRow
		Next, Search string
		Units        float64
	}{Look: v.Look, Search: v.Search, Units: v.Units}
	for _, s := range v.SitesFiguresAnswer.Sites {
		d.Rows = append(d.Rows, siteRow(v.Look.Base, s))
	}
	if v.Cursor != "" {
		values := url.Values{"cursor": {v.Cursor}}
		if v.Search != "" {
			values.Set("search", v.Search)
		}
		d.Next = v.Look.Base + "/?" + values.Encode()
	}
	return render(w, "sites.html", d)
}

func siteRow(base string, s query.SiteFigures) SiteRow {
	figures := query.Figures{PageViews: s.PageViews, UniqueVisitors: s.UniqueVisitors, VisitorsError: s.VisitorsError}
	row := SiteRow{Title: text(s.SiteID), Address: base + SitePath(s.SiteID), Visitors: figureOf("uniqueVisitors").show(&figures),
		PageViews: figureOf("pageViews").show(&figures), Trend: unknown, Last: unknown}
	if s.Name != "" {
		row.Title = text(s.Name)
	}
	if s.PageViewsChange != nil {
		row.Trend = signed(*s.PageViewsChange, percent(*s.PageViewsChange))
	}
	if s.LastEvents != nil {
		row.Last = s.LastEvents.From.Format("2 Jan 2006, 15:04")
	}
	row.Line, row.Area, row.Says = sparkline(s.Days)
	return row
}

// sparkline draws the visitors of days in a box of 100 by 24, and says them.
func sparkline(days []query.DayViews) (line, area, says string) {
	visitors := figureOf("uniqueVisitors")
	greatest := 1.0
	var said []string
	of := make([]float64, len(days))
	for i, d := range days {
		figures := query.Figures{UniqueVisitors: d.UniqueVisitors}
		of[i], _ = visitors.value(&figures)
		greatest = max(greatest, of[i])
		said = append(said, visitors.show(&figures))
	}
	var l strings.Builder
	for i, x := range of {
		at := 50.0
		if len(of) > 1 {
			at = 100 * float64(i) / float64(len(of)-1)
		}
		l.WriteString(map[bool]string{true: "M", false: "L"}[i == 0] + decimals(at, 1) + " " + decimals(22-20*x/greatest, 1))
	}
	if len(of) > 1 {
		area = "M0 24L" + strings.TrimPrefix(l.String(), "M") + "L100 24Z"
	}
	return l.String(), area, strconv.Itoa(len(of)) + " days: " + strings.Join(said, ", ")
}
