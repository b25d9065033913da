package pipeline_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/testenv"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/sinks"
)

// away is a table that cannot be reached while it is gone: a request gets no answer, at once or after the time that a
// client waits for one.
func away(table sinks.Table, gone *atomic.Bool) sinks.Table {
	var n atomic.Int64
	return &via{table, func(ctx context.Context, _ request, pass func(context.Context) error) error {
		if !gone.Load() {
			return pass(ctx)
		}
		if n.Add(1)%2 == 0 {
			select {
			case <-time.After(2 * time.Second):
			case <-ctx.Done():
			}
		}
		return fmt.Errorf("no route to host: %w", sinks.ErrUnknownOutcome)
	}}
}

// steady publishes the traffic of a few sites, so many events a second in each partition, until stop is closed: new
// sessions come at the rate at which old ones end. Equal calls publish equal records.
type steady struct {
	partitions int32
	rate       int // a second and partition
	n          int // published so far
}

func (s *steady) publish(w *world, d time.Duration) {
	w.t.Helper()
	for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(time.Second) {
		now := time.Now()
		var list []*kgo.Record
		for p := range s.partitions {
			for range s.rate {
				s.n++
				session := now.Unix()/300*20 + int64(s.n%20) // 20 at a time in each partition, of five minutes each
				list = append(list, &kgo.Record{Topic: w.topic, Partition: p, Key: []byte("site"), Timestamp: now, Value: fmt.Appendf(nil,
					`{"siteId":"site-%d","type":"page_view","timestamp":%d,"id":"e%d","visitorId":"v%d-%d","sessionId":"s%d-%d","url":"https://shop.example/products/%d?ref=x","userAgent":"Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0","title":"Products"}`,
					s.n%5, now.UnixMilli(), s.n, p, session, p, session, s.n%300)})
			}
		}
		if err := w.client.ProduceSync(w.t.Context(), list...).FirstErr(); err != nil {
			w.t.Fatal(err)
		}
	}
}

// heap is how much is alive, once everything that can be let go is.
func heap() int64 {
	synctest.Wait()
	runtime.GC()
	runtime.GC() // What pools hold goes with the second.
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestOutageOfAnHourCostsNoMemory: while the table is away for an hour under steady load, the process takes no more
// memory than in calm, within a tenth; then it catches up, and nothing is lost.
//
// The broker is in the same heap and grows with every record. So the same records are published in three worlds: with
// no pipeline, with a calm one, and with one whose table goes away. At equal times the first says what the broker, the
// log and the test take; what a pipeline takes is what its world has beyond that.
func TestOutageOfAnHourCostsNoMemory(t *testing.T) {
	testenv.Long(t)
	const partitions, rate = 4, 5
	warm, samples := 40*time.Minute, 6
	rawEvents := []bool{true, false}
	for _, raw := range rawEvents {
		t.Run(fmt.Sprintf("raw events %v", raw), func(t *testing.T) {
			measure := func(runs, fails bool) (sizes []int64) {
				inWorld(t, partitions, func(t *testing.T, w *world) {
					empty := heap()
					var gone atomic.Bool
					o := w.options()
					o.Table, o.Settings.RawEvents, o.Metrics = away(w.table, &gone), raw, pipeline.NewMetrics(prometheus.NewRegistry())
					var run *process
					if runs {
						run = w.start(o)
					}
					load := &steady{partitions: partitions, rate: rate}
					load.publish(w, warm)
					gone.Store(fails)
					before := load.n
					for range samples {
						load.publish(w, 10*time.Minute)
						sizes = append(sizes, heap()-empty)
					}
					lag := 0.0
					for p := range partitions {
						lag += testutil.ToFloat64(o.Metrics.Lag.WithLabelValues(fmt.Sprint(p)))
					}
					if published := float64(load.n - before); fails && (lag < 0.9*published || lag > published) {
						t.Errorf("the lag is shown as %v, want about the %v records that came since the table is away", lag, published)
					}
					gone.Store(false)
					if runs {
						w.settled()
						run.drain()
						w.recounts(load.n)
					}
				})
				return sizes
			}
			idle, calm, outage := measure(false, false), measure(true, false), measure(true, true)
			for i := range idle {
				calm[i] -= idle[i]
				outage[i] -= idle[i]
			}
			normal, most := slices.Min(calm), slices.Max(outage)
			t.Logf("broker, log and test: %d KB; pipeline in calm: %d KB; while its table was away: %d KB", kb(idle), kb(calm), kb(outage))
			if most*10 > normal*11 {
				t.Errorf("%d KB while the table was away, want at most a tenth more than the %d KB of calm", most>>10, normal>>10)
			}
		})
	}
}

func kb(sizes []int64) []int64 {
	list := make([]int64, len(sizes))
	for i, n := range sizes {
		list[i] = n >> 10
	}
	return list
}
