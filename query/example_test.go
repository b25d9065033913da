package query_test

import (
	"context"
	"fmt"
	"time"

	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/memory"
)

// A reader answers from any table; a site without events is an empty answer.
func ExampleReader_Stats() {
	table := new(memory.Table) // Or the file of a table, or dynamo.New.
	ctx := context.Background()
	if err := table.Create(ctx, sinks.Shape{}); err != nil {
		fmt.Println(err)
		return
	}
	reader := query.New(table, time.Now)
	answer, err := reader.Stats(ctx, query.StatsParams{Site: "shop.example", From: time.Now().AddDate(0, 0, -7)})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(answer.SiteKnown, answer.By, answer.Totals.PageViews)
	// Output: false day 0
}

// Times are spelled as on the command line.
func ExampleParseTime() {
	now := time.Date(2026, 5, 12, 14, 35, 20, 0, time.UTC)
	for _, text := range []string{"-7d", "2026-05-01", "yesterday", "-90m"} {
		t, err := query.ParseTime(text, now)
		fmt.Println(t.Format(time.RFC3339), err)
	}
	// Output:
	// 2026-05-06T00:00:00Z <nil>
	// 2026-05-01T00:00:00Z <nil>
	// 2026-05-11T00:00:00Z <nil>
	// 2026-05-12T13:05:20Z <nil>
}
