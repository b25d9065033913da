package run

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/cli/clitest"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/process"
)

// TestRunSendsTraces: where the environment names an endpoint, flushes up to the last one of a drain are sent there.
func TestRunSendsTraces(t *testing.T) {
	var mu sync.Mutex
	var got []string
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		got = append(got, r.URL.Path+" "+string(body))
	}))
	defer collector.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)

	cluster := clitest.NewBroker(t, kfake.SeedTopics(1, "events"))
	cl, err := kgo.NewClient(kgo.SeedBrokers(cluster.ListenAddrs()...))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	if err := cl.ProduceSync(t.Context(), &kgo.Record{Topic: "events", Value: eventNow("shop.example", "v-1")}).FirstErr(); err != nil {
		t.Fatal(err)
	}
	table := clitest.NewTable(t)
	ctx, cancel := context.WithCancel(t.Context())
	code := make(chan int)
	go func() {
		a := &command.App{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard}
		code <- clitest.Execute(ctx, a, []string{"run", "--brokers", cluster.ListenAddrs()[0], "--table", table, "--intervals-stats", "100ms"})
	}()
	clitest.Eventually(t, "the record is written down", func() bool {
		next, err := clitest.ChainOffsetsOf(t, table, "events", 1)
		return err == nil && next[0] == 1
	})
	cancel()
	if code := <-code; code != 0 {
		t.Fatalf("exit code %d", code)
	}
	mu.Lock()
	defer mu.Unlock()
	for _, want := range []string{"/v1/traces {", `"flush stats"`, `"flush realtime"`, `"settle"`} {
		if !strings.Contains(strings.Join(got, "\n"), want) {
			t.Errorf("the collector got %q, without %s", got, want)
		}
	}
}

func TestTracesAreOffUnlessAskedFor(t *testing.T) {
	for _, c := range []struct{ endpoint, log string }{
		{"", ""},
		{"collector:4318", "traces are off"}, // Not what was meant: it is said, and events are counted.
	} {
		var log bytes.Buffer
		flushed, end := process.StartTraces(func(name string) string {
			if name == "OTEL_EXPORTER_OTLP_ENDPOINT" {
				return c.endpoint
			}
			return ""
		}, prometheus.NewRegistry(), slog.New(slog.NewTextHandler(&log, nil)))
		end()
		if flushed != nil || !strings.Contains(log.String(), c.log) || c.log == "" && log.Len() > 0 {
			t.Errorf("endpoint %q: on is %v, log %q", c.endpoint, flushed != nil, log.String())
		}
	}
}
