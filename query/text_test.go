package query_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/query"
)

func TestAnswersPrintReadably(t *testing.T) {
	visitors, rate := uint64(3), 0.25
	a := query.StatsAnswer{Site: "shop.example", Known: query.Known{SiteKnown: true}, By: query.Day, From: at(0), To: at(0).AddDate(0, 0, 1),
		Buckets: []query.Bucket{{Start: at(0), End: at(0).AddDate(0, 0, 1), InProgress: true,
			Figures: query.Figures{PageViews: 4, ValueSum: "0"}}},
		Totals: &query.Figures{PageViews: 4, UniqueVisitors: &visitors, BounceRate: &rate}}
	want := `{Site:"shop.example" SiteKnown:true By:"day" From:2026-05-12T00:00:00Z To:2026-05-13T00:00:00Z ` +
		`Buckets:[{Start:2026-05-12T00:00:00Z End:2026-05-13T00:00:00Z InProgress:true PageViews:4 ValueSum:"0"}] ` +
		`Totals:{PageViews:4 UniqueVisitors:3 BounceRate:0.25}}`
	for _, verb := range []string{"%v", "%+v", "%s"} {
		if have := fmt.Sprintf(verb, a); have != want {
			t.Errorf("%s prints\n%s, want\n%s", verb, have, want)
		}
	}
	for part, want := range map[any]string{a.Totals: `{PageViews:4 UniqueVisitors:3 BounceRate:0.25}`, &a.Buckets[0]: `{Start:2026-05-12T00:00:00Z ` +
		`End:2026-05-13T00:00:00Z InProgress:true PageViews:4 ValueSum:"0"}`} {
		if have := fmt.Sprintf("%+v", part); have != want {
			t.Errorf("%T prints\n%s, want\n%s", part, have, want)
		}
	}
	if have := fmt.Sprintf("%+v", &a); have != want {
		t.Errorf("%%+v of a pointer prints\n%s, want\n%s", have, want)
	}
}

// TestNoAnswerPrintsAddresses: every answer of a world with something of everything.
func TestNoAnswerPrintsAddresses(t *testing.T) {
	n, at := int64(7), time.Date(2026, 5, 12, 0, 0, 0, 0, time.UTC)
	for _, answer := range []any{
		query.SitesAnswer{Sites: []query.Site{{CreatedAt: &at, Retention: query.Retention{RawDays: &n}, Rows: map[string]int{"page": 5}}}},
		query.SitesFiguresAnswer{Sites: []query.SiteFigures{{LastEvents: &query.Within{From: at}}}},
		query.SiteAnswer{Site: &query.Site{DeletedAt: &at}}, query.TopAnswer{None: &query.TopNone{AvgDurationMs: &n},
			Stored: &query.Stored{To: at}},
		query.FilteredStatsAnswer{Filter: query.FilterReport{Cost: &query.FilterCost{EventsRead: n}}},
		query.SessionAnswer{StartedAt: &at, Parts: []query.Session{{Goals: []uint64{3}}}},
		query.EventsAnswer{From: &at, Events: []query.Event{{Properties: []byte(`{"plan":"pro"}`)}}},
		query.GoalAnswer{Goal: &query.Goal{Since: &at}}, query.FunnelReportAnswer{Steps: []query.FunnelStep{{MedianMs: &n}}},
		query.PathsAnswer{Rows: []query.PathRow{{Share: new(0.5)}}},
	} {
		if have := fmt.Sprintf("%+v", answer); strings.Contains(have, "0x") || strings.Contains(have, "ext:") || len(have) < 12 {
			t.Errorf("%T prints %s", answer, have)
		}
	}
}
