package pipeline_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// rows is everything in the table that a recount must find again, in a spelling that does not depend on where
// steps were cut: marks, checkpoints' steps, prev, and the split of recent sessions and of small uniques are left out.
func (w *world) rows(pks []string) map[string]string {
	w.T.Helper()
	rows := make(map[string]string)
	uniques := make(map[string]*sketch.Uniques)
	recent := make(map[string][]string)
	for _, pk := range pks {
		for _, it := range w.Query(pk, "") {
			w.row(it, rows, uniques, recent)
		}
	}
	for k, u := range uniques {
		b, err := u.AppendBinary(nil)
		if err != nil {
			w.T.Fatal(err)
		}
		rows["uniques "+k] = fmt.Sprintf("%d %x", u.Estimate(), b)
	}
	for k, ids := range recent {
		slices.Sort(ids)
		rows["recent "+k] = strings.Join(ids, " ")
	}
	return rows
}

func (w *world) row(it sinks.Item, rows map[string]string, uniques map[string]*sketch.Uniques, recent map[string][]string) {
	key := it.Key()
	merge := func(hour, tp string, b []byte) {
		part := sketch.NewHour()
		if err := part.UnmarshalBinary(b); err != nil {
			w.T.Fatalf("%v: %v", key, err)
		}
		site, _, _ := strings.Cut(key.PK, "#UNIQUES")
		name := site + " " + hour + " " + tp
		if uniques[name] == nil {
			uniques[name] = sketch.NewHour()
		}
		if err := uniques[name].Merge(part); err != nil {
			w.T.Fatal(err)
		}
	}
	switch it[sinks.AttrEntity].Str() {
	case sinks.EntityHistory, sinks.EntityTable, sinks.EntityTopic:
		return
	case sinks.EntityCheckpoint:
		c, err := checkpoint.ReadHead(it)
		if err != nil {
			w.T.Fatal(err)
		}
		rows[key.PK+" "+key.SK] = fmt.Sprintf("t=%d %s", c.To, testpipeline.ToJSON(w.T, c.Totals))
		return
	case sinks.EntityUniques:
		f := strings.Split(key.SK, "#")
		merge(f[1], f[2], it[sinks.AttrPart].Bytes())
		return
	case sinks.EntityRecent:
		f := strings.Split(key.SK, "#")
		name := key.PK + " " + f[0] + " " + f[1]
		recent[name] = append(recent[name], it[sinks.AttrSessionIDs].Strings()...)
		return
	case sinks.EntityVisitorSessions, sinks.EntityNewSessions:
		f := strings.Split(key.SK, "#")
		hour, err1 := sinks.ParseHour(f[1][:len("2026-05-12T14")])
		tp, err2 := sinks.ParseTP(f[2])
		entries, err3 := state.DecodeListed(it[sinks.AttrListed].Bytes(), hour, tp)
		if err := errors.Join(err1, err2, err3); err != nil {
			w.T.Fatal(err)
		}
		name := key.PK + " " + sinks.Hour(hour) + " " + f[2]
		for _, e := range entries {
			recent[name] = append(recent[name], fmt.Sprintf("%s of %x at %d", e.Session, e.Visitor, e.OpenedAt-hour))
			if it[sinks.AttrEntity].Str() == sinks.EntityNewSessions { // It is of the recent sessions, too.
				minute := strings.TrimSuffix(key.PK, "#VISITORS") + "#RECENT " + sinks.Minute(e.OpenedAt) + " " + f[2]
				recent[minute] = append(recent[minute], e.Session)
			}
		}
		return
	}
	var b bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(it)) {
		v := it[name]
		switch {
		case strings.HasPrefix(name, "ws") || strings.HasPrefix(name, "wr") || strings.HasPrefix(name, "prev"):
		case name[0] == 'h' && v.Kind() == sinks.Binary:
			merge(strings.TrimPrefix(key.SK, sinks.HourStatsPrefix), name[1:], v.Bytes())
		case v.Kind() == sinks.Number && v.Int() == 0:
		case name == "source": // It names the topic.
			_, where, _ := strings.Cut(v.Str(), "/")
			fmt.Fprintf(&b, "source=%s ", where)
		default:
			fmt.Fprintf(&b, "%s=%s%s%x ", name, v.Str(), v.Num(), v.Bytes())
		}
	}
	rows[key.PK+" "+key.SK] = b.String()
}

// spy notes every partition key that is written.
type spy struct {
	sinks.Table
	mu  sync.Mutex // covers pks
	pks map[string]bool
}

func newSpy(t sinks.Table) *spy { return &spy{Table: t, pks: make(map[string]bool)} }

func (s *spy) note(pk string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pks[pk] = true
}

func (s *spy) Update(ctx context.Context, u sinks.Update) (sinks.Result, error) {
	s.note(u.Key.PK)
	return s.Table.Update(ctx, u)
}

func (s *spy) Put(ctx context.Context, p sinks.Put) (sinks.Result, error) {
	s.note(p.Item.Key().PK)
	return s.Table.Put(ctx, p)
}

func (s *spy) BatchPut(ctx context.Context, items []sinks.Attrs) (sinks.BatchResult, error) {
	for _, it := range items {
		s.note(it.Key().PK)
	}
	return s.Table.BatchPut(ctx, items)
}

func (s *spy) list() []string { return slices.Sorted(maps.Keys(s.pks)) }

// trial is one run of a pipeline, or of several in turn, over the same records.
type trial struct {
	partitions int32
	records    []record
	live       func(w *world, s *spy, produce func(n int)) // runs processes; produce publishes the next n records
}

// rows runs the trial to its end and returns what is in the table then.
func (tr trial) rows(t *testing.T) (rows map[string]string) {
	inWorld(t, tr.partitions, func(t *testing.T, w *world) { rows = tr.in(w) })
	return rows
}

// in runs the trial in one world.
func (tr trial) in(w *world) map[string]string {
	s := newSpy(w.Table)
	next := 0
	produce := func(n int) {
		n = min(n, len(tr.records)-next)
		if n > 0 {
			w.Produce(tr.records[next : next+n]...)
		}
		next += n
	}
	tr.live(w, s, produce)
	produce(len(tr.records))
	last := w.Start(w.With(s, 0))
	w.Settled()
	last.Drain()
	return w.rows(s.list())
}

func compare(t *testing.T, have, want map[string]string) {
	t.Helper()
	shown := 0
	for _, k := range slices.Sorted(maps.Keys(want)) {
		if have[k] != want[k] && shown < 5 {
			shown++
			t.Errorf("%s\nhave %s\nwant %s", k, have[k], want[k])
		}
	}
	for _, k := range slices.Sorted(maps.Keys(have)) {
		if _, ok := want[k]; !ok && shown < 5 {
			shown++
			t.Errorf("%s is not in the calm run: %s", k, have[k])
		}
	}
}

func calm(t *testing.T, partitions int32, records []record) map[string]string {
	return trial{partitions, records, func(w *world, s *spy, produce func(int)) {}}.rows(t)
}

// TestDecodingAheadChangesNothing keeps the promise "deterministic": however many chunks are decoded ahead, while owners come and go,
// the same rows are left.
func TestDecodingAheadChangesNothing(t *testing.T) {
	t.Parallel()
	records := traffic(61, 1, 600, bubbleStart)
	want := calm(t, 1, records)
	for _, depth := range []int{0, 1, pipeline.MaxChunksAhead} {
		t.Run(fmt.Sprint(depth, " chunks ahead"), func(t *testing.T) {
			ahead := 0.0
			compare(t, trial{1, records, func(w *world, s *spy, produce func(int)) {
				produce(len(records) / 2)
				for seed := range uint64(4) {
					o := w.With(s, 1+2*seed)
					o.ChunksAhead, o.Limits.QueueBytes = depth, testpipeline.FewAChunk
					o.Metrics = pipeline.NewMetrics(prometheus.NewRegistry())
					run := w.Start(o)
					produce(len(records) / 8)
					time.Sleep(time.Duration(200+seed*900) * time.Millisecond)
					run.Drain()
					ahead += testutil.ToFloat64(o.Metrics.Ahead)
				}
			}}.rows(t), want)
			if ahead > 0 != (depth > 0) {
				t.Errorf("%.0f records were decoded ahead", ahead)
			}
		})
	}
}

// TestFlushTimingChangesNothing keeps the promise "deterministic": intervals, sizes of steps and orderly hand-overs
// leave the same rows.
func TestFlushTimingChangesNothing(t *testing.T) {
	t.Parallel()
	records := traffic(1, 2, 600, bubbleStart)
	want := calm(t, 2, records)
	if len(want) < 100 {
		t.Fatalf("the calm run left %d rows only", len(want))
	}
	for seed := range uint64(6) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			compare(t, trial{2, records, func(w *world, s *spy, produce func(int)) {
				rng := rand.New(rand.NewPCG(seed, 3))
				for range 5 {
					run := w.Start(w.With(s, rng.Uint64()))
					for range rng.IntN(4) {
						produce(rng.IntN(80))
						time.Sleep(time.Duration(rng.IntN(6000)) * time.Millisecond)
					}
					run.Drain()
				}
			}}.rows(t), want)
		})
	}
}

// TestKillAtEveryRequest keeps the promise "exact" against kill -9: the process dies at its i-th request to the
// table, before the request is applied and right after, for every i; the next process ends with the same rows.
func TestKillAtEveryRequest(t *testing.T) {
	t.Parallel()
	records := traffic(2, 1, 60, bubbleStart)
	want := calm(t, 1, records)
	stride := slow.Every(t, 5)
	for _, after := range []bool{false, true} {
		for at := 1; ; at += stride {
			killed := killedAt(t, at, after, records, []int{20, 20, 20}, want)
			if !killed {
				if at < 30 {
					t.Errorf("only %d requests were made", at)
				}
				break
			}
		}
	}
}

// killedAt folds records in portions, each a step, while the process dies at its at-th request, applied or not, and another one takes
// over. The table must then have the rows of want. It returns whether the process made that request at all.
func killedAt(t *testing.T, at int, applied bool, records []record, portions []int, want map[string]string) (killed bool) {
	t.Helper()
	rows := trial{1, records, dying(t, at, applied, portions, &killed)}.rows(t)
	compare(t, rows, want)
	if t.Failed() {
		t.Fatalf("killed at request %d, applied %v", at, applied)
	}
	return killed
}

// dying is the life of a process that dies at its at-th request, applied or not, while it folds portions. killed says whether it made
// that request at all.
func dying(t *testing.T, at int, applied bool, portions []int, killed *bool) func(w *world, s *spy, produce func(int)) {
	return func(w *world, s *spy, produce func(int)) {
		f := testpipeline.NewFaulty(s, 0, "process", testpipeline.Mix{}, testpipeline.NewCoverage(), new(sync.WaitGroup))
		f.KillAt, f.KillAfter = at, applied
		run := w.Start(w.With(f, 0))
		for _, n := range portions {
			produce(n)
			w.Pass(2500 * time.Millisecond)
		}
		run.Stop()
		if err := <-run.Done; err != nil {
			*killed = true
			if !errors.Is(err, errKilled) {
				t.Errorf("Run = %v, want the kill", err)
			}
		}
	}
}
