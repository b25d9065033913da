package pipeline_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/pipeline/aggregate"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// TestThrottledTableAndHotKey: a site sends events to 60 past hours, and the table takes 150 units a second in all, so that flushes are
// throttled. For three minutes the stats key of another site of that partition has no capacity left. Both lanes of both partitions keep
// working: figures under other keys are never older than three intervals of the stats lane, and no number is wrong.
func TestThrottledTableAndHotKey(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	const partitions, minutes, hours, perSecond = 2, 8, 60, 20
	inWorld(t, partitions, func(t *testing.T, w *world) {
		begins, ends := bubbleStart.Add(2*time.Minute), bubbleStart.Add(5*time.Minute)
		hot := sinks.Keys{}.Site(siteOf(0))
		m := &metered{Table: w.Table, all: 150,
			ranges: func(k sinks.Key) string {
				if k.PK == hot && !strings.HasPrefix(k.SK, sinks.StatsPrefix) {
					return ""
				}
				return k.PK
			},
			others: func(rng string, t time.Time) float64 {
				if rng == hot && !t.Before(begins) && t.Before(ends) {
					return rangeUnits
				}
				return 0
			}}
		o := w.Options()
		o.Table, o.Settings.LateMs = m, (200 * time.Hour).Milliseconds()
		o.Limits.Journal = aggregate.Journal{MinItem: 1, Share: 4, Entries: 4}
		run := w.Start(o)
		v, n := newVisibility(w, partitions), 0
		for second := range minutes * 60 {
			var list []*kgo.Record
			now := time.Now()
			for i := range perSecond {
				k := perSecond*second + i
				list = append(list, &kgo.Record{Topic: w.Topic, Partition: 0, Timestamp: now, Value: fmt.Appendf(nil,
					`{"siteId":"filler","type":"ping","timestamp":%d,"visitorId":"late%d"}`,
					bubbleStart.Add(-time.Duration(2+k%hours)*time.Hour).UnixMilli(), k)})
			}
			if err := w.Client.ProduceSync(t.Context(), list...).FirstErr(); err != nil {
				t.Fatal(err)
			}
			for p := range partitions {
				v.publish(p, 1)
			}
			n += perSecond + partitions
			w.Pass(time.Second)
			v.look()
		}
		w.Settled()
		run.Drain()
		w.recounts(n)
		t.Logf("worst staleness %v; %d throttles", v.worst, m.throttled)
		for _, lane := range checkpoint.Lanes {
			for p := range partitions {
				bound := 3 * time.Minute
				if p == 0 && lane == checkpoint.LaneStats {
					bound += ends.Sub(begins)
				}
				if d := v.worst[lane][p]; d > bound {
					t.Errorf("lane %s of partition %d was %v old, want %v at most", lane, p, d, bound)
				}
			}
		}
		if m.throttled == 0 || v.worst[checkpoint.LaneStats][0] < ends.Sub(begins) {
			t.Errorf("%d throttles: the test is void", m.throttled)
		}
	})
}
