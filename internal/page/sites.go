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
	Sites  []query.Site
	Stats  []query.StatsAnswer // of the same sites, by day
	Cursor string              // of the next page; "": this is the last
	Units  float64             // read units that it consumed
}

// SiteRow is a site with its figures.
type SiteRow struct {
	Title, Address, Visitors, PageViews, Bounce string
	Line, Area                                  string // of the visitors by day
	Says                                        string
}

// Sites writes the overview of sites.
func Sites(w io.Writer, v SitesView) error {
	d := struct {
		Rows  []SiteRow
		Next  string
		Units float64
	}{Units: v.Units}
	for i, s := range v.Sites {
		d.Rows = append(d.Rows, siteRow(s, v.Stats[i]))
	}
	if v.Cursor != "" {
		d.Next = "/?" + url.Values{"cursor": {v.Cursor}}.Encode()
	}
	return render(w, "sites.html", d)
}

func siteRow(s query.Site, a query.StatsAnswer) SiteRow {
	row := SiteRow{Title: text(s.SiteID), Address: SitePath(s.SiteID), Visitors: unknown, PageViews: unknown, Bounce: unknown}
	if s.Name != "" {
		row.Title = text(s.Name)
	}
	if a.Totals != nil {
		row.Visitors, row.PageViews = figureOf("uniqueVisitors").show(a.Totals), figureOf("pageViews").show(a.Totals)
		row.Bounce = figureOf("bounceRate").show(a.Totals)
	}
	row.Line, row.Area, row.Says = sparkline(a.Buckets)
	return row
}

// sparkline draws the visitors of buckets in a box of 100 by 24, and says them.
func sparkline(buckets []query.Bucket) (line, area, says string) {
	visitors := figureOf("uniqueVisitors")
	greatest := 1.0
	var said []string
	for _, b := range buckets {
		x, _ := visitors.value(&b.Figures)
		greatest = max(greatest, x)
		said = append(said, visitors.show(&b.Figures))
	}
	var l strings.Builder
	for i, b := range buckets {
		x, _ := visitors.value(&b.Figures)
		at := 50.0
		if len(buckets) > 1 {
			at = 100 * float64(i) / float64(len(buckets)-1)
		}
		l.WriteString(map[bool]string{true: "M", false: "L"}[i == 0] + decimals(at, 1) + " " + decimals(22-20*x/greatest, 1))
	}
	if len(buckets) > 1 {
		area = "M0 24L" + strings.TrimPrefix(l.String(), "M") + "L100 24Z"
	}
	return l.String(), area, strconv.Itoa(len(buckets)) + " days: " + strings.Join(said, ", ")
}
