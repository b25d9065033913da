package pipeline

import (
	"context"
	"errors"
	"fmt"
	"net"
	"runtime"
	"runtime/metrics"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/internal/inbox"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// slowTable answers each request after a while. It keeps breakdowns alone, so that hours come back from it at their
// full size; everything else is absent.
type slowTable struct {
	sinks.Table
	after  time.Duration
	mu     sync.Mutex // covers parts
	parts  map[sinks.Key]sinks.Item
	stored atomic.Int64
}

const answersAfter = 5 * time.Millisecond

func (s *slowTable) Update(_ context.Context, u sinks.Update) (sinks.Result, error) {
	time.Sleep(s.after)
	for _, a := range u.Set {
		if a.Name == sinks.AttrPart && strings.Contains(u.Key.PK+u.Key.SK, "BREAKDOWN") {
			s.mu.Lock()
			s.stored.Add(int64(len(a.Value.Bytes()) - len(s.parts[u.Key][sinks.AttrPart].Bytes())))
			s.parts[u.Key] = sinks.Item{sinks.AttrPart: a.Value}
			s.mu.Unlock()
		}
	}
	return sinks.Result{}, nil
}

func (s *slowTable) Put(context.Context, sinks.Put) (sinks.Result, error) {
	time.Sleep(s.after)
	return sinks.Result{}, nil
}

func (s *slowTable) BatchPut(context.Context, []sinks.Attrs) (sinks.BatchResult, error) {
	time.Sleep(s.after)
	return sinks.BatchResult{}, nil
}

func (s *slowTable) BatchGet(_ context.Context, g sinks.BatchGet) (sinks.BatchResult, error) {
	time.Sleep(s.after)
	found := make(map[sinks.Key]sinks.Item)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range g.Keys {
		if it := s.parts[k]; it != nil {
			found[k] = it
		}
	}
	return sinks.BatchResult{Items: found}, nil
}

func (s *slowTable) Query(context.Context, sinks.Query) (sinks.Page, error) {
	return sinks.Page{}, nil
}

// hostile makes the partition's n-th record: of one kind after the other, 1,000 records each.
func hostile(partition, n int, at time.Time) *kgo.Record {
	text := func(name string) string { return fmt.Sprintf("%s-%d-%s", name, n, strings.Repeat("x", 60)) }
	site, ts, session := fmt.Sprintf("site-%d", partition), at, fmt.Sprintf("session-%d-%d-", partition, n)
	switch n / 1000 % 4 {
	case 0: // Session ids of 256 bytes, of as many sessions as records.
		session += strings.Repeat("s", 256-len(session))
	case 1: // As many sites as records.
		site = fmt.Sprintf("site-%d-%d", partition, n)
	case 2: // Fifty hours, each with as many values as it has events.
		site = fmt.Sprintf("old-%d", partition)
		ts = at.Add(-time.Duration(n%47) * time.Hour)
	case 3: // The same, a few events each, so that the hours are read again.
		site = fmt.Sprintf("old-%d", partition)
		ts = at.Add(-time.Duration(n/7%47) * time.Hour)
	}
	return &kgo.Record{Offset: int64(n), Key: []byte(site), Timestamp: at, Value: fmt.Appendf(nil,
		`{"siteId":%q,"type":"page_view","timestamp":%d,"visitorId":"visitor-%d","sessionId":%q,"url":"https://%s.example/%s`+
			`?utm_source=%s&utm_medium=%s&utm_campaign=%s&utm_content=%s&utm_term=%s","referrer":"https://r%d.example/","country":"DE",`+
			`"region":%q,"city":%q,"device":%q,"browser":%q,"os":%q}`, site, ts.UnixMilli(), n, session, fmt.Sprint("h", n), text("page"),
		text("source"), text("medium"), text("campaign"), text("content"), text("term"), n, text("region"), text("city"), text("device"),
		text("browser"), text("os"))}
}

// TestHostileLoadStaysUnderItsCeilings feeds partitions what takes most memory, and measures the heap: it stays below what
// the documentation says, the ceilings of the process and PartitionBytes for each partition.
func TestHostileLoadStaysUnderItsCeilings(t *testing.T) {
	slow.Test(t)
	if slow.Alone(t) {
		return
	}
	cases := []struct {
		partitions, memory, fetched, records int
	}{
		{2, 64 << 20, 8 << 20, 16_000},
		{16, 64 << 20, 8 << 20, 4_000},
	}
	for _, c := range cases {
		t.Run(fmt.Sprintf("%d partitions", c.partitions), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { hostileLoad(t, c.partitions, c.memory, c.fetched, c.records) })
		})
	}
}

func hostileLoad(t *testing.T, partitions, memory, fetched, records int) {
	table := &slowTable{after: answersAfter, parts: make(map[sinks.Key]sinks.Item)}
	o := Options{Topic: "events", Group: "g", Table: table, Settings: checkpoint.DefaultSettings(), ChunksAhead: 4}
	o.Limits.MemoryBytes, o.Limits.FetchedBytes = memory, fetched
	o.Settings.NewSites = 0
	p, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	if p.hash, err = sketch.NewHasher([]byte("0123456789abcdef")); err != nil {
		t.Fatal(err)
	}
	p.number, p.sessionShards = 1, sinks.DefaultShards
	if p.client, err = kgo.NewClient(kgo.SeedBrokers("nowhere:1"), kgo.Dialer(func(context.Context, string, string) (net.Conn, error) {
		return nil, errors.New("there is no broker")
	})); err != nil {
		t.Fatal(err)
	}
	defer p.client.Close()
	before := liveHeap()
	io, stop := context.WithCancelCause(t.Context())
	var workers sync.WaitGroup
	var feeders sync.WaitGroup
	var fed atomic.Int64
	at := time.Now()
	for n := range partitions {
		w, _, err := p.taker.acquire(io, int32(n), [16]byte{1}, checkpoint.Extent{})
		if err != nil {
			t.Fatal(err)
		}
		ctx, kill := context.WithCancelCause(io)
		w.open(ctx, kill)
		w.holding.Join()
		workers.Go(func() {
			if err := w.run(ctx); err != nil && !errors.Is(err, errLost) {
				t.Errorf("partition %d: %v", n, err)
			}
		})
		feeders.Go(func() {
			for i := 0; i < records; {
				w.Mu.Lock()
				paused := w.Paused
				w.Mu.Unlock()
				if paused {
					time.Sleep(answersAfter)
					continue
				}
				var list []*kgo.Record
				for range 500 {
					list = append(list, hostile(n, i, at))
					i++
				}
				w.Enqueue(list, inbox.End{})
				fed.Add(int64(len(list)))
				time.Sleep(answersAfter)
			}
		})
	}
	done := make(chan struct{})
	go func() {
		feeders.Wait()
		close(done)
	}()
	var most, mostHeld, mostFetched, seen int64
	for over := false; !over; {
		select {
		case <-done:
			over = p.memory.Fetched() == 0
		default:
		}
		time.Sleep(100 * time.Millisecond)
		mostHeld, mostFetched = max(mostHeld, p.memory.Held()), max(mostFetched, p.memory.Fetched())
		if fed.Load() == seen && seen > 0 && !over {
			continue // A collection a look is what takes the time of this test.
		}
		seen = fed.Load()
		if n := liveHeap() - before - table.stored.Load(); n > most {
			most = n
			t.Logf("%d records fed: heap %d KB, held %d KB, fetched %d KB; stored %d KB", fed.Load(), n>>10, p.memory.Held()>>10,
				p.memory.Fetched()>>10, table.stored.Load()>>10)
		}
	}
	stop(errLost)
	workers.Wait()
	ceiling := int64(memory+fetched) + int64(partitions)*PartitionBytes(checkpoint.DefaultDuplicates, o.ChunksAhead)
	t.Logf("heap %d MB of %d MB; held %d MB, fetched %d MB", most>>20, ceiling>>20, mostHeld>>20, mostFetched>>20)
	if most > ceiling {
		t.Errorf("the heap grew to %d bytes, want %d at most", most, ceiling)
	}
	if mostHeld < int64(memory) {
		t.Errorf("at most %d bytes were held: the test is void", mostHeld)
	}
}

// liveHeap is what a collection finds to be in use.
func liveHeap() int64 {
	runtime.GC()
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}
