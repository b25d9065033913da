package pipeline_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/pipeline/aggregate"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// metered is a table that takes five milliseconds for a request, and so many write units a second of a range of keys
// and of all, as DynamoDB does: beyond that it throttles and says why.
type metered struct {
	sinks.Table
	ranges func(sinks.Key) string                // the range that a key lies in; "": one that is never at its limit
	others func(rng string, t time.Time) float64 // what others take of a range in this second; nil: nothing
	all    float64                               // units a second of the whole table; 0: without limit

	mu        sync.Mutex // covers all below
	second    int64
	used      map[string]float64 // in this second, by range; "" is the whole table
	throttled int
}

const (
	rangeUnits   = 1000 // DynamoDB's limit of a key, and of the keys that share its partition
	tableLatency = 5 * time.Millisecond
)

// take takes a unit of the key's range, or says why there is none left. A request that costs more goes into debt.
func (m *metered) take(k sinks.Key) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	if s := now.Unix(); s != m.second {
		m.second, m.used = s, make(map[string]float64)
	}
	rng, taken := m.ranges(k), 0.0
	if m.others != nil {
		taken = m.others(rng, now)
	}
	switch {
	case m.all > 0 && m.used[""] >= m.all:
		m.throttled++
		return &sinks.ThrottleError{Reasons: []string{"TableWriteProvisionedThroughputExceeded"}}
	case rng != "" && m.used[rng]+taken >= rangeUnits:
		m.throttled++
		return &sinks.ThrottleError{Reasons: []string{"TableWriteKeyRangeThroughputExceeded"}}
	}
	m.used[""]++
	if rng != "" {
		m.used[rng]++
	}
	return nil
}

// owe books what a request cost beyond its first unit.
func (m *metered) owe(k sinks.Key, units float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.used[""] += units - 1
	if rng := m.ranges(k); rng != "" {
		m.used[rng] += units - 1
	}
}

func (m *metered) Update(ctx context.Context, u sinks.Update) (sinks.Result, error) {
	time.Sleep(tableLatency)
	if err := m.take(u.Key); err != nil {
		return sinks.Result{}, err
	}
	r, err := m.Table.Update(ctx, u)
	m.owe(u.Key, r.Units)
	return r, err
}

func (m *metered) Put(ctx context.Context, p sinks.Put) (sinks.Result, error) {
	time.Sleep(tableLatency)
	if err := m.take(p.Item.Key()); err != nil {
		return sinks.Result{}, err
	}
	r, err := m.Table.Put(ctx, p)
	m.owe(p.Item.Key(), r.Units)
	return r, err
}

func (m *metered) BatchPut(ctx context.Context, items []sinks.Attrs) (sinks.BatchResult, error) {
	time.Sleep(tableLatency)
	var taken []sinks.Attrs
	var left []sinks.Key
	var err error
	for _, it := range items {
		if e := m.take(it.Key()); e != nil {
			left, err = append(left, it.Key()), e
		} else {
			taken = append(taken, it)
		}
	}
	if len(taken) == 0 {
		return sinks.BatchResult{}, err
	}
	r, err := m.Table.BatchPut(ctx, taken)
	r.Left = append(r.Left, left...)
	return r, err
}

func (m *metered) BatchGet(ctx context.Context, g sinks.BatchGet) (sinks.BatchResult, error) {
	time.Sleep(tableLatency)
	return m.Table.BatchGet(ctx, g)
}

func none(sinks.Key) string { return "" }

// visibility measures how old the oldest event is that readers do not see yet: one site in each partition.
type visibility struct {
	w     *world
	at    [][]time.Time              // when each event was published, by partition
	worst map[string][]time.Duration // by lane, then partition
}

func newVisibility(w *world, partitions int) *visibility {
	v := &visibility{w: w, at: make([][]time.Time, partitions), worst: make(map[string][]time.Duration)}
	for _, lane := range checkpoint.Lanes {
		v.worst[lane] = make([]time.Duration, partitions)
	}
	return v
}

func siteOf(partition int) string { return fmt.Sprint("site-", partition) }

// publish publishes n events of a partition's site, each in a session of its own.
func (v *visibility) publish(partition, n int) {
	v.w.T.Helper()
	now := time.Now()
	list := make([]*kgo.Record, n)
	for i := range list {
		session := len(v.at[partition])
		v.at[partition] = append(v.at[partition], now)
		list[i] = &kgo.Record{Topic: v.w.Topic, Partition: int32(partition), Key: []byte("k"), Timestamp: now, Value: fmt.Appendf(nil,
			`{"siteId":%q,"type":"click","timestamp":%d,"visitorId":"v%d","sessionId":"s%d"}`, siteOf(partition), now.UnixMilli(), session%100,
			session)}
	}
	if err := v.w.Client.ProduceSync(v.w.T.Context(), list...).FirstErr(); err != nil {
		v.w.T.Fatal(err)
	}
}

// look reads what the table says, each second of the first hour.
func (v *visibility) look() {
	v.w.T.Helper()
	now := time.Now()
	for p, published := range v.at {
		keys := []sinks.Key{sinks.Keys{}.HourStats(siteOf(p), bubbleStart.UnixMilli())}
		for m := bubbleStart; !m.After(now); m = m.Add(time.Minute) {
			keys = append(keys, sinks.Keys{}.Realtime(siteOf(p), m.UnixMilli(), sinks.TP{Topic: 1, Partition: int32(p)}))
		}
		r, err := v.w.Table.BatchGet(v.w.T.Context(), sinks.BatchGet{Keys: keys})
		if err != nil {
			v.w.T.Fatal(err)
		}
		seen := map[string]int{checkpoint.LaneStats: int(r.Items[keys[0]][sinks.AttrEvents].Int())}
		for _, k := range keys[1:] {
			seen[checkpoint.LaneRealtime] += int(r.Items[k][sinks.AttrEvents].Int())
		}
		for lane, n := range seen {
			if n < len(published) {
				v.worst[lane][p] = max(v.worst[lane][p], now.Sub(published[n]))
			}
		}
	}
}

// Bounds of staleness at the default intervals, where nothing holds a lane up: its interval, the spreading of its
// step's writes, and a second for fetch and requests.
const (
	statsBound    = 60*time.Second + 30*time.Second + time.Second
	realtimeBound = 5*time.Second + 500*time.Millisecond + time.Second
)

// holds checks every partition's worst staleness; the stats lane of partition 0 has a bound of its own.
func (v *visibility) holds(hot time.Duration) {
	v.w.T.Helper()
	v.w.T.Logf("worst staleness %v", v.worst)
	for p := range v.at {
		bound := statsBound
		if p == 0 {
			bound = hot
		}
		if d := v.worst[checkpoint.LaneStats][p]; d > bound {
			v.w.T.Errorf("the stats of partition %d were %v old, want %v at most", p, d, bound)
		}
		if d := v.worst[checkpoint.LaneRealtime][p]; d > realtimeBound {
			v.w.T.Errorf("the realtime minutes of partition %d were %v old, want %v at most", p, d, realtimeBound)
		}
	}
}

// TestKeyAtItsLimitHoldsUpOnlyItsLane: for five minutes others leave nothing of the 1,000 units a second of the key that
// a site's stats lie under. The lane that writes there waits so long and no longer than it must; the other lane of its
// partition, and the other partitions, do not wait.
func TestKeyAtItsLimitHoldsUpOnlyItsLane(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	const partitions, minutes = 4, 12
	inWorld(t, partitions, func(t *testing.T, w *world) {
		begins, ends := bubbleStart.Add(3*time.Minute), bubbleStart.Add(8*time.Minute)
		m := &metered{Table: w.Table,
			ranges: func(k sinks.Key) string {
				if k.PK == "SITE#"+siteOf(0) && strings.HasPrefix(k.SK, "STATS#") {
					return k.PK
				}
				return ""
			},
			others: func(rng string, t time.Time) float64 {
				if rng != "" && !t.Before(begins) && t.Before(ends) {
					return rangeUnits
				}
				return 0
			}}
		o := w.Options()
		o.Table = m
		run := w.Start(o)
		v := newVisibility(w, partitions)
		for range minutes * 60 {
			for p := range partitions {
				v.publish(p, 3)
			}
			w.Pass(time.Second)
			v.look()
		}
		w.Settled()
		run.Drain()
		w.recounts(partitions * minutes * 60 * 3)
		const backoff = 4 * time.Second // The last try may come so long after the key is free again.
		v.holds(ends.Sub(begins) + statsBound + backoff)
		if m.throttled == 0 || v.worst[checkpoint.LaneStats][0] < ends.Sub(begins) {
			t.Errorf("%d throttles: the test is void", m.throttled)
		}
	})
}

// TestSiteAtItsThousandUnitsASecond: all sessions of a site lie on one partition of the table, which takes 1,000 units a
// second, and for a minute the site has 1,200 a second to write. Its stats lane waits for what it writes itself; nothing
// else does.
func TestSiteAtItsThousandUnitsASecond(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	const partitions = 3
	const cache, mostBytes = 2 << 20, 16 << 20 // Without evictions the sessions take 23 MB.
	inWorld(t, partitions, func(t *testing.T, w *world) {
		m := &metered{Table: w.Table, ranges: func(k sinks.Key) string {
			if strings.HasPrefix(k.PK, "SITE#"+siteOf(0)) && strings.HasPrefix(k.SK, "SESSION#") {
				return "the sessions of " + siteOf(0)
			}
			return ""
		}}
		o := w.Options()
		o.Table, o.Settings.RawEvents, o.Limits.CacheBytes = m, false, cache
		o.Metrics = pipeline.NewMetrics(prometheus.NewRegistry())
		run := w.Start(o)
		v, n := newVisibility(w, partitions), 0
		for second := range 6 * 60 {
			for p := range partitions {
				events := 1
				if p == 0 && 60 <= second && second < 120 {
					events = 1200 // A new session is a unit.
				}
				v.publish(p, events)
				n += events
			}
			w.Pass(time.Second)
			v.look()
		}
		w.Settled()
		held := testutil.ToFloat64(o.Metrics.Memory.Bytes.WithLabelValues("states"))
		run.Drain()
		w.recounts(n)
		// In a minute 200 units a second too many come to 12 seconds' worth; tries that come too late leave a fifth unused.
		v.holds(statsBound + 12*time.Second*5/4)
		if m.throttled == 0 {
			t.Error("the site never was at its limit: the test is void")
		}
		if held == 0 || held > mostBytes {
			t.Errorf("states of %v bytes are in memory, want some, and at most %d", held, mostBytes)
		}
	})
}

// TestBurstStaysWithinItsCeilings: for a minute ten times the events come, twice of what the table is provisioned for.
// What is in memory stays within its ceilings, the lag goes back to nothing, and no event is lost.
func TestBurstStaysWithinItsCeilings(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	const partitions, normal, burst = 2, 25, 250
	inWorld(t, partitions, func(t *testing.T, w *world) {
		m := &metered{Table: w.Table, ranges: none, all: 500}
		o := w.Options()
		o.Table = m
		o.Limits = pipeline.Limits{QueueBytes: 200_000, StepItems: 1000, CacheBytes: 1 << 20}
		o.Metrics = pipeline.NewMetrics(prometheus.NewRegistry())
		run := w.Start(o)
		v, n := newVisibility(w, partitions), 0
		most := make(map[string]float64)
		gauges := func() (lag float64) {
			most["queue"] = max(most["queue"], testutil.ToFloat64(o.Metrics.QueueBytes))
			for _, lane := range checkpoint.Lanes {
				most[lane] = max(most[lane], testutil.ToFloat64(o.Metrics.States.WithLabelValues(lane)))
			}
			for p := range partitions {
				lag += testutil.ToFloat64(o.Metrics.Lag.WithLabelValues(fmt.Sprint(p)))
			}
			most["lag"] = max(most["lag"], lag)
			return lag
		}
		second := func(events int) float64 {
			for p := range partitions {
				v.publish(p, events)
				n += events
			}
			w.Pass(time.Second)
			return gauges()
		}
		for range 120 {
			second(normal)
		}
		for range 60 {
			second(burst)
		}
		drained := 0
		for second(normal) > normal*partitions {
			if drained++; drained > 15*60 {
				t.Fatal("the lag has not gone in a quarter of an hour")
			}
		}
		w.Settled()
		run.Drain()
		w.recounts(n)
		t.Logf("the lag was gone after %d s; most at once: %v; %d throttles", drained, most, m.throttled)

		// A queue passes its bound by what one fetch brings. Beyond the states that are kept, of 500 bytes and more, there may be those
		// of the step that is applied and of the one that accumulates: twice the bound of a step and a chunk each, and a few hours and
		// minutes.
		const fetch, state = 60 * burst * 300, 500
		if limit := float64(partitions * (o.Limits.QueueBytes + fetch)); most["queue"] > limit || most["queue"] < 200_000 {
			t.Errorf("up to %.0f bytes were queued, want 200,000 at least, else the test is void, and %.0f at most", most["queue"], limit)
		}
		for _, lane := range checkpoint.Lanes {
			if limit := float64(partitions * (o.Limits.CacheBytes/state + 2*(2*o.Limits.StepItems+256) + 3)); most[lane] > limit {
				t.Errorf("%v states of lane %s were in memory, want %v at most", most[lane], lane, limit)
			}
		}
		if most["lag"] < 1000 || m.throttled == 0 {
			t.Errorf("a lag of %v, %d throttles: the test is void", most["lag"], m.throttled)
		}
	})
}

// TestTenThousandSitesAndAHundredThousandSessions: what is in memory stays within its ceilings, states are let go and
// read again, and every number is right.
func TestTenThousandSitesAndAHundredThousandSessions(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	const partitions, sites, sessions = 4, 10_000, 100_000
	inWorld(t, partitions, func(t *testing.T, w *world) {
		o := w.Options()
		o.Settings.RawEvents = false
		o.Limits.CacheBytes = 4 << 20
		o.Metrics = pipeline.NewMetrics(prometheus.NewRegistry())
		run := w.Start(o)
		n, most := 0, make(map[string]float64)
		bytes := func() float64 { return testutil.ToFloat64(o.Metrics.Memory.Bytes.WithLabelValues("states")) }
		states := func(lane string) float64 { return testutil.ToFloat64(o.Metrics.States.WithLabelValues(lane)) }
		publish := func(ids []int) {
			now := time.Now()
			list := make([]*kgo.Record, len(ids))
			for i, id := range ids { // A site's events lie in one partition, and a session's of course.
				list[i] = &kgo.Record{Topic: w.Topic, Partition: int32(id % sites % partitions), Key: []byte("k"), Timestamp: now,
					Value: fmt.Appendf(nil,
						`{"siteId":"site-%d","type":"click","timestamp":%d,"visitorId":"v%d","sessionId":"s%d"}`, id%sites, now.UnixMilli(), id, id)}
			}
			if err := w.Client.ProduceSync(t.Context(), list...).FirstErr(); err != nil {
				t.Fatal(err)
			}
			n += len(ids)
			w.Pass(time.Second)
			for _, lane := range checkpoint.Lanes {
				most[lane] = max(most[lane], states(lane))
			}
			most["bytes"] = max(most["bytes"], bytes())
		}
		for _, stride := range []int{1, 13} { // All sessions, and later some of each site once more.
			var ids []int
			for id := 0; id < sessions; id += stride {
				if ids = append(ids, id); len(ids) == 1000 {
					publish(ids)
					ids = nil
				}
			}
			publish(ids)
			w.Settled()
			w.Pass(time.Second)
			// No step is open or accumulates: what is left are the states that lanes keep, and the sites.
			limit := float64(partitions*len(checkpoint.Lanes)*o.Limits.CacheBytes + sites*aggregate.SiteRoom)
			if have := bytes(); have > limit || have < limit/10 {
				t.Errorf("%v bytes of states are kept, want %v at most, and a tenth at least, else the test is void", have, limit)
			}
		}
		run.Drain()
		w.recounts(n)
		t.Logf("most at once: %v", most)
		if least := float64(2 * partitions * o.Limits.CacheBytes); most["bytes"] < least {
			t.Errorf("at most %v bytes of states at once, want more than %v, else the test is void", most["bytes"], least)
		}
	})
}
