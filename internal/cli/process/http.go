package process

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	stdlog "log"
	"log/slog"
	"net"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/footfall/footfall/internal/capacity"
)

// WithHTTP serves /livez, /readyz, /metrics, /debug/hot-keys and /cost at addr while work runs, its drain included, and returns its error.
// It listens before work begins, so that an address that is taken is an error before anything is done.
func WithHTTP(ctx context.Context, addr string, h Probed, log *slog.Logger, work func(context.Context) error) error {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return fmt.Errorf("serve http: %w: choose another address with http (--http, FOOTFALL_HTTP)", err)
	}
	return serveHTTP(ctx, l, h, log, work)
}

// serveHTTP is WithHTTP on a listener, which it closes.
func serveHTTP(ctx context.Context, l net.Listener, h Probed, log *slog.Logger, work func(context.Context) error) error {
	return ServeHandler(ctx, l, NewHandler(ctx, h), log, work)
}

// ServeHandler serves a handler to probes and scrapers on a listener, which it closes, while work runs, and returns its error.
func ServeHandler(ctx context.Context, l net.Listener, h http.Handler, log *slog.Logger, work func(context.Context) error) error {
	return Server{Handler: h, Log: log, Connections: maxConnections, Write: 30 * time.Second}.Serve(ctx, l, work)
}

// Server is a handler and how it is served.
type Server struct {
	Handler     http.Handler
	Log         *slog.Logger
	Connections int           // open at once, at most
	Write       time.Duration // from a request to the end of its answer, at most
	Ending      time.Duration // for answers under way once work has ended; 0: two seconds
}

// Serve serves on a listener, which it closes, while work runs, and returns its error. A client that sends or reads slowly is cut off. The
// log has no addresses of clients: they are personal data, and would make each line another message.
func (s Server) Serve(ctx context.Context, l net.Listener, work func(context.Context) error) error {
	server := &http.Server{Handler: s.Handler, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second,
		WriteTimeout: s.Write, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 16 << 10,
		ConnState: (&connections{max: s.Connections, places: make(map[net.Conn]place)}).track,
		// Message: http: … Cause: A client broke its connection off, sent no valid request or no valid TLS handshake; or, with `panic`, a fault
		// of footfall. Remedy: None is needed for clients. Report a panic.
		ErrorLog: stdlog.New(withoutAddresses{slog.NewLogLogger(s.Log.Handler(), slog.LevelWarn)}, "", 0)}
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	s.Log.Info("serving", "http", l.Addr().String())

	err := work(ctx)
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), cmp.Or(s.Ending, 2*time.Second))
	defer cancel()
	if server.Shutdown(closing) != nil {
		server.Close() // A scrape that does not end is no reason to wait.
	}
	if failed := <-served; !errors.Is(failed, http.ErrServerClosed) {
		err = errors.Join(err, fmt.Errorf("serve http: %w", failed))
	}
	return err
}

// withoutAddresses logs the lines of net/http, with - for each address.
type withoutAddresses struct{ log *stdlog.Logger }

var addressPattern = regexp.MustCompile(`\[[0-9a-fA-F.:]+(%\w+)?\]:\d+|[0-9]+(\.[0-9]+){3}:\d+`)

func (w withoutAddresses) Write(line []byte) (int, error) {
	w.log.Print(addressPattern.ReplaceAllString(string(line), "-"))
	return len(line), nil
}

// Probed is what a process can be asked.
type Probed struct {
	Ready   func() error
	Metrics prometheus.Gatherer
	Heat    *capacity.Heat
	HotKeys bool // /debug/hot-keys is served: keys of the table name sites and visitors
}

// hotKeysOff is what /debug/hot-keys says where it was not asked for.
const hotKeysOff = "hot keys are off: start the process with --http-hot-keys"

// NewHandler answers probes and scrapes. It is not ready once ctx has ended: the process drains.
func NewHandler(ctx context.Context, p Probed) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "ok\n") // A process that can no longer work ends: there is nothing more to ask.
	})
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		err := p.Ready()
		if ctx.Err() != nil {
			err = errors.New("draining")
		}
		if err != nil {
			http.Error(w, "not ready: "+strings.ReplaceAll(err.Error(), "\n", "\nnot ready: "), http.StatusServiceUnavailable)
			return
		}
		io.WriteString(w, "ok\n")
	})
	mux.Handle("GET /metrics", promhttp.HandlerFor(p.Metrics, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /debug/hot-keys", func(w http.ResponseWriter, _ *http.Request) {
		if !p.HotKeys {
			http.Error(w, hotKeysOff, http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(p.Heat.Snapshot()) // It fails only if the client has gone.
	})
	mux.HandleFunc("GET /cost", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(p.Heat.Spent())
	})
	return mux
}
