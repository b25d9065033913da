package pipeline

import (
	"context"
	"strconv"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
)

// observe publishes gauges, warns of what operators should know, and is the watchdog.
func (p *Pipeline) observe(ctx context.Context) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	warned := false
	for {
		select {
		case now := <-tick.C:
			p.gauges(now)
			if err := p.wedged(now); err != nil {
				p.fail(err)
			}
			if n := p.records.Load(); !warned && n >= 1000 && p.keyless.Load()*100 > n {
				warned = true
				p.log.Warn("more than 1 % of the records have no Kafka key: sessions that two partitions see count twice; "+
					"let producers set the key to siteId, or to siteId#b with b = hash(visitorId) mod B",
					"records", n, "keyless", p.keyless.Load())
			}
		case <-ctx.Done():
			return
		}
	}
}

// measureEvery is how often the end offsets are asked for where no fetch tells them.
const measureEvery = 10 * time.Second

// measure keeps the lag of partitions whose fetching is paused, or which are parked at a gap, true: their fetches do not tell the end offset, and
// while the table is away the lag is what operators look at.
func (p *Pipeline) measure(ctx context.Context) {
	admin := kadm.NewClient(p.client)
	tick := time.NewTicker(measureEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		var paused []*worker
		for _, w := range p.owned() {
			if w.pauses() {
				paused = append(paused, w)
			}
		}
		p.mu.Lock()
		parked := len(p.parked)
		p.mu.Unlock()
		if len(paused)+parked == 0 {
			continue
		}
		ends, err := admin.ListCommittedOffsets(ctx, p.topic)
		if err != nil && ctx.Err() == nil {
			p.log.Warn("the lag of paused partitions is not known", "error", err)
		}
		for _, w := range paused {
			if end, ok := ends.Lookup(p.topic, w.partition); ok && end.Err == nil {
				w.enqueue(nil, end.Offset)
			}
		}
		p.mu.Lock()
		for n, next := range p.parked {
			if end, ok := ends.Lookup(p.topic, n); ok && end.Err == nil {
				p.metrics.Lag.WithLabelValues(strconv.Itoa(int(n))).Set(float64(max(0, end.Offset-next)))
			}
		}
		p.mu.Unlock()
	}
}

// age is how many seconds ago an instant was; 0 for none.
func age(now time.Time, instant int64) float64 {
	if instant == 0 {
		return 0
	}
	return max(0, since(now, instant).Seconds())
}
