//go:build unix

package pipeline

import (
	"math/rand/v2"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/testworld"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/internal/decoding"
)

const (
	// catchUpRecords are the backlog of BenchmarkCatchUpPartition, some 3,300 events a site.
	catchUpRecords = 40_000
	// catchUpRate is how many of them are folded within a second of the clock.
	catchUpRate = 5_000
)

// BenchmarkCatchUpPartition folds and flushes the records of one partition as fast as they come, with everything on but raw events, on a
// clock of its own, without a broker. The operation is the whole backlog. It prints the CPU time of the process an event, which other work
// of the machine changes less than the time that passes, and the allocations.
func BenchmarkCatchUpPartition(b *testing.B) {
	traffic := &steadyTraffic{rng: rand.New(rand.NewPCG(1, 2)), now: time.Now().Truncate(time.Hour)}
	catchUp(b, traffic, catchUpRecords)
}

// BenchmarkCatchUpSmallSites is BenchmarkCatchUpPartition with an hour of many sites, as many as a partition has of 10,000 sites in 8
// partitions. Each has four sessions of five events, so a state is made every few events.
func BenchmarkCatchUpSmallSites(b *testing.B) {
	traffic := &steadyTraffic{rng: rand.New(rand.NewPCG(1, 2)), now: time.Now().Truncate(time.Hour), sites: 1250, hourly: 25_000,
		think: 40 * time.Second}
	catchUp(b, traffic, traffic.hourly)
}

// catchUp measures the folds and flushes of the traffic's records, at most that many.
func catchUp(b *testing.B, traffic *steadyTraffic, most int) {
	settings := checkpoint.DefaultSettings()
	settings.RawEvents = false
	settings.NewSites = 10_000 // All that there are come in their first hour.
	var records []*kgo.Record
	for len(records) < most {
		records = append(records, traffic.next(18*time.Second)...)
	}
	cpu, allocs, n := time.Duration(0), uint64(0), 0
	for b.Loop() {
		w := ownedPartitionWith(b, Options{Table: discarded{testworld.Table(b)}, Settings: settings})
		w.holding.Join()
		now := traffic.now
		for _, l := range w.lanes {
			l.Next, l.Pace = now.Add(l.Interval), 0
		}
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		from := processCPU(b)
		for rest := records; len(rest) > 0; {
			some := rest[:min(len(rest), decoding.ChunkRecords)]
			rest = rest[len(some):]
			now = now.Add(time.Second * time.Duration(len(some)) / catchUpRate)
			if err := w.foldChunk(b.Context(), some); err != nil {
				b.Fatal(err)
			}
			steadyAdvance(b.Context(), b, w, now)
		}
		for _, l := range w.lanes {
			now = now.Add(l.Interval)
		}
		steadyAdvance(b.Context(), b, w, now)
		cpu += processCPU(b) - from
		runtime.ReadMemStats(&after)
		allocs += after.Mallocs - before.Mallocs
		n += len(records)
		if counted := w.totals.Counted; counted != int64(len(records)) {
			b.Fatalf("counted %d of %d", counted, len(records))
		}
		w.holding.Leave()
	}
	b.ReportMetric(float64(cpu.Nanoseconds())/float64(n), "cpu-ns/event")
	b.ReportMetric(float64(allocs)/float64(n), "allocs/event")
}

// processCPU is the user and system time of the process.
func processCPU(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
