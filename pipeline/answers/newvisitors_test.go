package answers_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/query"
)

// TestNewVisitorsSinceTheSwitch: a step that was begun while new visitors were counted is redone so, although the switch is off by
// then, and steps after it count none. Returning visitors are known of hours that begin after the switch was turned on the last time.
func TestNewVisitorsSinceTheSwitch(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		visit := func(visitors ...string) {
			for _, v := range visitors {
				now := time.Now()
				w.Produce(record{Key: "s", At: now, Value: fmt.Appendf(nil, `{"siteId":"s","type":"click","timestamp":%d,"visitorId":%q}`,
					now.UnixMilli(), v)})
			}
		}
		turn := func(on bool) {
			change := sites.Decision{Table: w.Table, Site: "s", Now: time.Now()}
			if _, err := change.Update(t.Context(), sites.Changes{NewVisitors: &on}); err != nil {
				t.Fatal(err)
			}
		}
		count := func(visitors ...string) {
			run := w.Start(w.Options())
			visit(visitors...)
			w.Settled()
			run.Drain()
		}
		count("before", "both")
		turn(true)
		w.Pass(time.Until(bubbleStart.Add(61 * time.Minute)))
		visit("both", "redone")
		if err := w.Ends(w.With(&testpipeline.KillOnStats{Table: w.Table}, 0)); !errors.Is(err, testpipeline.ErrKilled) {
			t.Fatalf("Run = %v, want the kill", err)
		}
		turn(false)
		run := w.Start(w.Options()) // It redoes the open step.
		w.Settled()
		run.Drain()
		count("off")
		turn(true)
		w.Pass(time.Until(bubbleStart.Add(121 * time.Minute)))
		count("both", "off", "last")

		answer, err := query.New(w.Table, time.Now).Stats(t.Context(), query.StatsParams{Site: "s", From: bubbleStart,
			By: query.Hour, Consistent: true})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, b := range append(answer.Buckets, query.Bucket{Figures: *answer.Totals}) {
			fresh, returning := "unknown", "unknown"
			if b.NewVisitors != nil {
				fresh = fmt.Sprint(*b.NewVisitors)
			}
			if b.ReturningVisitors != nil {
				returning = fmt.Sprint(*b.ReturningVisitors)
			}
			got = append(got, fmt.Sprintf("%s new, %s returning", fresh, returning))
		}
		want := []string{"unknown new, unknown returning", "2 new, unknown returning", "2 new, 1 returning", "4 new, unknown returning"}
		if !slices.Equal(got, want) {
			t.Errorf("hours and all of them: %q, want %q", got, want)
		}
		w.Agrees(w.Options())
	})
}
