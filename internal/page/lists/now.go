package lists

import (
	"time"

	"github.com/footfall/footfall/internal/page/links"
	"github.com/footfall/footfall/internal/page/locale"
	"github.com/footfall/footfall/query"
)

// nowMinutes is how many minutes the realtime card shows, and nowPages how many pages.
const nowMinutes, nowPages = 30, 5

// Now is what is happening at a site.
type Now struct {
	Visitors, Views string // of the last five minutes
	Pages           []ListRow
	Most            int    // rows that Pages may have
	Others          string // page views of the pages that are not shown; "": there are none
	All             string // address of the list of all pages
	Minutes         []Minute
	Says            string
	Address         string // of the API's answer, for the script
	Stream          string // of the stream of these answers; "": there is none
	Zone            string // in which minutes are named
}

// Minute is a minute of the realtime card, in a box of 30 by 40.
type Minute struct {
	X, Y, Height float64
	Says         string
}

// NowOf describes the last minutes. Minutes are named in a zone.
func NowOf(a query.RealtimeAnswer, at links.Address, zone *time.Location) Now {
	n := Now{Visitors: locale.Count(int64(a.CurrentVisitors)), Views: locale.Count(a.PageViews), Address: at.Realtime(), Zone: zone.String(),
		Most: nowPages}
	greatest, sum := int64(1), int64(0)
	views := make(map[time.Time]int64, len(a.Series))
	for _, m := range a.Series {
		views[m.Start.UTC()] = m.PageViews
		greatest, sum = max(greatest, m.PageViews), sum+m.PageViews
	}
	n.Says = locale.Say("Page views in each of the last %s minutes; %s in total", nowMinutes, locale.Count(sum))
	for i := range nowMinutes {
		start := a.To.UTC().Truncate(time.Minute).Add(time.Duration(i-nowMinutes) * time.Minute)
		height := 40 * float64(views[start]) / float64(greatest)
		n.Minutes = append(n.Minutes, Minute{float64(i), 40 - height, height,
			start.In(zone).Format("15:04") + ": " + locale.Count(views[start])})
	}
	pages := a.ActivePages[:min(nowPages, len(a.ActivePages))]
	n.Pages, n.Others, n.All = ActivePages(pages, a.PageViews, at), OthersNow(pages, a.PageViews), at.Now()
	return n
}

// ActivePages are rows of pages that were viewed lately, among all page views.
func ActivePages(pages []query.ActivePage, views int64, at links.Address) (rows []ListRow) {
	for _, p := range pages {
		row := ListRow{Value: locale.Text(p.Page), Filter: at.Adding("page", p.Page), Figure: locale.Count(int64(p.PageViews)),
			Bar: 100 * float64(p.PageViews) / float64(max(1, pages[0].PageViews))}
		if views > 0 {
			row.Share = locale.Percent(float64(p.PageViews) / float64(views))
		}
		if p.Uncertain > 0 {
			row.Bound = locale.Say("may lack up to %s page {view|views}, from minutes in which it was not among the busiest pages",
				locale.Count(int64(p.Uncertain)))
		}
		rows = append(rows, row)
	}
	return rows
}

// OthersNow are the page views that are in none of the rows; "": there are none.
func OthersNow(pages []query.ActivePage, views int64) string {
	for _, p := range pages {
		views -= int64(p.PageViews)
	}
	if views <= 0 {
		return ""
	}
	return locale.Count(views)
}
