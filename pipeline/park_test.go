package pipeline_test

import (
	"bytes"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/internal/verify"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// parkedOf waits until a partition is parked, and returns why.
func (w *world) parkedOf(partition int32) (park *checkpoint.Park) {
	w.T.Helper()
	w.until("the partition is parked", func() bool {
		park = w.head(partition, checkpoint.LaneStats).Park
		return park != nil
	})
	return park
}

// skipCutAt runs Skip against a table that ends the command at a request of that number. It reports whether there was one.
func (w *world) skipCutAt(at int, u checkpoint.Unparking) (cut bool) {
	w.T.Helper()
	u.Table = testpipeline.NewMortal(w.Table, at)
	err := checkpoint.Skip(w.T.Context(), u)
	if err != nil && !errors.Is(err, errKilled) {
		w.T.Fatalf("Skip = %v, want the kill", err)
	}
	return err != nil
}

// gaugeOf reads a gauge by its labels' values, -1 when there is none.
func gaugeOf(t *testing.T, registry *prometheus.Registry, name string, labels ...string) float64 {
	t.Helper()
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			same := f.GetName() == name && len(m.GetLabel()) == len(labels)
			for i := range labels {
				same = same && m.GetLabel()[i].GetValue() == labels[i]
			}
			if same {
				return m.GetGauge().GetValue()
			}
		}
	}
	return -1
}

// unread produces traffic with one record that a disk damages, at offset 50 of partition 0, and returns the options of a
// pipeline that reads through the damage.
func (w *world) unread(net *kfake.VirtualNetwork, damage *atomic.Bool) (o pipeline.Options, all int64) {
	w.T.Helper()
	records := traffic(31, 2, 240, bubbleStart)
	before := 0
	for i, r := range records {
		if r.Partition == 0 {
			before++
		}
		if before == 50 {
			w.Produce(records[:i+1]...)
			w.Produce(record{Partition: 0, Key: "k", At: r.At,
				Value: []byte(`{"siteId":"rotten","type":"click","timestamp":946684800000,"visitorId":"v"}`)})
			w.Produce(records[i+1:]...)
			break
		}
	}
	for _, r := range records {
		if r.Partition == 0 {
			all++
		}
	}
	damage.Store(true)
	o = w.Options()
	o.Kafka = w.Decayed(damage, net.DialContext)
	return o, all + 1
}

// A batch whose checksum is wrong parks its partition with its offsets, across restarts; others continue; the command that
// is shown passes it, and verify leaves out exactly these offsets.
func TestBatchThatCannotBeReadParksItsPartitionAndIsSkipped(t *testing.T) {
	t.Parallel()
	inNetwork(t, 2, func(t *testing.T, w *world, net *kfake.VirtualNetwork) {
		damage := new(atomic.Bool)
		o, all := w.unread(net, damage)
		registry := prometheus.NewRegistry()
		o.Metrics = pipeline.NewMetrics(registry)
		run := w.Start(o)
		park := w.parkedOf(0)
		if park.Reason != checkpoint.ParkedRead || park.From != 50 {
			t.Errorf("parked: %+v, want it to be at offset 50", park)
		}
		w.until("the gauges show it", func() bool {
			return gaugeOf(t, registry, "footfall_partition_parked", "0", "read") == 1
		})
		w.until("partition 1 continues", func() bool {
			return w.head(1, checkpoint.LaneStats).Totals.Records() == 240-(all-1) && w.head(1, checkpoint.LaneRealtime).Done
		})
		for _, lane := range checkpoint.Lanes {
			if head := w.head(0, lane); head.To != 50 || !head.Done {
				t.Errorf("lane %s stands at %+v, want everything before offset 50 to be settled", lane, head)
			}
		}
		run.Drain()

		o.Metrics = nil
		epoch := w.head(0, checkpoint.LaneStats).Epoch
		run = w.Start(o)
		w.until("another process has taken the partition over", func() bool { return w.head(0, checkpoint.LaneRealtime).Epoch > epoch })
		if again := w.parkedOf(0); *again != *park {
			t.Errorf("after a restart it is parked as %+v, want %+v", again, park)
		}
		if _, err := checkpoint.Resume(t.Context(), w.Unparking(0)); err != nil {
			t.Fatal(err)
		}
		w.until("the partition is parked again", func() bool {
			again := w.head(0, checkpoint.LaneStats).Park
			return again != nil && again.Since != park.Since
		})

		u := w.Unparking(0)
		for _, c := range []struct {
			from, to int64
			why      string
		}{{49, 51, "everything before offset 50"}, {51, 52, "begin at offset 50"}, {50, 50, "less than"}, {50, 999, "the log ends"}} {
			u.From, u.To = c.from, c.to
			if err := checkpoint.Skip(t.Context(), u); err == nil || !bytes.Contains([]byte(err.Error()), []byte(c.why)) {
				t.Errorf("Skip of [%d,%d) = %v, want %q", c.from, c.to, err, c.why)
			}
		}
		u.From, u.To = 50, 51
		if err := checkpoint.Skip(t.Context(), u); err != nil {
			t.Fatal(err)
		}
		w.Settled()
		run.Drain()
		if n := w.totals(0).Records(); n != all-1 {
			t.Errorf("totals of %d records, want %d", n, all-1)
		}
		if err := checkpoint.Skip(t.Context(), u); !errors.Is(err, checkpoint.ErrNotParked) {
			t.Errorf("Skip, again = %v, want %v", err, checkpoint.ErrNotParked)
		}
		r, err := verify.Run(t.Context(), verify.Options{Kafka: o.Kafka, Topic: w.Topic, Table: w.Table, HashKey: o.HashKey})
		if err != nil || r.DifferenceCount != 0 || len(r.Gaps) != 2 || r.Gaps[0].Cause != checkpoint.GapSkipped || r.Records != 240 {
			t.Errorf("verify = %v: %d differences, %d records, gaps %+v", err, r.DifferenceCount, r.Records, r.Gaps)
		}
	})
}

// Once what damaged the records is gone, resume continues without a loss.
func TestResumedPartitionLosesNothing(t *testing.T) {
	t.Parallel()
	inNetwork(t, 2, func(t *testing.T, w *world, net *kfake.VirtualNetwork) {
		damage := new(atomic.Bool)
		o, all := w.unread(net, damage)
		run := w.Start(o)
		w.parkedOf(0)
		damage.Store(false)
		if _, err := checkpoint.Resume(t.Context(), w.Unparking(0)); err != nil {
			t.Fatal(err)
		}
		w.Settled()
		run.Drain()
		if n := w.totals(0).Records(); n != all {
			t.Errorf("totals of %d records, want %d", n, all)
		}
		w.Recounted()
		if _, err := checkpoint.Resume(t.Context(), w.Unparking(0)); !errors.Is(err, checkpoint.ErrNotParked) {
			t.Errorf("Resume, again = %v, want %v", err, checkpoint.ErrNotParked)
		}
	})
}

// An error of one partition's fetch that Kafka does not call retriable ends no process.
func TestFetchErrorOfOnePartitionEndsNoProcess(t *testing.T) {
	t.Parallel()
	inWorld(t, 2, func(t *testing.T, w *world) {
		run := w.Start(w.Options())
		w.Produce(traffic(32, 2, 100, bubbleStart)...)
		w.Settled()
		f := w.Cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Fetch}, Topic: w.Topic, Partitions: []int32{0}, Count: -1})
		w.Produce(traffic(33, 2, 100, bubbleStart.Add(time.Minute))...)
		w.parkedOf(0)
		f.Remove()
		if _, err := checkpoint.Resume(t.Context(), w.Unparking(0)); err != nil {
			t.Fatal(err)
		}
		w.Settled()
		run.Drain()
		w.Recounted()
	})
}

// The operator's command may be cut short anywhere, and the next one completes it. Resume refuses if only one lane has skipped.
func TestSkipCutShortIsCompleted(t *testing.T) {
	slow.Unraced(t)
	t.Parallel()
	refused := 0
	for at := 1; ; at++ {
		cut := false
		inNetwork(t, 2, func(t *testing.T, w *world, net *kfake.VirtualNetwork) {
			damage := new(atomic.Bool)
			o, all := w.unread(net, damage)
			run := w.Start(o)
			w.parkedOf(0)
			u := w.Unparking(0)
			u.From, u.To = 50, 51
			cut = w.skipCutAt(at, u)
			floor := func(lane string) int64 { return w.Checkpoint(sinks.TP{Topic: 1}, lane).Floor }
			if apart := floor(checkpoint.LaneStats) != floor(checkpoint.LaneRealtime); apart {
				refused++
				if _, err := checkpoint.Resume(t.Context(), u); !errors.Is(err, checkpoint.ErrHalfSkipped) || !strings.Contains(err.Error(),
					"--to-offset 51") {
					t.Errorf("cut short at request %d: Resume = %v, want ErrHalfSkipped", at, err)
				}
			}
			if err := checkpoint.Skip(t.Context(), u); err != nil && !errors.Is(err, checkpoint.ErrNotParked) {
				t.Fatalf("cut short at request %d: Skip = %v", at, err)
			}
			w.Settled()
			run.Drain()
			if n := w.totals(0).Records(); n != all-1 {
				t.Errorf("cut short at request %d: totals of %d records, want %d", at, n, all-1)
			}
		})
		if !cut {
			if at < 8 || refused == 0 {
				t.Errorf("Skip made only %d requests, and one lane alone had skipped after %d of them", at, refused)
			}
			return
		}
	}
}
