package otlp

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	tracev1 "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/footfall/footfall/pipeline"
)

// collector takes requests in this process, without a network, so that time may be fake. An exporter sends one at a time.
type collector struct {
	answers []int  // status of the next requests; none left: 200
	say     string // what a 200 says
	paths   []string
	headers []http.Header
	spans   []*tracev1.Span // of requests that were answered with 200
	of      string          // attributes of the resource
}

func (c *collector) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	answer := httptest.NewRecorder()
	c.paths, c.headers = append(c.paths, r.Method+" "+r.URL.String()), append(c.headers, r.Header)
	if len(c.answers) > 0 {
		answer.Code = c.answers[0]
		c.answers = c.answers[1:]
		return answer.Result(), nil
	}
	data, err := decode(body)
	if err != nil {
		return nil, err
	}
	for _, of := range data.ResourceSpans {
		c.of = fmt.Sprint(of.Resource.Attributes)
		for _, scope := range of.ScopeSpans {
			c.spans = append(c.spans, scope.Spans...)
		}
	}
	io.WriteString(answer, c.say)
	return answer.Result(), nil
}

// decode reads a request by OpenTelemetry's own schema. OTLP spells ids in hexadecimal, where protobuf's JSON has base64.
func decode(body []byte) (*tracev1.TracesData, error) {
	var tree any
	if err := json.Unmarshal(body, &tree); err != nil {
		return nil, err
	}
	var walk func(any) error
	walk = func(node any) error {
		switch node := node.(type) {
		case []any:
			for _, child := range node {
				if err := walk(child); err != nil {
					return err
				}
			}
		case map[string]any:
			for name, child := range node {
				if err := walk(child); err != nil {
					return err
				}
				if id, ok := child.(string); ok && (name == "traceId" || name == "spanId" || name == "parentSpanId") {
					raw, err := hex.DecodeString(id)
					if err != nil {
						return fmt.Errorf("%s %q: %w", name, id, err)
					}
					node[name] = base64.StdEncoding.EncodeToString(raw)
				}
			}
		}
		return nil
	}
	if err := walk(tree); err != nil {
		return nil, err
	}
	text, err := json.Marshal(tree)
	if err != nil {
		return nil, err
	}
	data := new(tracev1.TracesData)
	return data, protojson.Unmarshal(text, data)
}

// start runs an exporter until stop is called.
func start(t *testing.T, c *collector) (e *Exporter, stop func()) {
	t.Helper()
	s, on, err := FromEnvironment(environment{
		"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318", "OTEL_EXPORTER_OTLP_HEADERS": "api-key=s%20ecret",
		"OTEL_RESOURCE_ATTRIBUTES": "deployment.environment.name=test",
	}.get)
	if err != nil || !on {
		t.Fatal(on, err)
	}
	e = New(s, &http.Client{Transport: c}, prometheus.NewRegistry(), slog.New(slog.DiscardHandler))
	var running sync.WaitGroup
	ctx, cancel := context.WithCancel(t.Context())
	running.Go(func() { e.Run(ctx) })
	return e, func() {
		cancel()
		running.Wait()
	}
}

func flush(number int64, err error) pipeline.Flush {
	at := time.Date(2026, 5, 12, 14, 3, 7, 250, time.UTC)
	after := func(ms int) time.Time { return at.Add(time.Duration(ms) * time.Millisecond) }
	return pipeline.Flush{Topic: "events", Partition: 3, Lane: "stats", Number: number, From: 1 << 60, To: 1<<60 + 120, Records: 120, Items: 7,
		Bytes: 4096, Begun: at, Ended: after(30), Err: err,
		Phases: []pipeline.FlushPhase{{Name: "cut", Begun: at, Ended: after(1)}, {Name: "intend", Begun: after(1), Ended: after(9)},
			{Name: "apply", Begun: after(9), Ended: after(30)}}}
}

// A flush becomes a trace that OpenTelemetry's own schema reads: a span with what it did, and one in it for each phase.
func TestFlushIsATrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := new(collector)
		e, stop := start(t, c)
		e.Flushed(flush(41, nil))
		e.Flushed(flush(42, errors.New("access denied")))
		stop()
		if paths := slices.Compact(slices.Clone(c.paths)); len(c.spans) != 8 || // By one request or two.
			fmt.Sprint(paths) != "[POST http://collector:4318/v1/traces]" {
			t.Fatalf("%d spans by %q", len(c.spans), c.paths)
		}
		if got := c.headers[0].Get("Api-Key") + " " + c.headers[0].Get("Content-Type"); got != "s ecret application/json" {
			t.Errorf("headers %q", got)
		}
		for _, part := range []string{`"service.name"`, `"footfall"`, `"deployment.environment.name"`, `"test"`} {
			if !strings.Contains(c.of, part) {
				t.Errorf("resource %s lacks %s", c.of, part)
			}
		}
		root := c.spans[4]
		var attributes []string
		for _, a := range root.Attributes {
			attributes = append(attributes, fmt.Sprint(a.Key, "=", plain(a.Value.GetStringValue(), a.Value.GetIntValue(), a.Value.GetBoolValue())))
		}
		want := "messaging.system=kafka messaging.destination.name=events messaging.destination.partition.id=3 " +
			"messaging.batch.message_count=120 footfall.lane=stats footfall.flush=42 footfall.from=1152921504606846976 " +
			"footfall.to=1152921504606847096 footfall.items=7 footfall.bytes=4096 footfall.repeated=false"
		if got := strings.Join(attributes, " "); got != want {
			t.Errorf("attributes\n%s, want\n%s", got, want)
		}
		if root.Name != "flush stats" || len(root.TraceId) != 16 || len(root.SpanId) != 8 || len(root.ParentSpanId) != 0 {
			t.Errorf("root %v", root)
		}
		if took := root.EndTimeUnixNano - root.StartTimeUnixNano; took != 30e6 || root.StartTimeUnixNano%1000 != 250 {
			t.Errorf("it began at %d and took %d ns", root.StartTimeUnixNano, took)
		}
		var got []string
		for _, s := range c.spans[4:] {
			if string(s.TraceId) != string(root.TraceId) || s != root && string(s.ParentSpanId) != string(root.SpanId) {
				t.Errorf("%s is in another trace: %v", s.Name, s)
			}
			got = append(got, fmt.Sprint(s.Name, " ", s.Status.GetCode(), " ", s.Status.GetMessage()))
		}
		if want := "flush stats STATUS_CODE_ERROR access denied|cut STATUS_CODE_UNSET |intend STATUS_CODE_UNSET |" +
			"apply STATUS_CODE_ERROR access denied"; strings.Join(got, "|") != want {
			t.Errorf("spans %q, want %q", got, want)
		}
		if c.spans[0].Status != nil || string(c.spans[0].TraceId) == string(root.TraceId) {
			t.Errorf("the first flush: %v", c.spans[0])
		}
	})
}

func plain(s string, n int64, b bool) string {
	switch {
	case s != "":
		return s
	case n != 0:
		return fmt.Sprint(n)
	}
	return fmt.Sprint(b)
}

// A collector that is away for a while loses nothing, and gets each trace once.
func TestTracesWaitForTheCollector(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &collector{answers: []int{http.StatusServiceUnavailable, http.StatusTooManyRequests}}
		e, stop := start(t, c)
		e.Flushed(flush(1, nil))
		time.Sleep(time.Minute) // Fake.
		stop()
		if len(c.paths) != 3 || len(c.spans) != 4 || testutil.ToFloat64(e.dropped) != 0 {
			t.Errorf("%d requests, %d spans, %v dropped", len(c.paths), len(c.spans), testutil.ToFloat64(e.dropped))
		}
	})
}

// What is not taken is counted: what was refused, what came while the queue was full, and what a process could not send before it ended.
func TestDroppedSpansAreCounted(t *testing.T) {
	refusals := make([]int, 100)
	for i := range refusals {
		refusals[i] = http.StatusServiceUnavailable
	}
	for _, c := range []struct {
		name    string
		to      *collector
		flushes int
		want    float64
	}{
		{"refused", &collector{answers: []int{http.StatusBadRequest}}, 2, 8},
		{"rejected in part", &collector{say: `{"partialSuccess":{"rejectedSpans":"3","errorMessage":"too old"}}`}, 2, 3},
		{"rejected in part, as a number", &collector{say: `{"partialSuccess":{"rejectedSpans":3}}`}, 2, 3},
		{"not rejected", &collector{say: `{"partialSuccess":{}}`}, 2, 0},
		{"no answer at all", &collector{answers: refusals}, queued + 2*batched, 4 * (queued + 2*batched)},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e, stop := start(t, c.to)
				for n := range c.flushes {
					e.Flushed(flush(int64(n), nil))
				}
				time.Sleep(10 * time.Second) // Fake.
				stop()
				if got := testutil.ToFloat64(e.dropped); got != c.want {
					t.Errorf("%v spans dropped, want %v", got, c.want)
				}
			})
		})
	}
}

// Nobody takes from the queue, and Flushed returns nevertheless.
func TestFullQueueDoesNotWait(t *testing.T) {
	e := New(Settings{}, nil, prometheus.NewRegistry(), nil)
	for n := range queued + 5 {
		e.Flushed(flush(int64(n), nil))
	}
	if got := testutil.ToFloat64(e.dropped); got != 5*4 || len(e.queue) != queued {
		t.Errorf("%v spans dropped, %d flushes queued", got, len(e.queue))
	}
}
