package page

import (
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/page/locale"
	"github.com/footfall/footfall/query"
)

// A site's day that is not over is dashed, and its last event is named by its hour.
func TestOverviewMarksWhatIsNotOver(t *testing.T) {
	s := query.SiteFigures{Site: query.Site{SiteID: "shop"}, From: day, To: day.AddDate(0, 0, 3),
		LastEvents: &query.Within{From: day.Add(4 * time.Hour), To: day.Add(5 * time.Hour)}}
	for i, n := range []uint64{10, 20, 5} {
		s.Days = append(s.Days, query.DayViews{Start: day.AddDate(0, 0, i), UniqueVisitors: visitors(n)})
	}
	for _, c := range []struct {
		read             time.Time
		line, open, says string
	}{
		{day.AddDate(0, 0, 2).Add(time.Hour), "M0.0 12.0L50.0 2.0", "M50.0 2.0L100.0 17.0", "Visitors of 3 days: 10, 20, 5 so far"},
		{day.AddDate(0, 0, 3), "M0.0 12.0L50.0 2.0L100.0 17.0", "", "Visitors of 3 days: 10, 20, 5"},
	} {
		r := siteRow(s, SitesView{Read: c.read})
		if r.Line != c.line || r.Open != c.open || locale.InEnglish(r.Says) != c.says || locale.InEnglish(r.Last) != "10 May 2026, 04:00–05:00" {
			t.Errorf("read at %v: %q, %q, %q, last event %q; want %+v", c.read, r.Line, r.Open, r.Says, r.Last, c)
		}
	}
	s.LastEvents.To = day.AddDate(0, 0, 1)
	if r := siteRow(s, SitesView{}); locale.InEnglish(r.Last) != "10 May 2026" {
		t.Errorf("last event within a day: %q", r.Last)
	}
}

// The page views of several sites have a sum, and their visitors have none.
func TestOverviewHasATotalRow(t *testing.T) {
	site := func(id string, views int64) query.SiteFigures {
		return query.SiteFigures{Site: query.Site{SiteID: id}, PageViews: views, UniqueVisitors: visitors(7), Days: []query.DayViews{}}
	}
	for n, want := range []string{"", "",
		"Total of 2 sites</th><td title=\"Visitors of several sites cannot be added: one may have been at several.\">–</td><td>42<"} {
		all := []query.SiteFigures{site("a", 30), site("b", 12)}[:n]
		var b strings.Builder
		if err := Sites(&b, SitesView{SitesFiguresAnswer: query.SitesFiguresAnswer{Sites: all, Totals: query.TotalsOf(all)}}); err != nil {
			t.Fatal(err)
		}
		if page := b.String(); want == "" && strings.Contains(page, "Total of") || !strings.Contains(page, want) {
			t.Errorf("%d sites: want %q in %s", n, want, page)
		}
	}
}
