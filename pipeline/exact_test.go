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
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// traffic makes records of a few busy sessions, so that steps share sessions, hours and days: late events that move
// starts, records without a session, records to be rejected, over several partitions.
func traffic(seed uint64, partitions int32, n int, start time.Time) []record {
	rng := rand.New(rand.NewPCG(seed, 2))
	list := make([]record, n)
	for i := range list {
		p := rng.Int32N(partitions)
		now := start.Add(time.Duration(i) * 1500 * time.Millisecond)
		when := now.Add(-time.Duration(rng.IntN(90)) * time.Second)
		if rng.IntN(20) == 0 {
			when = now.Add(-time.Duration(rng.IntN(3*3600)) * time.Second)
		}
		e := map[string]any{
			"siteId": fmt.Sprintf("site-%d", rng.IntN(2)), "type": []string{"page_view", "click", "ping"}[rng.IntN(3)],
			"timestamp": when.UnixMilli(), "visitorId": someVisitor(p, rng.IntN(30)), "id": fmt.Sprint(i),
			"url": fmt.Sprintf("/p%d", rng.IntN(8)),
		}
		if rng.IntN(10) > 0 {
			e["sessionId"] = someSession(p, i/60*3+rng.IntN(3))
		}
		if rng.IntN(8) == 0 {
			e["value"] = rng.IntN(1000)
		}
		if rng.IntN(10) == 0 {
			e["userId"] = someUser(rng.IntN(3))
		}
		embellish(e, rng)
		if rng.IntN(25) == 0 {
			delete(e, "siteId")
		}
		list[i] = record{partition: p, key: "k", at: now, value: mustJSON(e)}
	}
	return list
}

// someVisitor, someSession and someUser make ids, some of which keys spell as the 16 bytes that they are.
func someVisitor(partition int32, n int) string {
	if n%10 == 0 {
		return fmt.Sprintf("%032x", 100*int(partition)+n)
	}
	return fmt.Sprintf("v%d-%d", partition, n)
}

func someSession(partition int32, n int) string {
	if n%3 == 0 {
		return fmt.Sprintf("c0a8017e-3d2f-4f0e-8a4c-%012x", 1000*int(partition)+n)
	}
	return fmt.Sprintf("s%d-%d", partition, n)
}

func someUser(n int) string {
	if n == 2 {
		return "5f2b9c1e8a414c7d9a550c2a44d1b6f3"
	}
	return fmt.Sprint("u", n)
}

// embellish gives an event what breakdowns are made of: more values than have rows, some of them often. Some are bots'.
func embellish(e map[string]any, rng *rand.Rand) {
	few := func(name string, n int) string { return fmt.Sprintf("%s%d", name, min(rng.IntN(n), rng.IntN(n))) }
	if rng.IntN(3) == 0 {
		e["url"] = fmt.Sprintf("https://%s.example/%s?utm_source=%s&utm_campaign=%s", few("h", 4), few("deep/", 40), few("s", 9), few("c", 12))
	}
	if rng.IntN(2) == 0 {
		e["referrer"] = []string{"https://www.google.com/", "https://t.co/x", "https://" + few("r", 30) + ".example/"}[rng.IntN(3)]
		if rng.IntN(12) == 0 {
			e["referrer"] = "https://www.semalt.com/crawler"
		}
	}
	if rng.IntN(2) == 0 {
		e["userAgent"] = []string{
			"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36",
			"Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) " +
				"Version/17.5 Mobile/15E148 Safari/604.1",
			"Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0"}[rng.IntN(3)]
		if rng.IntN(12) == 0 {
			e["userAgent"] = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
		}
	}
	if rng.IntN(6) == 0 { // Given, instead of read from the user agent.
		e["browser"] = few("browser ", 6)
	}
	if rng.IntN(4) == 0 {
		e["country"], e["city"] = few("C", 20), few("city ", 60)
	}
	if e["type"] == "click" {
		e["name"] = few("button ", 15)
	}
}

// rows is everything in the table that a recount must find again, in a spelling that does not depend on where
// steps were cut: marks, checkpoints' steps, prev, and the split of recent sessions and of small uniques are left out.
func (w *world) rows(pks []string) map[string]string {
	w.t.Helper()
	rows := make(map[string]string)
	uniques := make(map[string]*sketch.Uniques)
	recent := make(map[string][]string)
	for _, pk := range pks {
		for _, it := range w.query(pk, "") {
			w.row(it, rows, uniques, recent)
		}
	}
	for k, u := range uniques {
		b, err := u.AppendBinary(nil)
		if err != nil {
			w.t.Fatal(err)
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
			w.t.Fatalf("%v: %v", key, err)
		}
		site, _, _ := strings.Cut(key.PK, "#UNIQUES")
		name := site + " " + hour + " " + tp
		if uniques[name] == nil {
			uniques[name] = sketch.NewHour()
		}
		if err := uniques[name].Merge(part); err != nil {
			w.t.Fatal(err)
		}
	}
	switch it[sinks.AttrEntity].Str() {
	case sinks.EntityHistory, sinks.EntityTable, sinks.EntityTopic:
		return
	case sinks.EntityCheckpoint:
		c, err := checkpoint.ReadHead(it)
		if err != nil {
			w.t.Fatal(err)
		}
		rows[key.PK+" "+key.SK] = fmt.Sprintf("t=%d %s", c.To, toJSON(w.t, c.Totals))
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
			w.t.Fatal(err)
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
	s := newSpy(w.table)
	next := 0
	produce := func(n int) {
		n = min(n, len(tr.records)-next)
		if n > 0 {
			w.produce(tr.records[next : next+n]...)
		}
		next += n
	}
	tr.live(w, s, produce)
	produce(len(tr.records))
	last := w.start(w.with(s, 0))
	w.settled()
	last.drain()
	return w.rows(s.list())
}

// with are options on another table, with intervals that differ by seed.
func (w *world) with(table sinks.Table, seed uint64) pipeline.Options {
	o := w.options()
	o.Table, o.ServerBalanced = table, w.balanced
	o.StatsInterval = time.Duration(2+seed%7) * time.Second
	o.RealtimeInterval = time.Duration(1+seed%3) * time.Second
	o.Settings.Bots.Rate = 6
	if seed%2 == 1 {
		o.Limits.StepItems = 20
	}
	return o
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

var bubbleStart = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC) // where the clock of every bubble begins

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
					o := w.with(s, 1+2*seed)
					o.ChunksAhead, o.Limits.QueueBytes = depth, fewAChunk
					o.Metrics = pipeline.NewMetrics(prometheus.NewRegistry())
					run := w.start(o)
					produce(len(records) / 8)
					time.Sleep(time.Duration(200+seed*900) * time.Millisecond)
					run.drain()
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
					run := w.start(w.with(s, rng.Uint64()))
					for range rng.IntN(4) {
						produce(rng.IntN(80))
						time.Sleep(time.Duration(rng.IntN(6000)) * time.Millisecond)
					}
					run.drain()
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
		f := newFaulty(s, 0, "process", mix{}, newCoverage(), new(sync.WaitGroup))
		f.killAt, f.killAfter = at, applied
		run := w.start(w.with(f, 0))
		for _, n := range portions {
			produce(n)
			w.pass(2500 * time.Millisecond)
		}
		run.stop()
		if err := <-run.done; err != nil {
			*killed = true
			if !errors.Is(err, errKilled) {
				t.Errorf("Run = %v, want the kill", err)
			}
		}
	}
}
