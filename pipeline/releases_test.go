package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/footfall/footfall/internal/classify"
	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// TestConsumerWithAnotherClock: the clock of one of two consumers is a day off. All that lasts is as in a calm run, and
// of what lives for ten minutes each item is right or absent. Only a minute in whose ten minutes its partition passed
// between the two may lack what the fast one left out as expired.
func TestConsumerWithAnotherClock(t *testing.T) {
	slow.Test(t)
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
						w.Pass(time.Minute)
					}
				}
				first := w.Start(w.With(s, 0))
				load(5)
				o := w.With(s, 1)
				o.Now = func() time.Time { return time.Now().Add(off) }
				passed = append(passed, time.Now())
				second := w.Start(o)
				load(5)
				passed = append(passed, time.Now())
				first.Drain()
				load(30)
				passed = append(passed, time.Now())
				first = w.Start(w.With(s, 0))
				load(3)
				passed = append(passed, time.Now())
				second.Drain()
				load(17)
				first.Drain()
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
					return p.Add(time.Minute).After(begins) && begins.Add(checkpoint.RealtimeTTL+2*time.Minute).After(p)
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
	t.Parallel()
	inWorld(t, 3, func(t *testing.T, w *world) {
		before, after := checkpoint.DefaultSettings(), checkpoint.DefaultSettings()
		after.LateMs, after.NonInteractive, after.RawEvents = time.Minute.Milliseconds(), []string{"click"}, false
		after.Retention.SessionDays, after.Duplicates = 10, within(100)
		metrics := pipeline.NewMetrics(prometheus.NewRegistry()) // Of the new release.
		records := traffic(56, 3, 1500, bubbleStart)
		n := len(records)
		load := func(n int) {
			for range n {
				w.Produce(records[:50]...)
				records = records[50:]
				w.Pass(3 * time.Second)
			}
		}
		var runs []*process
		var fates []*midStep
		for i := range 6 {
			fate := &midStep{Table: w.Table}
			o := w.With(fate, uint64(i))
			if o.Settings = before; i >= 3 {
				o.Settings, o.Metrics = after, metrics
			}
			runs, fates = append(runs, w.Start(o)), append(fates, fate)
			load(3)
			if i < 3 {
				continue
			}
			if i == 4 {
				runs[1].Drain()
			} else {
				fates[i-3].doom.Store(true)
				load(2)
				runs[i-3].Killed()
			}
			load(1)
		}
		load(len(records) / 50)
		w.Settled()
		for _, run := range runs[3:] {
			run.Drain()
		}
		w.recounts(n)
		if n := testutil.ToFloat64(metrics.Redone.WithLabelValues(checkpoint.LaneStats)); n == 0 {
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

// TestStepOfAnotherReleaseIsLeftToIt: a process that does not know the fold version of an open step, or its lists, says which
// release can do it again, and touches nothing. It goes on with its other partitions, and with this one by itself once it can.
func TestStepOfAnotherReleaseIsLeftToIt(t *testing.T) {
	t.Parallel()
	inWorld(t, 2, func(t *testing.T, w *world) {
		records := traffic(57, 2, 200, bubbleStart)
		w.killedMidStep(only(records[:100], 0))
		key := sinks.Keys{}.Checkpoint(sinks.TP{Topic: 1}, checkpoint.LaneStats)
		ours := w.Item(key)
		other := checkpoint.DefaultSettings()
		other.Fold = checkpoint.FoldVersion + 1
		release := func(ver string) {
			if _, err := w.Table.Update(t.Context(), sinks.Update{Key: key, Set: []sinks.Attr{{Name: "ver", Value: sinks.Str(ver)}}}); err != nil {
				t.Fatal(err)
			}
		}
		w.Produce(only(records, 1)...)
		for i, c := range []struct{ ver, says string }{
			{other.String(), fmt.Sprint("fold version ", checkpoint.FoldVersion+1)},
			{strings.Replace(ours["ver"].Str(), classify.PresentRules.Version(), "of tomorrow", 1), `\"of tomorrow\"`},
		} {
			release(c.ver)
			var log lockedBuffer
			o := w.With(w.Table, uint64(i))
			o.Metrics, o.Log = pipeline.NewMetrics(prometheus.NewRegistry()), slog.New(slog.NewTextHandler(&log, nil))
			run := w.Start(o)
			w.Pass(5 * time.Minute)
			for _, part := range []string{"partition=0", c.says, "run the release that began it"} {
				if !strings.Contains(log.String(), part) {
					t.Errorf("the log does not say %q: %s", part, log.String())
				}
			}
			if testutil.ToFloat64(o.Metrics.Parked.WithLabelValues("0", "release")) != 1 {
				t.Error("partition 0 is not parked")
			}
			if c := w.Checkpoint(sinks.TP{Topic: 1, Partition: 1}, checkpoint.LaneStats); c.To == 0 || !c.Done {
				t.Errorf("partition 1 stands at %d, done %v: it does not go on", c.To, c.Done)
			}
			if i == 0 {
				run.Drain()
				continue
			}
			release(ours["ver"].Str())
			w.Settled()
			run.Drain()
		}
		w.recounts(len(only(records[:100], 0)) + len(only(records, 1)))
	})
}

// TestRollingDeployOfTwoFoldVersions: two releases share a group, and each leaves a step open that the other cannot do again.
func TestRollingDeployOfTwoFoldVersions(t *testing.T) {
	t.Parallel()
	inWorld(t, 2, func(t *testing.T, w *world) {
		all := traffic(58, 2, 300, bubbleStart)
		table, begun := w.Table, uint64(0)
		begin := func(fold int) (*process, *midStep, *pipeline.Metrics) {
			fate := &midStep{Table: releasedAs{table, fold}}
			o := w.With(fate, begun)
			begun++
			o.Metrics = pipeline.NewMetrics(prometheus.NewRegistry())
			return w.Start(o), fate, o.Metrics
		}
		parked := func(m *pipeline.Metrics, partition string) bool {
			return testutil.ToFloat64(m.Parked.WithLabelValues(partition, "release")) == 1
		}
		const before, after = checkpoint.FoldVersion + 1, checkpoint.FoldVersion
		publish := func(partition int32, from, to int) { w.Produce(only(all, partition)[from:to]...) }

		run, fate, _ := begin(before)
		fate.doom.Store(true)
		publish(0, 0, 50)
		w.Pass(2 * time.Minute)
		run.Killed()
		run, fate, metrics := begin(after)
		w.Pass(time.Minute)
		if !parked(metrics, "0") {
			t.Error("the new release does not park the partition with the old one's step")
		}
		publish(1, 0, 50)
		w.Pass(5 * time.Minute)
		if c := w.Checkpoint(sinks.TP{Topic: 1, Partition: 1}, checkpoint.LaneStats); c.To != 50 || !c.Done {
			t.Errorf("partition 1 stands at %d, done %v: the parked one holds it up", c.To, c.Done)
		}
		fate.doom.Store(true)
		publish(1, 50, 100)
		w.Pass(2 * time.Minute)
		run.Killed()
		if c := w.Checkpoint(sinks.TP{Topic: 1, Partition: 1}, checkpoint.LaneStats); c.Done || c.Step != 2 {
			t.Fatalf("partition 1 has no open step: %+v", c)
		}

		old, _, metrics := begin(before)
		w.Pass(5 * time.Minute)
		if !parked(metrics, "1") || parked(metrics, "0") {
			t.Errorf("the old release does not park the new one's step alone: %v, %v, %+v", parked(metrics, "0"), parked(metrics, "1"),
				w.Checkpoint(sinks.TP{Topic: 1, Partition: 1}, checkpoint.LaneStats))
		}
		if c := w.Checkpoint(sinks.TP{Topic: 1}, checkpoint.LaneStats); c.To != 50 || !c.Done {
			t.Errorf("partition 0 stands at %d, done %v: the old release has not drained it", c.To, c.Done)
		}
		run, _, _ = begin(after)
		w.Pass(5 * time.Minute) // They share the partitions, whichever way.
		publish(0, 50, 100)
		publish(1, 100, 150)
		w.Pass(5 * time.Minute)
		old.Drain()
		w.Settled()
		run.Drain()
		w.Table = releasedAs{table, 0}
		w.recounts(250)
	})
}

// releasedAs is the table as a release with another fold version sees and writes it: what it calls checkpoint.FoldVersion is its own.
// Release 0 takes the versions of all for one.
type releasedAs struct {
	sinks.Table
	fold int
}

func (r releasedAs) swap(v sinks.Value) sinks.Value {
	spell := func(n int) string { return fmt.Sprintf(`"fold":%d,`, n) }
	ver := v.Str()
	switch ours, theirs := spell(checkpoint.FoldVersion), spell(checkpoint.FoldVersion+1); {
	case r.fold == checkpoint.FoldVersion:
	case strings.Contains(ver, theirs):
		return sinks.Str(strings.Replace(ver, theirs, ours, 1))
	case strings.Contains(ver, ours) && r.fold != 0:
		return sinks.Str(strings.Replace(ver, ours, theirs, 1))
	}
	return v
}

func (r releasedAs) item(it sinks.Item) sinks.Item {
	if v, ok := it["ver"]; ok {
		it = maps.Clone(it)
		it["ver"] = r.swap(v)
	}
	return it
}

func (r releasedAs) Update(ctx context.Context, u sinks.Update) (sinks.Result, error) {
	u.Set = slices.Clone(u.Set)
	for i, a := range u.Set {
		if a.Name == "ver" {
			u.Set[i].Value = r.swap(a.Value)
		}
	}
	result, err := r.Table.Update(ctx, u)
	result.Item = r.item(result.Item)
	return result, err
}

func (r releasedAs) Put(ctx context.Context, p sinks.Put) (sinks.Result, error) {
	p.Item = r.item(p.Item)
	return r.Table.Put(ctx, p)
}

func (r releasedAs) BatchGet(ctx context.Context, g sinks.BatchGet) (sinks.BatchResult, error) {
	result, err := r.Table.BatchGet(ctx, g)
	for k, it := range result.Items {
		result.Items[k] = r.item(it)
	}
	return result, err
}

func (r releasedAs) Query(ctx context.Context, q sinks.Query) (sinks.Page, error) {
	page, err := r.Table.Query(ctx, q)
	for i, it := range page.Items {
		page.Items[i] = r.item(it)
	}
	return page, err
}

func only(records []record, partition int32) (list []record) {
	for _, r := range records {
		if r.Partition == partition {
			list = append(list, r)
		}
	}
	return list
}

// lockedBuffer takes what a log says. Safe for concurrent use.
type lockedBuffer struct {
	mu  sync.Mutex // covers buf
	buf strings.Builder
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// TestMemberDoesNotOutliveItsFormat: a member that is at work while the table is finalized for a later release writes nothing once its
// chains are fenced, and ends with the release to run.
func TestMemberDoesNotOutliveItsFormat(t *testing.T) {
	t.Parallel()
	inWorld(t, 2, func(t *testing.T, w *world) {
		records := traffic(59, 2, 300, bubbleStart)
		run := w.Start(w.Options())
		w.Produce(records[:200]...)
		w.Settled()
		update := func(u sinks.Update) {
			if _, err := w.Table.Update(t.Context(), u); err != nil {
				t.Fatal(err)
			}
		}
		update(sinks.Update{Key: sinks.Keys{}.TableSettings(), Set: []sinks.Attr{
			{Name: sinks.AttrFormat, Value: sinks.Int(sinks.LastFormat + 1)}, {Name: sinks.AttrRelease, Value: sinks.Str("7.8.9")}}})
		fenced := make(map[sinks.Key]checkpoint.Head)
		for partition := range int32(2) {
			for _, lane := range checkpoint.Lanes {
				tp := sinks.TP{Topic: 1, Partition: partition}
				fenced[sinks.Keys{}.Checkpoint(tp, lane)] = w.Checkpoint(tp, lane)
				update(sinks.Update{Key: sinks.Keys{}.Checkpoint(tp, lane),
					Add: []sinks.Attr{{Name: checkpoint.AttrEpoch, Value: sinks.Int(1)}},
					Set: []sinks.Attr{{Name: checkpoint.AttrOwner, Value: sinks.Str(checkpoint.OwnerFinalize + "test")}}})
			}
		}
		w.Produce(records[200:]...)
		err := run.Ended()
		if later, ok := errors.AsType[*sinks.FormatError](err); !ok || later.Release != "7.8.9" {
			t.Errorf("Run = %v, want the *FormatError of release 7.8.9", err)
		}
		if err := w.Ends(w.Options()); err == nil || !strings.Contains(err.Error(), "run 7.8.9 or a later release") {
			t.Errorf("Run of another member = %v, want the release to run", err)
		}
		for key, before := range fenced {
			c, err := checkpoint.ReadHead(w.Item(key))
			if err != nil || before.Step == 0 || c.Step != before.Step || c.To != before.To {
				t.Errorf("%s: flush %d to %d, and %d to %d before the fence, %v", key.SK, c.Step, c.To, before.Step, before.To, err)
			}
		}
	})
}
