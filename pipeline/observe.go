package pipeline

import (
	"context"
	"strconv"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/internal/inbox"
	"github.com/footfall/footfall/pipeline/internal/requests"
)

// observer shows what becomes of the partitions of a pipeline, and ends a process that waits in vain.
type observer struct {
	*shared
	of *Pipeline
}

// observe publishes gauges, warns operators, and is the watchdog.
func (o *observer) observe(ctx context.Context) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	warned := false
	for {
		select {
		case now := <-tick.C:
			o.gauges(now)
			if err := o.wedged(now); err != nil {
				o.of.fail(err)
			}
			if err := o.of.roster.watchFetching(now); err != nil {
				o.of.fail(err)
			}
			o.rejections.Report(now, o.records.Load(), o.log)
			if n := o.records.Load(); !warned && n >= 1000 && o.keyless.Load()*100 > n {
				warned = true
				// Cause: Producers send records without a key, so the events of a visitor spread over partitions. Remedy: Have producers set the key,
				// as events.md says.
				o.log.Warn("more than 1 % of the records have no Kafka key: sessions that two partitions see count twice; "+
					"let producers set the key to siteId, or to siteId#b with b = hash(visitorId) mod B",
					"records", n, "keyless", o.keyless.Load())
			}
		case <-ctx.Done():
			return
		}
	}
}

// gauges publishes what is read off the workers.
func (o *observer) gauges(now time.Time) {
	workers := o.of.roster.owned()
	o.metrics.Partitions.Set(float64(len(workers)))
	oldest, queued := 0.0, 0
	stale, states := make([]float64, len(checkpoint.Lanes)), make([]int64, len(checkpoint.Lanes))
	for _, w := range workers {
		label := strconv.Itoa(int(w.partition))
		at := w.Progress(now)
		o.metrics.Lag.WithLabelValues(label).Set(float64(at.Lag))
		o.metrics.LagSeconds.WithLabelValues(label).Set(at.Seconds)
		o.metrics.OpenTransaction.WithLabelValues(label).Set(float64(at.Held))
		queued += at.Queued
		for i := range checkpoint.Lanes {
			oldest = max(oldest, age(now, w.intents[i].Load()))
			stale[i] = max(stale[i], age(now, w.stale[i].Load()), at.Waits)
			states[i] += w.states[i].Load()
		}
	}
	o.metrics.OldestIntent.Set(oldest)
	o.metrics.QueueBytes.Set(float64(queued))
	o.memory.Show(o.metrics.Memory)
	for i, lane := range checkpoint.Lanes {
		o.metrics.Staleness.WithLabelValues(lane).Set(stale[i])
		o.metrics.States.WithLabelValues(lane).Set(float64(states[i]))
	}
}

// measure keeps the lag true. Fetches do not suffice: a partition that is paused, parked, stalled or held up by an open
// transaction has none, and those are the ones whose lag operators look at.
func (o *observer) measure(ctx context.Context) {
	admin := kadm.NewClient(o.client)
	held, leaders := make(holds), inbox.Leaders{Log: o.log, Wait: o.metrics.LeaderWait}
	tick := time.NewTicker(inbox.MeasureEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		workers := o.of.roster.owned()
		ends, err := inbox.Ends(ctx, admin, o.topic)
		if err != nil {
			if ctx.Err() == nil {
				// Cause: The brokers did not answer, or refused to list the offsets. Remedy: Counting continues. If it lasts, run `footfall doctor`,
				// which names a missing permission.
				o.log.Warn("lag is unknown: the brokers did not return the end offsets", "error", err)
			}
			continue
		}
		now := time.Now()
		for _, w := range workers {
			end, ok := ends[w.partition]
			if leaders.Look(now, w.partition, ok); ok {
				w.Measured(now, end)
			}
		}
		leaders.Forget(now)
		o.setParkedLag(ends)
		o.setGroupLag(ctx, admin, ends)
		for _, w := range held.look(workers, now) {
			o.warnOfHold(ctx, admin, w)
		}
	}
}

// setParkedLag publishes how far parked partitions are.
func (o *observer) setParkedLag(ends map[int32]inbox.End) {
	o.of.roster.mu.Lock()
	defer o.of.roster.mu.Unlock()
	for n, still := range o.of.roster.parked {
		if end, ok := ends[n]; ok {
			o.metrics.Lag.WithLabelValues(strconv.Itoa(int(n))).Set(float64(max(0, end.High-still.next)))
		}
	}
}

// setGroupLag publishes how far the group is with every partition of the topic, whoever owns it: a partition whose owner has died has
// no other lag until it is taken over.
func (o *observer) setGroupLag(ctx context.Context, admin *kadm.Client, ends map[int32]inbox.End) {
	o.metrics.TopicPartitions.Set(float64(len(ends)))
	committed, err := admin.FetchOffsets(ctx, o.options.Group)
	if err != nil {
		return // What owners show is known all the same.
	}
	for n, end := range ends {
		if at, ok := committed.Lookup(o.topic, n); ok && at.Err == nil && at.At >= 0 {
			o.metrics.GroupLag.WithLabelValues(strconv.Itoa(int(n))).Set(float64(max(0, end.High-at.At)))
		}
	}
}

// age is how many seconds ago an instant was; 0 for none.
func age(now time.Time, instant int64) float64 {
	if instant == 0 {
		return 0
	}
	return max(0, requests.Since(now, instant).Seconds())
}
