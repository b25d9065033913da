package page

import (
	"fmt"
	"time"

	"github.com/footfall/footfall/query"
)

// nowMinutes is how many minutes the realtime card shows, and nowPages how many pages.
const nowMinutes, nowPages = 30, 5

// Now is what is happening at a site.
type Now struct {
	Visitors, Views string // of the last five minutes
	Pages           []ListRow
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

// nowOf describes the last minutes. Minutes are named in a zone.
func nowOf(a query.RealtimeAnswer, at Address, zone *time.Location) Now {
	n := Now{Visitors: count(int64(a.CurrentVisitors)), Views: count(a.PageViews), Address: at.Realtime(), Zone: zone.String()}
	greatest, sum := int64(1), int64(0)
	views := make(map[time.Time]int64, len(a.Series))
	for _, m := range a.Series {
		views[m.Start.UTC()] = m.PageViews
		greatest, sum = max(greatest, m.PageViews), sum+m.PageViews
	}
	n.Says = fmt.Sprintf("Page views in each of the last %d minutes; %s in total", nowMinutes, count(sum))
	for i := range nowMinutes {
		start := a.To.UTC().Truncate(time.Minute).Add(time.Duration(i-nowMinutes) * time.Minute)
		height := 40 * float64(views[start]) / float64(greatest)
		n.Minutes = append(n.Minutes, Minute{float64(i), 40 - height, height,
			start.In(zone).Format("15:04") + ": " + count(views[start])})
	}
	for i, p := range a.ActivePages {
		if i == nowPages {
			break
		}
		row := ListRow{Value: text(p.Page), Filter: at.adding("page", p.Page), Figure: count(int64(p.PageViews)),
			Bar: 100 * float64(p.PageViews) / float64(max(1, a.ActivePages[0].PageViews))}
		if p.Uncertain > 0 {
			row.Bound = fmt.Sprintf("may lack up to %s page views, from minutes in which it was not among the busiest pages",
				count(int64(p.Uncertain)))
		}
		n.Pages = append(n.Pages, row)
	}
	return n
}
