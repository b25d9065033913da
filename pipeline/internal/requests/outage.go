package requests

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/pipeline/telemetry"
)

const (
	outageAfter = 10 * time.Second // how long a service may leave requests without an answer before that is logged
	outageEvery = time.Minute      // how often it is logged while it lasts
)

// Outage notices that a service, the table or the brokers, answers none of the requests that are put to it. A throttled request and
// one that has failed are no answers. Safe for concurrent use.
type Outage struct {
	service string

	mu      sync.Mutex
	waiting int       // requests without an answer, those between two tries included
	since   time.Time // when the service last answered, or was first asked after that; zero: no request waits
	failed  error     // the last failure since then; nil: none
	warned  time.Time // when the outage was last logged; zero: not yet
	ended   time.Time // when an outage that was logged ended; zero: none that was not reported
	length  time.Duration

	said     time.Time     // when any outage was last logged: a service that comes and goes has a line a minute, too
	unlogged int           // outages that ended since then without a line
	absent   time.Duration // how long they took together
}

// NewOutage makes what notices the outages of a service.
func NewOutage(service string) *Outage { return &Outage{service: service} }

// Asked notes that a request begins to wait.
func (o *Outage) Asked(now time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.waiting++; o.since.IsZero() {
		o.since = now
	}
}

// Left notes that a request waits no more: it was answered, or given up.
func (o *Outage) Left() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.waiting--; o.waiting == 0 && o.warned.IsZero() {
		o.since = time.Time{}
	}
}

// Heard notes an answer, or a failure to get one.
func (o *Outage) Heard(now time.Time, failure error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if failure != nil {
		o.failed = failure
		return
	}
	switch silence := now.Sub(o.since); {
	case !o.warned.IsZero():
		o.ended, o.length = now, silence
	case !o.since.IsZero() && silence >= outageAfter:
		o.unlogged, o.absent = o.unlogged+1, o.absent+silence
	}
	o.since, o.failed, o.warned = now, nil, time.Time{}
}

// Report logs what there is to say at a time: that an outage has lasted for some seconds, once a minute that it lasts, and that it is
// over. more says what waits for the service.
func (o *Outage) Report(now time.Time, log *slog.Logger, more ...any) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.ended.IsZero() {
		log.Info("the outage of the "+o.service+" is over", "lasted", o.length.Round(time.Second))
		o.ended = time.Time{}
	}
	if now.Sub(o.said) < outageEvery {
		return
	}
	if o.unlogged > 0 {
		// Cause: The table, the brokers or the schema registry answered nothing for 10 s or more, as in a restart, or refused requests for
		// lack of capacity. Remedy: None is needed once. If it happens often, look at the service and its capacity.
		log.Warn("the "+o.service+" gave no answer for 10 seconds or more since the last report, and that is over: nothing is lost",
			"times", o.unlogged, "inAll", o.absent.Round(time.Second))
		o.said, o.unlogged, o.absent = now, 0, 0
		return
	}
	silence := o.silence(now)
	if silence == 0 {
		return
	}
	o.warned, o.said = now, now
	attrs := append([]any{"for", silence.Round(time.Second), "requests", o.waiting}, more...)
	attrs = append(attrs, "error", o.failure())
	// Cause: The table, the brokers or the schema registry have answered nothing for 10 s or more, or refuse requests. Logged once a minute.
	// Remedy: Mend the service or the network; `footfall doctor` names what is missing. Counting continues by itself.
	log.Warn("no answer from the "+o.service+": nothing is lost, requests are repeated until they are answered", attrs...)
}

// silence is how long the service has answered nothing; 0: it answers, is asked nothing, or has not taken long. mu is held.
func (o *Outage) silence(now time.Time) time.Duration {
	if silence := now.Sub(o.since); silence >= outageAfter && (o.waiting > 0 || !o.warned.IsZero()) {
		return silence
	}
	return 0
}

// Show publishes how long the service has answered nothing.
func (o *Outage) Show(now time.Time, seconds *prometheus.GaugeVec) {
	o.mu.Lock()
	defer o.mu.Unlock()
	seconds.WithLabelValues(o.service).Set(o.silence(now).Seconds())
}

// failure is why the last request had no answer. mu is held.
func (o *Outage) failure() error {
	if o.failed == nil {
		return ErrNotEnded
	}
	return o.failed
}

// ErrNotEnded stands for the cause of an outage while no request has failed yet.
var ErrNotEnded = errors.New("none, the requests are still under way")

// Unready says that the service does not answer; nil: it does.
func (o *Outage) Unready(now time.Time) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	silence := o.silence(now)
	if silence == 0 {
		return nil
	}
	return fmt.Errorf("no answer from the %s for %v, last error: %w", o.service, silence.Round(time.Second), o.failure())
}

// BrokerOutage is the outage of the brokers. The consuming client polls or sends heartbeats all the time, so one request always waits.
type BrokerOutage struct{ *Outage }

// NewBrokerOutage makes what notices the outages of the brokers.
func NewBrokerOutage() *BrokerOutage { return &BrokerOutage{NewOutage(telemetry.ServiceBrokers)} }

// OnBrokerConnect is called by the client after it has tried to connect.
func (o *BrokerOutage) OnBrokerConnect(_ kgo.BrokerMetadata, _ time.Duration, _ net.Conn, err error) {
	if err != nil {
		o.Heard(time.Now(), err)
	}
}

// OnBrokerE2E is called by the client after a request was answered or has failed.
func (o *BrokerOutage) OnBrokerE2E(_ kgo.BrokerMetadata, _ int16, e kgo.BrokerE2E) {
	o.Heard(time.Now(), e.Err())
}
