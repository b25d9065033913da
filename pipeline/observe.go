package pipeline

import (
	"context"
	"strconv"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
)

// observe publishes gauges, warns operators, and is the watchdog.
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
			if err := p.watchFetching(now); err != nil {
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

// measureEvery is how often the brokers are asked where the logs end.
const measureEvery = 10 * time.Second

// measure keeps the lag true. Fetches do not suffice: a partition that is paused, parked, stalled or held up by an open
// transaction has none, and those are the ones whose lag operators look at.
func (p *Pipeline) measure(ctx context.Context) {
	admin := kadm.NewClient(p.client)
	held := make(holds)
	tick := time.NewTicker(measureEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		workers := p.owned()
		p.mu.Lock()
		parked := len(p.parked)
		p.mu.Unlock()
		if len(workers)+parked == 0 {
			continue
		}
		ends, err := logEnds(ctx, admin, p.topic)
		if err != nil {
			if ctx.Err() == nil {
				p.log.Warn("lag is unknown: the brokers did not return the end offsets", "error", err)
			}
			continue
		}
		now := time.Now()
		for _, w := range workers {
			if end, ok := ends[w.partition]; ok {
				w.measured(now, end)
			}
		}
		p.setParkedLag(ends)
		for _, w := range held.look(workers, now) {
			p.warnOfHold(ctx, admin, w)
		}
	}
}

// setParkedLag publishes how far parked partitions are.
func (p *Pipeline) setParkedLag(ends map[int32]logEnd) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for n, still := range p.parked {
		if end, ok := ends[n]; ok {
			p.metrics.Lag.WithLabelValues(strconv.Itoa(int(n))).Set(float64(max(0, end.high-still.next)))
		}
	}
}

// logEnds asks the brokers how far the partitions of a topic reach; those that do not answer are left out.
func logEnds(ctx context.Context, admin *kadm.Client, topic string) (map[int32]logEnd, error) {
	high, err := admin.ListEndOffsets(ctx, topic)
	if err != nil && len(high) == 0 {
		return nil, err
	}
	stable, err := admin.ListCommittedOffsets(ctx, topic) // Last, so that what comes between the two is no open transaction.
	if err != nil && len(stable) == 0 {
		return nil, err
	}
	ends := make(map[int32]logEnd)
	stable.Each(func(s kadm.ListedOffset) {
		if h, ok := high.Lookup(topic, s.Partition); ok && s.Err == nil && h.Err == nil {
			ends[s.Partition] = logEnd{high: max(h.Offset, s.Offset), stable: s.Offset}
		}
	})
	return ends, nil
}

// age is how many seconds ago an instant was; 0 for none.
func age(now time.Time, instant int64) float64 {
	if instant == 0 {
		return 0
	}
	return max(0, since(now, instant).Seconds())
}
