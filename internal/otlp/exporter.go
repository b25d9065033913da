// Package otlp sends a trace of each flush to an OpenTelemetry collector: OTLP over HTTP in JSON, which takes nothing but the standard
// library. The SDK and its exporters are far larger than what one kind of span needs.
//
//	settings.go   where traces go, by OpenTelemetry's standard variables
//	message.go    flushes as spans
//	exporter.go   a bounded queue, and requests with many of them
package otlp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/footfall/footfall/pipeline"
)

const (
	queued    = 2048 // flushes that wait, at a kilobyte each
	batched   = 256  // flushes of a request at most: 256 KB
	gathering = 5 * time.Second
	again     = 5 * time.Second // after a request that may be repeated
	lastWords = 3 * time.Second // for what is left when a process ends
	maxAnswer = 64 << 10        // bytes that are read of an answer
)

// Exporter sends traces. Its methods are safe for concurrent use.
type Exporter struct {
	settings Settings
	client   *http.Client
	queue    chan pipeline.Flush
	dropped  prometheus.Counter
	log      *slog.Logger
}

// New makes an exporter. Client sends its requests; registry shows footfall_dropped_spans_total.
func New(s Settings, client *http.Client, registry prometheus.Registerer, log *slog.Logger) *Exporter {
	e := &Exporter{settings: s, client: client, queue: make(chan pipeline.Flush, queued), log: log,
		dropped: prometheus.NewCounter(prometheus.CounterOpts{Name: "footfall_dropped_spans_total",
			Help: "Spans of traces that were dropped: the collector refused them, or did not answer for so long that the queue was full."})}
	registry.MustRegister(e.dropped)
	return e
}

// Flushed takes in a flush. It never waits: if the queue is full its spans are dropped, and counted.
func (e *Exporter) Flushed(f pipeline.Flush) {
	select {
	case e.queue <- f:
	default:
		e.dropped.Add(float64(spanCount(f)))
	}
}

// Run sends what is queued until ctx ends, and then what is left, for six seconds at most. Flushes that come after ctx has ended may be
// lost.
func (e *Exporter) Run(ctx context.Context) {
	for ctx.Err() == nil {
		if flushes := e.gather(ctx); len(flushes) > 0 {
			e.deliver(ctx, flushes)
		}
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWords)
	defer cancel()
	for len(e.queue) > 0 {
		e.deliverOnce(last, e.pack(e.left()))
	}
}

// gather waits for a flush, and some seconds more for others.
func (e *Exporter) gather(ctx context.Context) (flushes []pipeline.Flush) {
	var full <-chan time.Time
	for len(flushes) < batched {
		select {
		case f := <-e.queue:
			if flushes = append(flushes, f); full == nil {
				full = time.After(gathering)
			}
		case <-full:
			return flushes
		case <-ctx.Done():
			return flushes
		}
	}
	return flushes
}

// left takes what is queued.
func (e *Exporter) left() (flushes []pipeline.Flush) {
	for len(flushes) < batched && len(e.queue) > 0 {
		flushes = append(flushes, <-e.queue)
	}
	return flushes
}

func (e *Exporter) pack(flushes []pipeline.Flush) parcel {
	p, err := pack(e.settings.Attributes, flushes)
	if err != nil {
		panic(fmt.Sprintf("traces that are no JSON: %v", err)) // Never: all of it is texts and numbers.
	}
	return p
}

// deliver sends flushes until they are taken or refused for good. Once ctx has ended, it does so only once more.
func (e *Exporter) deliver(ctx context.Context, flushes []pipeline.Flush) {
	p := e.pack(flushes)
	for ctx.Err() == nil {
		taken, err := e.post(ctx, p)
		if taken {
			return
		}
		if ctx.Err() == nil {
			// Cause: The collector does not answer, or is overloaded (status 429, 502, 503, 504). Remedy: Look at the collector. The process tries
			// again every 5 s; once 2,048 flushes wait, the traces of more are dropped.
			e.log.Warn("traces wait: the collector does not take them", "endpoint", e.settings.Endpoint.Redacted(), "spans", p.spans, "err", err)
		}
		select {
		case <-time.After(again):
		case <-ctx.Done():
		}
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWords)
	defer cancel()
	e.deliverOnce(last, p)
}

// deliverOnce sends a parcel and drops it if it is not taken.
func (e *Exporter) deliverOnce(ctx context.Context, p parcel) {
	if taken, err := e.post(ctx, p); !taken {
		e.drop(p.spans, err)
	}
}

func (e *Exporter) drop(spans int, why error) {
	e.dropped.Add(float64(spans))
	// Cause: The collector refused them, or did not take them before the process ended; `err` has its answer. Remedy: Mend the endpoint, its
	// headers or the collector. Figures do not depend on traces.
	e.log.Warn("traces are dropped", "endpoint", e.settings.Endpoint.Redacted(), "spans", spans, "err", why)
}

// post sends a request. Unless it is taken, or refused for good and dropped, the same request may succeed later.
func (e *Exporter) post(ctx context.Context, p parcel) (taken bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, e.settings.Timeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, e.settings.Endpoint.String(), bytes.NewReader(p.body))
	if err != nil {
		return false, err
	}
	r.Header = e.settings.Header.Clone()
	r.Header.Set("Content-Type", "application/json")
	answer, err := e.client.Do(r)
	if err != nil {
		return false, err
	}
	defer answer.Body.Close()
	said, _ := io.ReadAll(io.LimitReader(answer.Body, maxAnswer)) // The status says what matters.
	switch answer.StatusCode {
	case http.StatusOK:
		if n, why := rejected(said); n > 0 {
			e.drop(n, fmt.Errorf("rejected by the collector: %s", why))
		}
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return false, fmt.Errorf("status %s", answer.Status)
	default:
		e.drop(p.spans, fmt.Errorf("status %s: %.200s", answer.Status, said))
	}
	return true, nil
}

// rejected is how many spans an answer says were left out, and why.
func rejected(answer []byte) (spans int, why string) {
	var a struct {
		PartialSuccess struct {
			RejectedSpans json.Number `json:"rejectedSpans"` // a text or a number
			ErrorMessage  string      `json:"errorMessage"`
		} `json:"partialSuccess"`
	}
	if json.Unmarshal(answer, &a) != nil {
		return 0, "" // All were taken, as the status says.
	}
	n, err := a.PartialSuccess.RejectedSpans.Int64()
	if err != nil {
		return 0, ""
	}
	return int(n), a.PartialSuccess.ErrorMessage
}
