package erase_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/erase"
	"github.com/footfall/footfall/internal/testworld"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// gathering is a table that answers no update of a day's stats before two hours of the day have sent theirs.
type gathering struct {
	sinks.Table
	mu   sync.Mutex // covers sent
	sent int
	both chan struct{} // closed at the second
}

func (t *gathering) Update(ctx context.Context, u sinks.Update) (sinks.Result, error) {
	if !strings.HasPrefix(u.Key.SK, sinks.DayStatsPrefix) {
		return t.Table.Update(ctx, u)
	}
	t.mu.Lock()
	if t.sent++; t.sent == 2 {
		close(t.both)
	}
	t.mu.Unlock()
	select {
	case <-t.both:
		return t.Table.Update(ctx, u)
	case <-ctx.Done():
		return sinks.Result{}, context.Cause(ctx)
	}
}

// TestHoursWaitForNoMutex: while the table is slow to answer an update of a day's stats, the sweep of breakdowns proceeds with the
// other hours of the day. It held a mutex for as long as the request took.
func TestHoursWaitForNoMutex(t *testing.T) {
	table := testworld.Table(t)
	s := opened(t, table)
	o := s.options(gone)
	o.Breakdowns = true
	settings, err := sinks.EnsureTableSettings(t.Context(), s.table, s.keys, nil)
	if err != nil {
		t.Fatal(err)
	}
	hasher, err := sketch.NewHasher(settings.HashKey)
	if err != nil {
		t.Fatal(err)
	}
	part := sketch.NewBreakdown(10)
	part.Event(sketch.Page, "/secret", 1, sketch.Hit{Visitor: hasher.Visitor('v', []byte(gone))})
	packed, err := sketch.PackBreakdown(part)
	if err != nil {
		t.Fatal(err)
	}
	tp := sinks.TP{Topic: 1}
	mark := sinks.Attr{Name: sinks.AttrMark(checkpoint.LaneStats, tp), Value: sinks.Int(1)}
	put := func(key sinks.Key, entity string, more ...sinks.Attr) {
		t.Helper()
		set := append(more, mark, sinks.Attr{Name: sinks.AttrEntity, Value: sinks.Str(entity)})
		if _, err := s.table.Update(t.Context(), sinks.Update{Key: key, Set: set}); err != nil {
			t.Fatal(err)
		}
	}
	day := now.Truncate(24 * time.Hour).UnixMilli()
	hours := []int64{day + 3_600_000, day + 2*3_600_000}
	put(s.keys.DayStats(site, day), sinks.EntityStats)
	for _, hour := range hours {
		put(s.keys.HourStats(site, hour), sinks.EntityStats)
		put(s.keys.Breakdown(site, hour, tp), sinks.EntityBreakdown, sinks.Attr{Name: sinks.AttrPart, Value: sinks.Bytes(packed)})
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute) // Ends what would never end.
	defer cancel()
	o.Table = &gathering{Table: s.table, both: make(chan struct{})}
	report, err := erase.Run(ctx, o)
	if err != nil || report.Touched[erase.Rows] != int64(len(hours)) {
		t.Errorf("Run = %v, %+v, want a row dropped from each of %d hours", err, report, len(hours))
	}
	for _, hour := range hours {
		page, err := s.table.Query(t.Context(), sinks.Query{PK: s.keys.BreakdownOfDay(site, hour), Prefix: sinks.BreakdownPrefix,
			Consistent: true})
		if err != nil || slices.ContainsFunc(page.Items, func(it sinks.Item) bool { return it[sinks.AttrPurged].Kind() == sinks.None }) {
			t.Errorf("%v, items %v, want all swept", err, page.Items)
		}
	}
}
