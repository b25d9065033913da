package process

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/footfall/footfall/internal/otlp"
	"github.com/footfall/footfall/pipeline"
)

// StartTraces sends a trace of each flush that flushed is called with, if the environment names an endpoint. Otherwise flushed is nil. end
// sends what is left, once the pipeline has ended. Traces that cannot be sent are no reason not to count.
func StartTraces(getenv func(string) string, registry prometheus.Registerer, log *slog.Logger) (flushed func(pipeline.Flush), end func()) {
	s, on, err := otlp.FromEnvironment(getenv)
	if err != nil {
		// Cause: A variable of OpenTelemetry is not valid; `err` names it. Remedy: Correct it and start the process again. Counting does not
		// depend on it.
		log.Warn("traces are off", "err", err)
	}
	if !on {
		return nil, func() {}
	}
	if s.Warning != "" {
		// Message: …=… is ignored: footfall sends traces as http/json Cause: OTEL_EXPORTER_OTLP_PROTOCOL, or that for traces, names another
		// protocol. Remedy: Set it to http/json, and the endpoint to one that takes it.
		log.Warn(s.Warning)
	}
	exporter := otlp.New(s, new(http.Client), registry, log)
	log.Info("sending traces of flushes", "endpoint", s.Endpoint.Redacted())
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		exporter.Run(ctx)
	}()
	return exporter.Flushed, func() {
		cancel()
		<-ended
	}
}
