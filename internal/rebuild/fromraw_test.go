package rebuild_test

import (
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/footfall/footfall/internal/erase"
	"github.com/footfall/footfall/internal/purge"
	"github.com/footfall/footfall/internal/rebuild"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// losing is a world whose topic will lose the first of some days that are counted.
type losing struct {
	*testpipeline.World
	t        *testing.T
	o        pipeline.Options
	begins   [days + 1][2]int64
	from, to time.Time
	stop     func() // drains the member
}

// losesRecords runs f in such a world.
func losesRecords(t *testing.T, packed bool, change func(*pipeline.Options), f func(*losing)) {
	t.Helper()
	testpipeline.InBubble(t, 3, 2, func(t *testing.T, w *testpipeline.World, _ *kfake.VirtualNetwork) {
		l := &losing{World: w, t: t}
		var records []testpipeline.Record
		records, l.begins, l.from, l.to = ofDays(w)
		w.Decide("site-1", &sites.Rules{Name: "Counts who is new", NewVisitors: packed})
		l.o = w.Options()
		l.o.Settings.RawPacked = packed
		l.o.Seal.Interval, l.o.Seal.After = time.Minute, time.Hour
		if change != nil {
			change(&l.o)
		}
		l.stop = member(t, l.o)
		w.Produce(records...)
		w.Settled()
		w.Pass(10 * time.Minute)
		f(l)
	})
}

// lose takes the records of the first days from the topic.
func (l *losing) lose(days int) {
	l.t.Helper()
	for p := range int32(2) {
		if err := l.Cluster.DeleteRecords(l.Topic, p, l.begins[days][p]); err != nil {
			l.t.Fatal(err)
		}
	}
	l.Recreated = true // What was lost cannot be recounted.
}

// answers are those about all days.
func (l *losing) answers() map[string]string {
	l.t.Helper()
	return answers(l.t, l.Table, l.from, l.from.AddDate(0, 0, 4), l.to)
}

// job rebuilds from raw events. It flips unless a figure differs.
func (l *losing) job() rebuild.Job {
	return rebuild.Job{Pipeline: l.o, FromRaw: true, Log: slog.New(slog.DiscardHandler), Compared: func(c rebuild.Comparison) (bool, error) {
		if c.Figures < 20 || len(c.Differ) > 0 {
			return false, fmt.Errorf("the comparison: %+v", c)
		}
		return true, nil
	}}
}

// flips runs a job, and holds answers to those of before.
func (l *losing) flips(job rebuild.Job, before map[string]string) *rebuild.RawPart {
	l.t.Helper()
	r, err := job.Run(l.t.Context())
	if err != nil || !r.Flipped || r.Comparison.Raw == nil {
		l.t.Fatalf("Run = %+v, %v", r, err)
	}
	l.Settled()
	l.Recounted()
	l.Pass(10 * time.Minute) // The days are sealed.
	for _, difference := range differing(before, l.answers()) {
		l.t.Error(difference)
	}
	return r.Comparison.Raw
}

// lost counts the records that the topic has lost.
func (l *losing) lost(days int) int64 { return l.begins[days][0] + l.begins[days][1] }

// TestRebuildFromRawEvents: raw events serve for what the topic has lost, all of it or the first days. Every figure is as it was, also of
// sessions that the beginning of the log divides, and after it has lost more and another rebuild.
func TestRebuildFromRawEvents(t *testing.T) {
	for _, packed := range []bool{false, true} {
		losesRecords(t, packed, nil, func(l *losing) {
			before := l.answers()
			l.lose(4)
			if part := l.flips(l.job(), before); part.Read < 500 || part.Counted > 0 || part.Rejected == 0 ||
				part.Other > 0 || part.Read+part.Duplicate+part.Rejected != l.lost(4) {
				l.t.Errorf("raw events: %+v, of %d records", part, l.lost(4))
			}
			if _, err := rebuild.Drop(l.t.Context(), l.Table); err != nil {
				l.t.Fatal(err)
			}
			l.lose(days)
			if part := l.flips(l.job(), before); part.Read < 1000 || part.Counted > 0 ||
				part.Other == 0 { // What the generation that was made of raw events lacks.
				l.t.Errorf("raw events of the whole topic: %+v", part)
			}
			l.stop()
		})
	}
}

// TestRebuildFromRawEventsIsKilled: at any request of a rebuild from raw events. In between the topic loses more. The next run continues.
func TestRebuildFromRawEventsIsKilled(t *testing.T) {
	for _, today := range []bool{false, true} {
		losesRecords(t, today, nil, func(l *losing) {
			before, dice, kills := l.answers(), rand.New(rand.NewPCG(7, 1)), 0
			l.o.Limits.StepItems = 60
			for l.lose(3); ; kills++ {
				if kills == 12 {
					l.lose(5)
				}
				killed := &cut{Table: l.Table, at: int64(100 + dice.IntN(150+40*kills)), after: dice.IntN(2) == 0}
				job := l.job()
				job.Pipeline.Table, job.Today, job.FromRaw = killed, today, kills != 3 // The table's settings say it.
				if kills == 40 {
					job.Pipeline.Table = l.Table
				}
				r, err := job.Run(l.t.Context())
				if err == nil && r.Flipped || err != nil && strings.Contains(err.Error(), "generation 1, which was live before") {
					break // The run before was cut at the request that flipped.
				}
				if err != nil && strings.Contains(err.Error(), "records of a flush that the rebuild had begun") && kills >= 12 {
					if _, err := rebuild.Drop(l.t.Context(), l.Table); err != nil {
						l.t.Fatal(err)
					}
					continue
				}
				if !errors.Is(err, errCut) || kills == 40 {
					l.t.Fatalf("run %d = %+v, %v", kills, r, err)
				}
				l.Pass(time.Minute)
			}
			if kills < 5 {
				l.t.Errorf("it was killed %d times", kills)
			}
			l.Settled()
			l.Recounted()
			l.Pass(10 * time.Minute)
			for _, difference := range differing(before, l.answers()) {
				l.t.Error(difference)
			}
			l.stop()
		})
	}
}

// TestRebuildFromRawEventsOfADate: where raw events have expired, or flushes have kept none, a date is named from which there are all. That
// date and later ones are counted from raw events, and earlier ones are read as they were.
func TestRebuildFromRawEventsOfADate(t *testing.T) {
	losesRecords(t, false, func(o *pipeline.Options) { o.Settings.Retention.RawDays = 6 }, func(l *losing) {
		before := l.answers()
		l.lose(7)
		job := l.job()
		_, err := job.Run(l.t.Context())
		lost, ok := errors.AsType[*rebuild.LostError](err)
		if !ok || !strings.Contains(err.Error(), "are kept for 6 days") {
			l.t.Fatalf("Run = %v, want a *LostError", err)
		}
		job.KeepBefore = lost.Earliest.AddDate(0, 0, -1)
		if _, err := job.Run(l.t.Context()); err == nil || !strings.Contains(err.Error(), "name "+lost.Earliest.Format(time.DateOnly)) {
			l.t.Errorf("Run that begins with a date too early = %v", err)
		}
		job.KeepBefore = lost.Earliest
		if part := l.flips(job, before); part.Counted == 0 || part.Read < 100 {
			l.t.Errorf("raw events: %+v", part)
		}
		l.stop()
	})
	losesRecords(t, true, func(o *pipeline.Options) { o.Settings.QueryParameters = "none" }, func(l *losing) {
		l.lose(4)
		l.stop()
		l.o.Settings.QueryParameters = "all"
		l.stop = member(t, l.o)
		_, err := new(l.job()).Run(l.t.Context())
		if lost, ok := errors.AsType[*rebuild.LostError](err); !ok || !strings.Contains(err.Error(), "lack query parameters") ||
			!lost.Earliest.After(l.to) {
			l.t.Errorf("Run = %v, want that raw events lack parameters", err)
		}
		l.stop()
	})
}

// TestRebuildThatRawEventsExpireUnder: if raw events that a rebuild has begun with expire, it says so, and begins again on another date.
func TestRebuildThatRawEventsExpireUnder(t *testing.T) {
	losesRecords(t, true, func(o *pipeline.Options) { o.Settings.Retention.RawDays = 6 }, func(l *losing) {
		l.lose(7)
		job := l.job()
		_, err := job.Run(l.t.Context())
		lost, ok := errors.AsType[*rebuild.LostError](err)
		if !ok {
			l.t.Fatal(err)
		}
		job.KeepBefore = lost.Earliest
		job.Pipeline.Table = &cut{Table: l.Table, at: 60}
		if _, err := job.Run(l.t.Context()); !errors.Is(err, errCut) {
			l.t.Fatalf("Run = %v, want the cut", err)
		}
		job.Pipeline.Now = func() time.Time { return time.Now().Add(60 * time.Hour) }
		job.Pipeline.Table, job.KeepBefore = l.Table, time.Time{}
		if _, err := job.Run(l.t.Context()); err == nil || !strings.Contains(err.Error(), "no longer complete") {
			l.t.Errorf("Run = %v, want that raw events have expired", err)
		}
		l.stop()
	})
}

// TestRebuildFromRawEventsOfErasedAndPurged: raw events of erased visitors and purged sites are gone. The first are named; the others are
// not counted in any generation.
func TestRebuildFromRawEventsOfErasedAndPurged(t *testing.T) {
	losesRecords(t, true, nil, func(l *losing) {
		const erased = "v0-1"
		e := l.Erasure(erased)
		e.Site = "site-0"
		if _, err := erase.Run(l.t.Context(), e); err != nil {
			l.t.Fatal(err)
		}
		if r, err := purge.Run(l.t.Context(), purge.Options{Table: l.Table, Site: "site-1"}); err != nil || !r.Over() {
			l.t.Fatalf("purge = %+v, %v", r, err)
		}
		l.lose(5)
		job := l.job()
		var differ []rebuild.Of
		job.Compared = func(c rebuild.Comparison) (bool, error) {
			differ = c.Differ
			return true, nil
		}
		r, err := job.Run(l.t.Context())
		if err != nil || !r.Flipped || r.Comparison.Raw.Counted == 0 || r.Comparison.Raw.Counted > l.lost(5)*3/4 {
			l.t.Fatalf("Run flips %v, %+v, of %d, %v", r.Flipped, r.Comparison.Raw, l.lost(5), err)
		}
		for _, d := range differ {
			if d.Site != "site-0" {
				l.t.Errorf("it differs: %+v", d)
			}
		}
		if !slices.ContainsFunc(differ, func(d rebuild.Of) bool { return d.Figure == "events" && d.Rebuilt < d.Live }) {
			l.t.Errorf("no figure lacks the erased events: %+v", differ)
		}
		l.Settled()
		l.Recounted()
		l.stop()
	})
}

// TestRebuildOfAPartitionWithoutRawEvents: a partition without a record, in the topic or in raw events, begins with what comes next.
func TestRebuildOfAPartitionWithoutRawEvents(t *testing.T) {
	losesRecords(t, true, nil, func(l *losing) {
		l.lose(days)
		for _, site := range []string{"site-0", "site-1"} {
			for nn := range sinks.DefaultShards {
				for it, err := range sinks.Items(l.t.Context(), l.Table, sinks.Query{PK: sinks.RawShard(site, nn), Prefix: sinks.PackPrefix}) {
					if err != nil {
						l.t.Fatal(err)
					}
					if _, tp, _, _, err := sinks.ParsePack(it.Key().SK); err != nil || tp.Partition == 0 {
						continue
					}
					if _, err := l.Table.Delete(l.t.Context(), sinks.Delete{Key: it.Key()}); err != nil {
						l.t.Fatal(err)
					}
				}
			}
		}
		job := l.job()
		job.Compared = func(c rebuild.Comparison) (bool, error) { return len(c.Differ) > 0, nil }
		r, err := job.Run(l.t.Context())
		if err != nil || !r.Flipped || r.Comparison.Raw.Read < 500 || r.Comparison.Raw.Counted < 500 {
			l.t.Fatalf("Run flips %v, %+v, %v", r.Flipped, r.Comparison.Raw, err)
		}
		l.Produce(testpipeline.Traffic(20, 2, 100, time.Now())...)
		l.Settled()
		l.Recounted()
		l.stop()
	})
}

// TestRebuildThatRawEventsAreErasedUnder: a flush that was cut short cannot be repeated if some of its raw events were erased since.
func TestRebuildThatRawEventsAreErasedUnder(t *testing.T) {
	losesRecords(t, true, nil, func(l *losing) {
		l.lose(7)
		job := l.job()
		job.Pipeline.Table = &testpipeline.KillOnStats{Table: l.Table} // A flush is open.
		if _, err := job.Run(l.t.Context()); !errors.Is(err, testpipeline.ErrKilled) {
			l.t.Fatalf("Run = %v, want the kill", err)
		}
		for _, visitor := range []string{"v0-1", "v1-1"} { // Of either partition: which one has the open flush is not known.
			e := l.Erasure(visitor)
			e.Site, e.NoWait = "site-0", true
			if _, err := erase.Run(l.t.Context(), e); err != nil {
				l.t.Fatal(err)
			}
		}
		job.Pipeline.Table = l.Table
		if _, err := job.Run(l.t.Context()); err == nil || !strings.Contains(err.Error(), "were erased, or have expired") {
			l.t.Errorf("Run = %v, want that raw events are gone", err)
		}
		l.stop()
	})
}

// TestRebuildFromRawEventsBesideTraffic: records that repeat events which the topic has lost do not count, and a member counts what comes
// while the rebuild runs.
func TestRebuildFromRawEventsBesideTraffic(t *testing.T) {
	testpipeline.InBubble(t, 3, 2, func(t *testing.T, w *testpipeline.World, _ *kfake.VirtualNetwork) {
		records := testpipeline.Traffic(1, 2, 1200, time.Now())
		o := w.Options()
		o.Settings.RawPacked = true
		stop := member(t, o)
		records = slices.Concat(records[:300], records[200:]) // 100 come again.
		w.Produce(records[:450]...)
		w.Settled()
		for p := range int32(2) {
			lost := int64(0)
			for _, r := range records[:280] {
				if r.Partition == p {
					lost++
				}
			}
			if err := w.Cluster.DeleteRecords(w.Topic, p, lost); err != nil {
				t.Fatal(err)
			}
		}
		w.Recreated = true
		next := 450
		more := func() {
			w.Produce(records[next : next+50]...)
			next += 50
		}
		looks := 0
		job := rebuild.Job{Pipeline: o, FromRaw: true,
			Compared: func(c rebuild.Comparison) (bool, error) {
				if c.Sites != 2 || c.Figures < 50 || len(c.Differ) > 0 {
					t.Errorf("the comparison: %+v", c)
				}
				more()
				return true, nil
			},
			Progress: func(rebuild.Progress) {
				if looks++; looks%20 == 0 && next < 1000 {
					more()
				}
			}}
		runToFlip(t, job)
		w.Produce(records[next:]...)
		w.Settled()
		w.Recounted()
		is, err := checkpoint.ReadHead(w.Item(w.Live().Checkpoint(sinks.TP{Topic: 2}, "stats")))
		if former := w.Checkpoint(sinks.TP{Topic: 1}, "stats"); err != nil || is.Totals.Duplicate == 0 || former.Totals.Duplicate == 0 {
			t.Errorf("duplicates: %d, and %d before; %v", is.Totals.Duplicate, former.Totals.Duplicate, err)
		}
		stop()
	})
}

// TestRebuildRefusesOtherTopicsRawEvents: raw events do not name the id of their topic, which matters if it was created again.
func TestRebuildRefusesOtherTopicsRawEvents(t *testing.T) {
	losesRecords(t, false, nil, func(l *losing) {
		l.lose(2)
		key := sinks.Keys{}.History(sinks.TP{Topic: 1, Partition: 0}, "stats", 1)
		u := sinks.Update{Key: key, Set: []sinks.Attr{{Name: "tid", Value: sinks.Str(strings.Repeat("0", 32))}}}
		if _, err := l.Table.Update(l.t.Context(), u); err != nil {
			l.t.Fatal(err)
		}
		if _, err := new(l.job()).Run(l.t.Context()); err == nil || !strings.Contains(err.Error(), "was created again") {
			l.t.Errorf("Run = %v, want that the topic was created again", err)
		}
		l.stop()
	})
}
