package pipeline

import (
	"context"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

const (
	outageAfter = 10 * time.Second // how long a service may leave requests without an answer before that is logged
	outageEvery = time.Minute      // how often it is logged while it lasts
)

// outage notices that a service, the table or the brokers, answers none of the requests that are put to it. A throttled request and
// one that has failed are no answers. Safe for concurrent use.
type outage struct {
	service string

	mu      sync.Mutex
	waiting int       // requests without an answer, those between two tries included
	since   time.Time // when the service last answered, or was first asked after that; zero: no request waits
	failed  error     // the last failure since then; nil: none
	warned  time.Time // when the outage was last logged; zero: not yet
	ended   time.Time // when an outage that was logged ended; zero: none that was not reported
	length  time.Duration
}

// asked notes that a request begins to wait.
func (o *outage) asked(now time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.waiting++; o.since.IsZero() {
		o.since = now
	}
}

// left notes that a request waits no more: it was answered, or given up.
func (o *outage) left() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.waiting--; o.waiting == 0 && o.warned.IsZero() {
		o.since = time.Time{}
	}
}

// heard notes an answer, or a failure to get one.
func (o *outage) heard(now time.Time, failure error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if failure != nil {
		o.failed = failure
		return
	}
	if !o.warned.IsZero() {
		o.ended, o.length = now, now.Sub(o.since)
	}
	o.since, o.failed, o.warned = now, nil, time.Time{}
}

// report logs what there is to say at a time: that an outage has lasted for some seconds, once a minute that it lasts, and that it is
// over. more says what waits for the service.
func (o *outage) report(now time.Time, log *slog.Logger, more ...any) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.ended.IsZero() {
		log.Info("the outage of the "+o.service+" is over", "lasted", o.length.Round(time.Second))
		o.ended = time.Time{}
	}
	if o.waiting == 0 && o.warned.IsZero() || now.Sub(o.since) < outageAfter || now.Sub(o.warned) < outageEvery {
		return
	}
	o.warned = now
	attrs := append([]any{"for", now.Sub(o.since).Round(time.Second), "requests", o.waiting}, more...)
	if o.failed != nil {
		attrs = append(attrs, "error", o.failed)
	}
	log.Warn("no answer from the "+o.service+": nothing is lost, requests are repeated until they are answered", attrs...)
}

// brokerOutage is the outage of the brokers. The consuming client polls or sends heartbeats all the time, so one request always waits.
type brokerOutage struct{ outage }

// OnBrokerConnect is called by the client after it has tried to connect.
func (o *brokerOutage) OnBrokerConnect(_ kgo.BrokerMetadata, _ time.Duration, _ net.Conn, err error) {
	if err != nil {
		o.heard(time.Now(), err)
	}
}

// OnBrokerE2E is called by the client after a request was answered or has failed.
func (o *brokerOutage) OnBrokerE2E(_ kgo.BrokerMetadata, _ int16, e kgo.BrokerE2E) {
	o.heard(time.Now(), e.Err())
}

// watchOutages logs outages until ctx ends, with what waits for an answer.
func (p *Pipeline) watchOutages(ctx context.Context) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case now := <-tick.C:
			var records, bytes int64
			for _, w := range p.owned() {
				at := w.progress(now)
				records, bytes = records+at.lag, bytes+int64(at.queued)
			}
			p.send.outage.report(now, p.log, "lagRecords", records, "queueBytes", bytes)
			p.brokers.report(now, p.log, "lagRecords", records)
		case <-ctx.Done():
			return
		}
	}
}
