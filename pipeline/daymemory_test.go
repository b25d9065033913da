package pipeline

import (
	"container/heap"
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/internal/decoding"
	"github.com/footfall/footfall/pipeline/internal/lanes"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

var (
	daySessions = flag.Int("daysessions", 200_000, "sessions a day that TestMemoryOfADay folds, each of another visitor")
	daySites    = flag.Int("daysites", 100, "sites that TestMemoryOfADay has")
	dayMinutes  = flag.Int("dayminutes", 30, "minutes of the day that TestMemoryOfADay folds")
	dayInterval = flag.Duration("dayinterval", time.Minute, "interval of the stats lane of TestMemoryOfADay")
	dayMemory   = flag.Int("daymemory", 4<<20, "limits.memoryBytes of TestMemoryOfADay")
	dayProfile  = flag.String("dayprofile", "", "file that TestMemoryOfADay writes a heap profile to")
)

// TestMemoryOfADay folds a part of a day of traffic in eight partitions, as fast as it can, with all features but raw events, into a table
// that discards. It prints what the process has in memory, and checks that the states stay below limits.memoryBytes, which is so low that
// some are let go. A whole day of a large process takes minutes:
// -daysessions 10000000 -daysites 10000 -dayminutes 1440 -daymemory 268435456.
func TestMemoryOfADay(t *testing.T) {
	slow.Unraced(t)
	if slow.Alone(t) {
		return
	}
	d := newDay(t)
	// As footfall run sets it: the sum that docs/internals/exactly-once.md says, 48 MiB less.
	ofPartitions := int64(len(d.workers)) * PartitionBytes(checkpoint.DefaultDuplicates, 0)
	limit := debug.SetMemoryLimit(int64(*dayMemory+DefaultLimits.FetchedBytes) + ofPartitions)
	defer debug.SetMemoryLimit(limit)
	before := liveHeap()
	for minute := range *dayMinutes {
		d.minute(t, time.Duration(minute)*time.Minute)
		if held := d.p.memory.Held(); held > int64(*dayMemory) {
			t.Fatalf("after minute %d, states weigh %d bytes, above limits.memoryBytes %d", minute+1, held, *dayMemory)
		}
		if every := max(1, *dayMinutes/12); (minute+1)%every == 0 {
			sessions, evicted := d.sessions(), testutil.ToFloat64(d.workers[0].metrics.Memory.Released)
			heap := liveHeap() - before
			t.Logf("minute %4d: %7d sessions in memory, live heap %d MB, %d bytes a session with all else; states weigh %d MB; "+
				"evicted %.0f MB so far; %s", minute+1, sessions, heap>>20, heap/int64(max(1, sessions)), d.p.memory.Held()>>20,
				evicted/(1<<20), resident())
		}
	}
	if *dayProfile != "" {
		f, err := os.Create(*dayProfile)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := pprof.Lookup("heap").WriteTo(f, 0); err != nil {
			t.Error(err)
		}
	}
	released := testutil.ToFloat64(d.workers[0].metrics.Memory.Released)
	const leastWeight = 2000 // of a session with all else that it makes; some 5,000 are measured
	if begun := *daySessions * *dayMinutes / (24 * 60); begun*leastWeight > *dayMemory && released == 0 {
		t.Errorf("nothing was let go of %d sessions, which weigh more than limits.memoryBytes %d", begun, *dayMemory)
	}
	runtime.KeepAlive(d)
}

// resident says how much of the process is in memory, and how much was at most.
func resident() string {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return "what is resident is not known: " + err.Error()
	}
	var now, most string
	for line := range strings.Lines(string(status)) {
		f := strings.Fields(line)
		switch f[0] {
		case "VmRSS:":
			now = f[1]
		case "VmHWM:":
			most = f[1]
		}
	}
	return fmt.Sprintf("resident %s KB, at most %s KB", now, most)
}

// day is a process that folds a day.
type day struct {
	p       *Pipeline
	workers []*worker
	chunks  [][]*kgo.Record
	offsets []int64
	begun   int
	pending dayEvents
	rng     *rand.Rand
	start   time.Time
}

// dayEvent is the next event of a session.
type dayEvent struct {
	at      time.Duration
	session int
	step    int
}

type dayEvents []dayEvent

func (q dayEvents) Len() int           { return len(q) }
func (q dayEvents) Less(i, j int) bool { return q[i].at < q[j].at }
func (q dayEvents) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *dayEvents) Push(x any)        { *q = append(*q, x.(dayEvent)) }
func (q *dayEvents) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}

func newDay(t *testing.T) *day {
	const partitions = 8
	o := Options{Topic: "events", Group: "g", Table: &slowTable{parts: make(map[sinks.Key]sinks.Item)},
		Settings: checkpoint.DefaultSettings(), StatsInterval: *dayInterval}
	o.Settings.NewSites, o.Settings.RawEvents, o.Limits.MemoryBytes = 0, false, *dayMemory
	p, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	if p.hash, err = sketch.NewHasher([]byte("0123456789abcdef")); err != nil {
		t.Fatal(err)
	}
	p.number, p.sessionShards = 1, sinks.DefaultShards
	d := &day{p: p, chunks: make([][]*kgo.Record, partitions), offsets: make([]int64, partitions), rng: rand.New(rand.NewPCG(1, 2)),
		start: time.UnixMilli(1_749_945_600_000)}
	for n := range partitions {
		w, _, err := p.taker.acquire(t.Context(), int32(n), [16]byte{1}, checkpoint.Extent{})
		if err != nil {
			t.Fatal(err)
		}
		w.open(t.Context(), nil)
		w.holding.Join()
		d.workers = append(d.workers, w)
	}
	return d
}

// minute folds a minute of the day, and ends the flushes that end in it. A flush has settled when the next one ends.
func (d *day) minute(t *testing.T, from time.Duration) {
	every := 24 * time.Hour / time.Duration(*daySessions)
	for at := from; at < from+time.Minute; at += 5 * time.Second {
		for next := at + 5*time.Second; ; {
			if begins := time.Duration(d.begun) * every; begins < next && (len(d.pending) == 0 || begins <= d.pending[0].at) {
				heap.Push(&d.pending, dayEvent{begins, d.begun, 0})
				d.begun++
				continue
			}
			if len(d.pending) == 0 || d.pending[0].at >= next {
				break
			}
			e := heap.Pop(&d.pending).(dayEvent)
			if e.step < 2 {
				heap.Push(&d.pending, dayEvent{e.at + 20*time.Second + time.Duration(d.rng.Int64N(int64(40*time.Second))), e.session, e.step + 1})
			}
			d.fold(t, e)
		}
		for n, w := range d.workers {
			d.flushChunk(t, n)
			d.flush(w.lanes[1], at)
			if (at+5*time.Second)%*dayInterval == 0 {
				d.flush(w.lanes[0], at)
			}
			w.relieve()
		}
	}
	for _, w := range d.workers { // What the last of them folded may have passed the ceiling: then the budget signals all.
		w.relieve()
	}
}

// flush ends a flush of a lane, and settles the one before.
func (d *day) flush(l *lanes.Lane, at time.Duration) {
	if l.Taken.Records > 0 {
		l.Fold.Cut(d.start.Add(at).Unix())
		l.Fold.Settled(l.Step - 1)
		l.Begin(l.Step + 1)
	}
}

// fold gives an event to its partition.
func (d *day) fold(t *testing.T, e dayEvent) {
	site := e.session % *daySites
	h := fnv.New32a()
	fmt.Fprint(h, site)
	n := int(h.Sum32() % uint32(len(d.workers)))
	draw := rand.New(rand.NewPCG(uint64(e.session), 3))
	zipf := func(below int) int { return int(rand.NewZipf(draw, 1.1, 2, uint64(below-1)).Uint64()) }
	at := d.start.Add(e.at)
	city, agent := zipf(400), zipf(6)
	page := int(rand.NewZipf(rand.New(rand.NewPCG(uint64(e.session), uint64(4+e.step))), 1.1, 2, 999).Uint64())
	b := fmt.Appendf(nil, `{"siteId":"site-%d","type":"page_view","timestamp":%d,"id":"%08x-%04x-4000-8000-%012x",`+
		`"visitorId":"%08x-0000-4000-8000-%012x","sessionId":"%08x-1111-4000-9000-%012x","url":"https://www.site-%d.example/articles/page-%d`+
		`?utm_source=newsletter-%d&utm_medium=email&utm_campaign=spring","referrer":"https://news-%d.example/story","country":"%c%c",`+
		`"region":"region-%d","city":"city-%d","device":"mobile","browser":"Browser %d","os":"OS %d"}`, site, at.UnixMilli(), e.session, e.step,
		e.session, e.session, e.session, e.session, e.session, site, page, zipf(20), zipf(30), 'A'+city%26, 'A'+city%5, city%60, city,
		agent, agent%3)
	d.chunks[n] = append(d.chunks[n], &kgo.Record{Offset: d.offsets[n], Partition: int32(n), Timestamp: at, Value: b})
	d.offsets[n]++
	if len(d.chunks[n]) == decoding.ChunkRecords {
		d.flushChunk(t, n)
	}
}

func (d *day) flushChunk(t *testing.T, n int) {
	w := d.workers[n]
	records := w.decodeChunk(d.chunks[n])
	w.dedupe(records)
	for len(records) > 0 {
		portion := w.portion(records)
		if err := w.fold(t.Context(), records[:portion]); err != nil {
			t.Fatal(err)
		}
		records = records[portion:]
		w.relieve()
	}
	d.chunks[n] = d.chunks[n][:0]
}

// sessions counts those in memory.
func (d *day) sessions() (n int) {
	for _, w := range d.workers {
		for _, s := range w.sites {
			n += len(s.Sessions)
		}
	}
	return n
}
