package pipeline_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/footfall/footfall/classify"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/sinks"
)

// TestConsumerWithAnotherClock: the clock of one of two consumers is a day off. All that lasts is as in a calm run, and
// of what lives for ten minutes each item is right or absent. Only a minute in whose ten minutes its partition passed
// between the two may lack what the fast one left out as expired.
func TestConsumerWithAnotherClock(t *testing.T) {
	t.Parallel()
	records := traffic(55, 2, 2400, bubbleStart)
	want := calm(t, 2, records)
	for name, off := range map[string]time.Duration{"a day fast": 24 * time.Hour, "a day slow": -24 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			var passed []time.Time
			rows := trial{2, records, func(w *world, s *spy, produce func(int)) {
				load := func(minutes int) {
					for range minutes {
						produce(40) // As many as happen in a minute.
						w.pass(time.Minute)
					}
				}
				first := w.start(w.with(s, 0))
				load(5)
				o := w.with(s, 1)
				o.Now = func() time.Time { return time.Now().Add(off) }
				passed = append(passed, time.Now())
				second := w.start(o)
				load(5)
				passed = append(passed, time.Now())
				first.drain()
				load(30)
				passed = append(passed, time.Now())
				first = w.start(w.with(s, 0))
				load(3)
				passed = append(passed, time.Now())
				second.drain()
				load(17)
				first.drain()
			}}.rows(t)
			rest, absent, short := maps.Clone(want), 0, 0
			for key, row := range want {
				if !strings.Contains(key, sinks.RealtimePrefix) || rows[key] == row {
					continue
				}
				_, minute, _ := strings.Cut(key, sinks.RealtimePrefix)
				begins := at(t, minute[:len("2000-01-01T00:00")]+":00Z")
				if _, ok := rows[key]; !ok {
					absent++
				} else if short++; !slices.ContainsFunc(passed, func(p time.Time) bool {
					return p.Add(time.Minute).After(begins) && begins.Add(pipeline.RealtimeTTL+2*time.Minute).After(p)
				}) {
					t.Errorf("%s\nhave %s\nwant %s", key, rows[key], row)
				}
				delete(rest, key)
				delete(rows, key)
			}
			compare(t, rows, rest)
			t.Logf("%d realtime minutes absent, %d short", absent, short)
			if fast := off > 0; fast != (absent > 0) || !fast && short > 0 {
				t.Errorf("%d realtime minutes are absent, %d short", absent, short)
			}
		})
	}
}

// TestRollingDeployWithOtherSettings: processes are replaced one by one, in order and by kill -9 in the middle of a
// step, by those of another release with other settings, under load. Each step counts by the settings that it names,
// whoever does it again.
func TestRollingDeployWithOtherSettings(t *testing.T) {
	inWorld(t, 3, func(t *testing.T, w *world) {
		before, after := pipeline.DefaultSettings(), pipeline.DefaultSettings()
		after.LateMs, after.NonInteractive, after.RawEvents = time.Minute.Milliseconds(), []string{"click"}, false
		after.Retention.SessionDays, after.Duplicates = 10, 100
		metrics := pipeline.NewMetrics(prometheus.NewRegistry()) // Of the new release.
		records := traffic(56, 3, 1500, bubbleStart)
		n := len(records)
		load := func(n int) {
			for range n {
				w.produce(records[:50]...)
				records = records[50:]
				w.pass(3 * time.Second)
			}
		}
		var runs []*process
		var fates []*midStep
		for i := range 6 {
			fate := &midStep{Table: w.table}
			o := w.with(fate, uint64(i))
			if o.Settings = before; i >= 3 {
				o.Settings, o.Metrics = after, metrics
			}
			runs, fates = append(runs, w.start(o)), append(fates, fate)
			load(3)
			if i < 3 {
				continue
			}
			if i == 4 {
				runs[1].drain()
			} else {
				fates[i-3].doom.Store(true)
				load(2)
				runs[i-3].killed()
			}
			load(1)
		}
		load(len(records) / 50)
		w.settled()
		for _, run := range runs[3:] {
			run.drain()
		}
		w.recounts(n)
		if n := testutil.ToFloat64(metrics.Redone.WithLabelValues(pipeline.LaneStats)); n == 0 {
			t.Error("the new release did no step of the old one again: the test is void")
		}
	})
}

// midStep is a table whose user dies at the first write of a step of the stats lane, once it is doomed.
type midStep struct {
	sinks.Table
	doom, dead atomic.Bool
}

func (m *midStep) Update(ctx context.Context, u sinks.Update) (sinks.Result, error) {
	if m.doom.Load() && strings.HasPrefix(u.Key.SK, "SESSION#") {
		m.dead.Store(true)
	}
	if m.dead.Load() {
		return sinks.Result{}, errKilled
	}
	return m.Table.Update(ctx, u)
}

// TestStepOfAnotherReleaseIsLeftToIt: a process that does not know the fold version of an open step says which release
// can do it again, and touches nothing; that release goes on exactly.
func TestStepOfAnotherReleaseIsLeftToIt(t *testing.T) {
	inWorld(t, 1, func(t *testing.T, w *world) {
		records := traffic(57, 1, 200, bubbleStart)
		w.killedMidStep(records[:100])
		key := sinks.Keys{}.Checkpoint(sinks.TP{Topic: 1}, pipeline.LaneStats)
		ours := w.item(key)
		other := pipeline.DefaultSettings()
		other.Fold = pipeline.FoldVersion + 1
		release := func(ver string) {
			if _, err := w.table.Update(t.Context(), sinks.Update{Key: key, Set: []sinks.Attr{{Name: "ver", Value: sinks.Str(ver)}}}); err != nil {
				t.Fatal(err)
			}
		}
		w.produce(records[100:]...)
		for _, c := range []struct{ ver, says string }{
			{other.String(), fmt.Sprint("fold version ", pipeline.FoldVersion+1)},
			{strings.Replace(ours["ver"].Str(), classify.Version, "of tomorrow", 1), `"of tomorrow"`},
		} {
			release(c.ver)
			err := w.start(w.with(w.table, 0)).ended()
			for _, part := range []string{"partition 0", c.says, "run the release that began it"} {
				if err == nil || !strings.Contains(err.Error(), part) {
					t.Errorf("Run = %v, want an error that says %q", err, part)
				}
			}
		}
		release(ours["ver"].Str())
		run := w.start(w.with(w.table, 1))
		w.settled()
		run.drain()
		w.recounts(len(records))
	})
}
