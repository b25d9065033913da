package collect

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/produce"
	"github.com/footfall/footfall/visitorid"
)

// Paths of the endpoints. None has a word that lists of content blockers look for.
const (
	PathScript  = "/hello.js"
	PathBrowser = "/hello"
	PathPixel   = "/hello.gif"
	PathBackend = "/events"
)

// Publisher has the brokers take records of a site: see [Queue.Publish].
type Publisher interface {
	Publish(ctx context.Context, site string, records []*kgo.Record) error
}

// Visitors make the ids of visitors: [visitorid.Hasher] does.
type Visitors interface {
	ID(v visitorid.Visitor, at, now time.Time) (string, error)
}

// Options are what a collector is made of. All but Network, RespectGPC and Buckets are required.
type Options struct {
	Sites    *Sites
	Network  Network
	Visitors Visitors
	Queue    Publisher
	// NewJudge makes what says why the pipeline would reject an event: one for each request under way.
	NewJudge func() produce.Judge
	// RespectGPC leaves out visitors whose browser sends Global Privacy Control, https://www.w3.org/TR/gpc/.
	RespectGPC bool
	Buckets    int // of the key: see [produce.Key]
	Now        func() time.Time
	Log        *slog.Logger
	Metrics    *Metrics
}

// collector answers requests.
type collector struct {
	Options
	judges sync.Pool // of produce.Judge
	failed failures
}

// New makes the handler of a collector.
func New(o Options) http.Handler {
	c := &collector{Options: o}
	c.judges.New = func() any { return o.NewJudge() }
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+PathScript, serveScript)
	mux.HandleFunc("POST "+PathBrowser, c.answering("browser", c.browser))
	mux.HandleFunc("OPTIONS "+PathBrowser, c.preflight)
	mux.HandleFunc("GET "+PathPixel, c.answering("pixel", c.pixel))
	mux.HandleFunc("POST "+PathBackend, c.answering("backend", c.backend))
	return mux
}

// A refusal is why a request is answered with something else than that its events are taken.
type refusal struct {
	status int
	text   string
}

func (r *refusal) Error() string { return r.text }

func refuse(status int, text string) error { return &refusal{status, text} }

// retryAfter is when a sender may try again, in seconds.
const retryAfter = 5

// answering makes a handler of what takes a request's events. It returns how many the brokers have; or a refusal.
func (c *collector) answering(endpoint string, take func(http.ResponseWriter, *http.Request) (events int, err error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		n, err := take(w, r)
		status, text := http.StatusAccepted, ""
		if refused, ok := errors.AsType[*refusal](err); ok {
			status, text = refused.status, refused.text
		} else if err != nil {
			status, text = http.StatusServiceUnavailable, "the events were not taken: send them again, with the same ids"
			c.failed.note(c.Log, err, c.Now())
		}
		if status == http.StatusServiceUnavailable {
			w.Header().Set("Retry-After", strconv.Itoa(retryAfter))
		}
		c.Metrics.answered(endpoint, status, n)
		switch {
		case status == http.StatusAccepted && endpoint == "pixel":
			w.Header().Set("Content-Type", "image/gif")
			w.Write(pixelImage) // The client may have gone.
		case text == "":
			w.WriteHeader(status)
		default:
			http.Error(w, text, status)
		}
	}
}

// failures logs why events could not be published: the first at once, further ones once a minute.
type failures struct {
	mu   sync.Mutex // covers next
	next time.Time
}

func (f *failures) note(log *slog.Logger, err error, now time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if errors.Is(err, context.Canceled) || now.Before(f.next) {
		return
	}
	f.next = now.Add(time.Minute)
	// Cause: The brokers did not acknowledge events in time, or more events wait for them than --queue-bytes holds. Remedy: Look at the
	// brokers. Senders were answered with 503 and send the events again.
	log.Warn("events were not taken: their senders send them again", "error", err)
}

// publish has the brokers take events that may come.
func (c *collector) publish(ctx context.Context, site string, events []published, now time.Time) (int, error) {
	records := make([]*kgo.Record, len(events))
	judge := c.judges.Get().(produce.Judge)
	defer c.judges.Put(judge)
	for i, e := range events {
		value, err := e.json()
		if err != nil {
			return 0, err
		}
		if reason, detail := judge(value, now); reason != "" {
			return 0, refuse(http.StatusBadRequest, reason+": "+detail)
		}
		visitor := e.VisitorID
		if visitor == "" {
			visitor = e.SessionID
		}
		records[i] = &kgo.Record{Key: produce.Key(site, visitor, c.Buckets), Value: value, Timestamp: now}
	}
	if err := c.Queue.Publish(ctx, site, records); err != nil {
		return 0, err
	}
	return len(records), nil
}

// Metrics count what a collector answers. A nil Metrics counts nothing.
type Metrics struct {
	requests *prometheus.CounterVec
	events   prometheus.Counter
}

// NewMetrics registers the metrics of a collector. queued is how many bytes its queue has.
func NewMetrics(r prometheus.Registerer, queued func() int64) *Metrics {
	m := &Metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "footfall_collect_requests_total",
			Help: "Requests of footfall collect, by endpoint (browser, pixel, backend) and status"}, []string{"endpoint", "status"}),
		events: prometheus.NewCounter(prometheus.CounterOpts{Name: "footfall_collect_events_total",
			Help: "Events that the brokers acknowledged to footfall collect, before it answered their senders"}),
	}
	r.MustRegister(m.requests, m.events, prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "footfall_collect_queue_bytes",
		Help: "Bytes of events that wait for the brokers in footfall collect"}, func() float64 { return float64(queued()) }))
	return m
}

func (m *Metrics) answered(endpoint string, status, events int) {
	if m == nil {
		return
	}
	m.requests.WithLabelValues(endpoint, strconv.Itoa(status)).Inc()
	m.events.Add(float64(events))
}
