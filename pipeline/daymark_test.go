package pipeline_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/footfall/footfall/sinks"
)

// dayMarks is a table that looks at the order of writes: by site, day and partition, up to which step the day is marked, and
// up to which its hours are.
type dayMarks struct {
	sinks.Table
	t  *testing.T
	tp sinks.TP

	mu          sync.Mutex // covers all below
	days, hours map[string]int64
	bare        int // marks of days without any sum
}

func (d *dayMarks) Update(ctx context.Context, u sinks.Update) (sinks.Result, error) {
	name := sinks.AttrMark("stats", d.tp)
	mark := int64(0)
	for _, a := range u.Set {
		if a.Name == name {
			mark = a.Value.Int()
		}
	}
	site, _, _ := strings.Cut(strings.TrimPrefix(u.Key.PK, "SITE#"), "#")
	bucket := strings.TrimPrefix(u.Key.SK, "STATS#")
	isHour := strings.HasPrefix(bucket, sinks.UniquesPrefix)
	if mark == 0 || !isHour && !strings.HasPrefix(bucket, "day#") {
		return d.Table.Update(ctx, u)
	}
	_, date, _ := strings.Cut(bucket, "#")
	day := site + " " + date[:len(time.DateOnly)]
	if isHour {
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.days[day] >= mark {
			d.t.Errorf("%s / %s is written in step %d, after its day", u.Key.PK, u.Key.SK, mark)
		}
		d.hours[day] = max(d.hours[day], mark)
		return d.Table.Update(ctx, u)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.days[day] = max(d.days[day], mark)
	if len(u.Add) == 0 {
		d.bare++
	}
	return d.Table.Update(ctx, u)
}

// TestDayIsMarkedAfterItsHours: whoever reads the marks of a day and then its hours finds in these all that the marks name.
// So a step that writes anything of a day's hours marks the day, last, even when no sum of it changes.
func TestDayIsMarkedAfterItsHours(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		d := &dayMarks{Table: w.Table, t: t, tp: sinks.TP{Topic: 1}, days: make(map[string]int64), hours: make(map[string]int64)}
		o := w.Options()
		o.Table, o.StatsInterval = d, 2*time.Second
		p := w.Start(o)
		for _, r := range traffic(1, 1, 100, bubbleStart.Add(-30*time.Second)) {
			w.Produce(r)
			w.Pass(100 * time.Millisecond)
		}
		// A session of the evening before goes on after midnight. Its last page comes at the same moment as the one before:
		// nothing of that day changes but which page was left.
		for i, after := range []time.Duration{-time.Minute, time.Minute, time.Minute} {
			w.Produce(record{At: bubbleStart.Add(time.Minute), Value: mustJSON(map[string]any{"siteId": "night", "type": "page_view",
				"timestamp": bubbleStart.Add(after).UnixMilli(), "sessionId": "s", "url": fmt.Sprint("/", i)})})
			w.Pass(5 * time.Second)
		}
		w.Settled()
		p.Drain()
		for day, step := range d.hours {
			if d.days[day] < step {
				t.Errorf("hours of %s are written up to step %d, the day is marked up to %d", day, step, d.days[day])
			}
		}
		if len(d.hours) < 4 || d.bare == 0 {
			t.Errorf("%d days and %d marks without sums: this test needs some", len(d.hours), d.bare)
		}
	})
}
