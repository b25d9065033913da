package pipeline_test

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/erase"
	"github.com/footfall/footfall/internal/journal"
	"github.com/footfall/footfall/internal/seal"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/pipeline/aggregate"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// visitTo is a visitor's page view.
func visitTo(visitor, session, page, id string, at time.Time) record {
	return record{key: "s", at: time.Now(), value: mustJSON(map[string]any{"siteId": "s", "type": "page_view", "timestamp": at.UnixMilli(),
		"id":  id,
		"url": "https://s.example" + page, "visitorId": visitor, "sessionId": session})}
}

// itemsWith are all items of breakdowns and journals of the site that have a text, as readers unpack them.
func (w *world) itemsWith(text string) (found []string) {
	w.t.Helper()
	pks := map[string]bool{sinks.Keys{}.BreakdownList("s"): true}
	for _, it := range w.query(sinks.Keys{}.Site("s"), sinks.HourStatsPrefix) {
		hour, err := sinks.ParseHour(strings.TrimPrefix(it.Key().SK, sinks.HourStatsPrefix))
		if err != nil {
			w.t.Fatal(err)
		}
		pks[sinks.Keys{}.BreakdownOfDay("s", hour)] = true
	}
	for pk := range pks {
		for _, it := range w.query(pk, "") {
			var plain []byte
			b := new(sketch.Breakdown)
			logs, err := journal.Unpack(it[sinks.AttrPart].Bytes())
			switch it[sinks.AttrEntity].Str() {
			case sinks.EntityLate:
				for _, l := range logs {
					plain = append(plain, l.Ops...)
				}
			case sinks.EntityBreakdown, sinks.EntitySealedBreakdown:
				if err = sketch.UnpackBreakdown(it[sinks.AttrPart].Bytes(), b); err == nil {
					for _, d := range sketch.Dimensions() {
						for _, r := range b.Rows(d) {
							plain = append(plain, r.Value...)
						}
					}
				}
				for _, name := range sinks.TopAttrs {
					plain = append(plain, strings.Join(it[name].Strings(), " ")...)
				}
			default:
				continue
			}
			if err != nil {
				w.t.Fatalf("%s / %s: %v", it.Key().PK, it.Key().SK, err)
			}
			if bytes.Contains(plain, []byte(text)) {
				found = append(found, fmt.Sprintf("%s / %s", it.Key().PK, it.Key().SK))
			}
		}
	}
	slices.Sort(found)
	return found
}

// top returns the rows of pages in two months, as "page events", the events of others, and all that rows and others sum up to.
func (w *world) top() (rows []string, others int64, all string) {
	w.t.Helper()
	a, err := query.New(w.table, sinks.Keys{}, time.Now).Top(w.t.Context(), query.TopParams{Site: "s", Dimension: "page", Consistent: true,
		From: bubbleStart.AddDate(0, -2, 0), To: bubbleStart.AddDate(0, 0, 2)})
	if err != nil {
		w.t.Fatal(err)
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
				o := w.options()
				o.Settings.Duplicates, o.StatsInterval, o.Limits.Journal = within(0), 5*time.Second, rule
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
				run := w.start(o)
				for _, r := range records {
					r.at = time.Now()
					w.produce(r)
					w.settled()
				}
				sealAll := func() {
					t.Helper()
					log, err := sites.ReadLog(t.Context(), w.table, sinks.Keys{}, nil)
					if err == nil {
						err = seal.New(seal.Options{Table: w.table, DaySpan: log.DaySpan}).Pass(t.Context())
					}
					if err != nil {
						t.Fatal(err)
					}
				}
				sealAll()
				_, _, before := w.top()
				sealed := len(w.query(sinks.Keys{}.BreakdownList("s"), ""))
				if n := len(w.itemsWith("/secret")); n < 4+sealed || sealed != 5 {
					t.Fatalf("before, %d items have a text of the visitor's, %d sealed ones among them: %q", n, sealed, w.itemsWith("/secret"))
				}
				opts := w.erasure("gone")
				opts.Breakdowns = true
				report, err := erase.Run(t.Context(), opts)
				if err != nil || !report.Over() || report.Touched[erase.Rows] == 0 {
					t.Fatalf("%+v, %v", report, err)
				}
				want := []string{"/shared 8", "/twice 2"}
				check := func(when, sums string, others int64) {
					t.Helper()
					if left := w.itemsWith("/secret"); left != nil {
						t.Errorf("%s: a text is left in %q", when, left)
					}
					if left := w.rowsOf("s", "gone", report.Until.UnixMilli()); left != nil {
						t.Errorf("%s: rows are left: %q", when, left)
					}
					rows, other, all := w.top()
					if !slices.Equal(rows, want) || other != others || all != sums && sums != "" {
						t.Errorf("%s: rows %q, %d events of others, want %q, %d; sums %s, want %s", when, rows, other, want, others, all, sums)
					}
					w.recounted()
				}
				check("erased", before, 7)
				sealAll()
				check("sealed again", before, 7)
				w.produce(records...) // A shared row counts on; what has no row makes none.
				w.settled()
				run.drain()
				want = []string{"/shared 16", "/twice 4"}
				check("replayed", "", 14)
				sealAll()
				check("sealed after that", "", 14)
			})
		})
	}
}
