package pipeline

import (
	"cmp"
	"container/heap"
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/testworld"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/internal/decoding"
	"github.com/footfall/footfall/sinks"
)

// steadyRate is how many events a second a partition has in BenchmarkSteadyPartition, an eighth of 10,000, on a dozen sites.
const (
	steadyRate  = 1250
	steadySites = 12
	// steadyWarm has three steps of the stats lane settle: what a session takes serves others once the step after its last one is settled.
	steadyWarm = 195 * time.Second
)

// BenchmarkSteadyPartition folds and flushes one partition as it does in the steady state, on a clock of its own, without a broker: chunks
// of a quarter of a second, steps of a minute and realtime steps of 5 s, with an eighth of the memory of a process. The operation is an
// event. Its allocations do not depend on how busy the machine is: it prints those of a minute,
// after steadyWarm.
func BenchmarkSteadyPartition(b *testing.B) {
	settings := checkpoint.DefaultSettings()
	settings.RawEvents = false
	limits := DefaultLimits
	limits.MemoryBytes, limits.CacheBytes = limits.MemoryBytes/8, limits.CacheBytes/8
	for b.Loop() {
		s := &steadyTraffic{rng: rand.New(rand.NewPCG(1, 2)), now: time.Now().Truncate(time.Hour)}
		w := ownedPartitionWith(b, Options{Table: discarded{testworld.Table(b)}, Settings: settings, Limits: limits})
		w.holding.Join()
		for _, l := range w.lanes {
			l.Next, l.Pace = s.now.Add(l.Interval), 0
		}
		steadyFor(b, w, s, steadyWarm)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		records := steadyFor(b, w, s, time.Minute)
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.Mallocs-before.Mallocs-s.made)/float64(records), "allocs/event")
	}
}

// steadyFor folds what comes within a span, and returns how many events that is.
func steadyFor(b *testing.B, w *worker, s *steadyTraffic, span time.Duration) (n int) {
	ctx := b.Context()
	s.made = 0
	for end := s.now.Add(span); s.now.Before(end); {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		records := s.next(250 * time.Millisecond)
		runtime.ReadMemStats(&after)
		s.made += after.Mallocs - before.Mallocs
		n += len(records)
		for len(records) > 0 {
			some := records[:min(len(records), decoding.ChunkRecords)]
			records = records[len(some):]
			if err := w.foldChunk(ctx, some); err != nil {
				b.Fatal(err)
			}
			steadyAdvance(ctx, b, w, s.now)
		}
	}
	return n
}

func steadyAdvance(ctx context.Context, b *testing.B, w *worker, now time.Time) {
	for {
		if err := w.advance(ctx, now); err != nil {
			b.Fatal(err)
		}
		open := false
		for _, l := range w.lanes {
			for l.Open != nil && l.Open.Result.Load() == nil {
				<-w.wake
			}
			open = open || l.Open != nil
		}
		if !open {
			return
		}
	}
}

// steadyTraffic makes sessions of five events, some 10 s apart.
type steadyTraffic struct {
	rng      *rand.Rand
	now      time.Time
	offset   int64
	sites    int           // how many there are; 0: steadySites
	hourly   int           // events an hour; 0: those of steadyRate
	think    time.Duration // the mean time between two events of a session; 0: 10 s
	sessions int
	pending  steadyEvents
	made     uint64 // allocations that the traffic itself has taken
}

type steadyEvent struct {
	at            time.Time
	session, step int
}

type steadyEvents []steadyEvent

func (q steadyEvents) Len() int           { return len(q) }
func (q steadyEvents) Less(i, j int) bool { return q[i].at.Before(q[j].at) }
func (q steadyEvents) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *steadyEvents) Push(x any)        { *q = append(*q, x.(steadyEvent)) }
func (q *steadyEvents) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}

// next returns the records of the next span.
func (s *steadyTraffic) next(span time.Duration) (records []*kgo.Record) {
	begins := cmp.Or(s.hourly, 3600*steadyRate) / 5 * int(span/time.Millisecond) / 3_600_000
	for i := range begins {
		s.sessions++
		heap.Push(&s.pending, steadyEvent{s.now.Add(span * time.Duration(i) / time.Duration(begins)), s.sessions, 0})
	}
	s.now = s.now.Add(span)
	for len(s.pending) > 0 && s.pending[0].at.Before(s.now) {
		e := heap.Pop(&s.pending).(steadyEvent)
		records = append(records, s.record(e))
		if e.step < 4 {
			mean := cmp.Or(s.think, 10*time.Second)
			think := mean/2 + time.Duration(s.rng.Int64N(int64(mean)))
			heap.Push(&s.pending, steadyEvent{e.at.Add(think), e.session, e.step + 1})
		}
	}
	return records
}

func (s *steadyTraffic) record(e steadyEvent) *kgo.Record {
	draw := rand.New(rand.NewPCG(uint64(e.session), 3))
	zipf := func(n int) uint64 { return rand.NewZipf(draw, 1.1, 2, uint64(n-1)).Uint64() }
	site, visitor := fmt.Sprintf("site-%d", e.session%cmp.Or(s.sites, steadySites)), draw.Uint64()
	kind := [...]string{"page_view", "click"}[e.step%2]
	city, country, referrer := zipf(400), [...]string{"DE", "US", "FR", "GB"}[zipf(4)], zipf(20)
	device, browser, system := zipf(3), zipf(6), zipf(5)
	page := rand.NewZipf(rand.New(rand.NewPCG(uint64(e.session), uint64(4+e.step/2))), 1.1, 2, 999).Uint64()
	s.offset++
	return &kgo.Record{Offset: s.offset - 1, Key: []byte(site), Timestamp: e.at, Value: fmt.Appendf(nil,
		`{"siteId":%q,"type":%q,"timestamp":%d,"id":"%032x","visitorId":"%032x","sessionId":"%032x","url":"https://www.%s.example/page-%d",`+
			`"referrer":"https://from-%d.example/","title":"Page %d","country":%q,"city":"city-%d","device":"device-%d",`+
			`"browser":"browser-%d","os":"os-%d","properties":{"plan":"free","scroll":%d}}`, site, kind, e.at.UnixMilli(), s.offset, visitor,
		uint64(e.session)*0x9e3779b97f4a7c15, site, page, referrer, page, country, city, device, browser, system, page%100)}
}

// discarded drops what is written but for what the protocol asks back, and answers reads of all else with nothing.
type discarded struct{ sinks.Table }

func keptBack(k sinks.Key) bool {
	return strings.HasPrefix(k.PK, "PIPELINE") || strings.HasPrefix(k.PK, "CHAIN#")
}

func (d discarded) Update(ctx context.Context, u sinks.Update) (sinks.Result, error) {
	if keptBack(u.Key) {
		return d.Table.Update(ctx, u)
	}
	return sinks.Result{}, nil
}

func (d discarded) Put(ctx context.Context, p sinks.Put) (sinks.Result, error) {
	if keptBack(p.Item.Key()) {
		return d.Table.Put(ctx, p)
	}
	return sinks.Result{}, nil
}

func (d discarded) BatchGet(ctx context.Context, g sinks.BatchGet) (sinks.BatchResult, error) {
	if keptBack(g.Keys[0]) {
		return d.Table.BatchGet(ctx, g)
	}
	return sinks.BatchResult{}, nil
}
