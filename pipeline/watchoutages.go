package pipeline

import (
	"context"
	"time"
)

// watchOutages logs and shows outages until ctx ends, with what waits for an answer.
func (p *Pipeline) watchOutages(ctx context.Context) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case now := <-tick.C:
			p.send.Outage.Show(now, p.metrics.Outage)
			p.brokers.Show(now, p.metrics.Outage)
			p.registry.Show(now, p.metrics.Outage)
			wait := p.roster.waiting(now)
			p.send.Outage.Report(now, p.log, "flushes", wait.flushes, "records", wait.records, "queueBytes", wait.bytes)
			p.brokers.Report(now, p.log, "flushes", wait.flushes, "records", wait.records)
			p.registry.Report(now, p.log, "records", wait.records, "queueBytes", wait.bytes)
		case <-ctx.Done():
			return
		}
	}
}

// outstanding is what waits for the table and the brokers.
type outstanding struct {
	flushes int   // that are not settled
	records int64 // up to the high watermark, as far as it is known, that are not in the table as a whole
	bytes   int64 // fetched and not folded
}

func (r *roster) waiting(now time.Time) (all outstanding) {
	for _, w := range r.owned() {
		at := w.Progress(now)
		all.records, all.bytes = all.records+at.Lag, all.bytes+int64(at.Queued)
		if to := w.settled.Load(); to != nil {
			all.records += max(0, at.Next-to.offset)
		}
		for i := range w.intents {
			if w.intents[i].Load() != 0 {
				all.flushes++
			}
		}
	}
	return all
}
