package footfalltest_test

import (
	"fmt"
	"time"

	"github.com/footfall/footfall/footfalltest"
	"github.com/footfall/footfall/query"
)

// Two visitors look at three pages of a shop.
func Example() {
	t := new(example) // In a test, its *testing.T.
	defer t.end()

	f := footfalltest.Start(t, footfalltest.Options{})
	f.Publish(t,
		footfalltest.Event{SiteID: "shop.example", VisitorID: "v-1", URL: "https://shop.example/"},
		footfalltest.Event{SiteID: "shop.example", VisitorID: "v-1", URL: "https://shop.example/kettles"},
		footfalltest.Event{SiteID: "shop.example", VisitorID: "v-2", URL: "https://shop.example/kettles"},
	)
	f.Settle(t)
	answer, err := f.Query().Stats(t.Context(), query.StatsParams{Site: "shop.example", From: time.Now().Add(-24 * time.Hour)})
	if err != nil {
		t.Fatalf("stats: %v", err)
	}
	fmt.Printf("%d page views, %d sessions\n", answer.Totals.PageViews, answer.Totals.Sessions)
	// Output:
	// 3 page views, 2 sessions
}
