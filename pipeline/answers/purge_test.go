package answers_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/erase"
	"github.com/footfall/footfall/internal/seal"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/pipeline/aggregate"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
)

// top returns the rows of pages in two months, as "page events", the events of others, and all that rows and others sum up to.
func (w *world) top() (rows []string, others int64, all string) {
	w.T.Helper()
	a, err := query.New(w.Table, time.Now).Top(w.T.Context(), query.TopParams{Site: "s", Dimension: "page", Consistent: true,
		From: bubbleStart.AddDate(0, -2, 0), To: bubbleStart.AddDate(0, 0, 2)})
	if err != nil {
		w.T.Fatal(err)
	}
	sum := a.Other
	for _, r := range a.Rows {
		rows = append(rows, fmt.Sprint(r.Value, " ", r.Events))
		sum.Events += r.Events
		sum.PageViews += r.PageViews
		sum.Sessions += r.Sessions
		sum.Bounces += r.Bounces
		sum.DurationMs += r.DurationMs
		sum.Entries += r.Entries
		sum.Exits += r.Exits
	}
	return rows, a.Other.Events, fmt.Sprint(sum.Events, sum.PageViews, sum.Sessions, sum.Bounces, sum.DurationMs, sum.Entries, sum.Exits)
}

// TestRowsOfErasedVisitorAreDropped: an erasure that includes breakdowns leaves no row that only the visitor made, and no text of
// one, in hours, the journal, sealed days and months, nor after a replay; rows that others share stay, and so do sums.
func TestRowsOfErasedVisitorAreDropped(t *testing.T) {
	slow.Unraced(t)
	t.Parallel()
	for name, rule := range map[string]aggregate.Journal{"items": {MinItem: math.MaxInt}, "journal": {MinItem: 1, Entries: math.MaxInt}} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, 1, func(t *testing.T, w *world) {
				o := w.Options()
				o.Settings.Duplicates, o.StatsInterval, o.Limits.Journal = testpipeline.Within(0), 5*time.Second, rule
				o.Settings.LateMs = (100 * 24 * time.Hour).Milliseconds()
				old := bubbleStart.AddDate(0, 0, -40)
				var records []record
				for i, at := range []time.Time{old, old.Add(time.Hour), old.Add(24 * time.Hour), bubbleStart.Add(-time.Minute)} {
					records = append(records, visitTo("stays", fmt.Sprint("b", i), "/shared", fmt.Sprint("1-", i), at),
						visitTo("gone", fmt.Sprint("a", i), "/shared", fmt.Sprint("2-", i), at.Add(time.Second)),
						visitTo("gone", fmt.Sprint("a", i), fmt.Sprint("/secret-", i), fmt.Sprint("3-", i), at.Add(2*time.Second)),
						visitTo("gone", fmt.Sprint("a", i), "/twice", fmt.Sprint("4-", i), at.Add(3*time.Second)))
				}
				records = append(records, visitTo("stays", "b1", "/twice", "5", old.Add(time.Hour+time.Minute)))
				run := w.Start(o)
				for _, r := range records {
					r.At = time.Now()
					w.Produce(r)
					w.Settled()
				}
				sealAll := func() {
					t.Helper()
					log, err := sites.ReadLog(t.Context(), w.Table, sinks.Keys{}, nil)
					if err == nil {
						err = seal.New(seal.Options{Table: w.Table, DaySpan: log.DaySpan}).Pass(t.Context())
					}
					if err != nil {
						t.Fatal(err)
					}
				}
				sealAll()
				_, _, before := w.top()
				sealed := len(w.Query(sinks.Keys{}.BreakdownList("s"), ""))
				if n := len(w.ItemsWith("/secret")); n < 4+sealed || sealed != 5 {
					t.Fatalf("before, %d items have a text of the visitor's, %d sealed ones among them: %q", n, sealed, w.ItemsWith("/secret"))
				}
				opts := w.Erasure("gone")
				opts.Breakdowns = true
				report, err := erase.Run(t.Context(), opts)
				if err != nil || !report.Over() || report.Touched[erase.Rows] == 0 {
					t.Fatalf("%+v, %v", report, err)
				}
				want := []string{"/shared 8", "/twice 2"}
				check := func(when, sums string, others int64) {
					t.Helper()
					if left := w.ItemsWith("/secret"); left != nil {
						t.Errorf("%s: a text is left in %q", when, left)
					}
					if left := w.RowsOf("s", "gone", report.Until.UnixMilli()); left != nil {
						t.Errorf("%s: rows are left: %q", when, left)
					}
					rows, other, all := w.top()
					if !slices.Equal(rows, want) || other != others || all != sums && sums != "" {
						t.Errorf("%s: rows %q, %d events of others, want %q, %d; sums %s, want %s", when, rows, other, want, others, all, sums)
					}
					w.Recounted()
				}
				check("erased", before, 7)
				sealAll()
				check("sealed again", before, 7)
				w.Produce(records...) // A shared row counts on; what has no row makes none.
				w.Settled()
				run.Drain()
				want = []string{"/shared 16", "/twice 4"}
				check("replayed", "", 14)
				sealAll()
				check("sealed after that", "", 14)
			})
		})
	}
}
