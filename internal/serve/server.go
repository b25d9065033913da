package serve

import (
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"github.com/footfall/footfall/internal/access"
	"github.com/footfall/footfall/internal/serve/problem"
	"github.com/footfall/footfall/internal/serve/reads"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
)

// Options are what a server serves.
type Options struct {
	Table sinks.Table // that is read; nothing is written to it but annotations
	Now   func() time.Time
	Log   *slog.Logger // of answers that failed for a reason that a client cannot mend

	Keeper  *access.Keeper  // looks up what credentials allow; nil: all may be read, and only loopback addresses may be served
	Limiter *access.Limiter // of requests with one credential; nil: unlimited
	Public  *url.URL        // the address of the server in browsers, beside loopback ones; nil: there is none
	Metrics *reads.Metrics  // nil: nothing is counted
	Limits  reads.Limits    // of each answer, and of streams
}

// New returns the handler of the API and the page. Table, Now and Log are required. Without a Keeper the handler must be served on loopback
// addresses only: see [CheckAddress].
func New(o Options) http.Handler {
	table := reads.NewMetered(o.Table, o.Metrics)
	s := &server{reader: query.New(table, o.Now), table: table, now: o.Now, log: o.Log, keeper: o.Keeper,
		limiter: o.Limiter, public: o.Public, metrics: o.Metrics, limits: o.Limits.OrDefault()}
	s.realtime, s.current.Keep = newRealtimeHub(s), currentKept
	mux := gate{http.NewServeMux(), s}
	s.addAPI(mux)
	mux.open("GET "+base+"/openapi.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/vnd.oai.openapi+json;version=3.1")
		WriteOpenAPI(w) // The client has gone, if it fails.
	})
	mux.open("/api/", func(w http.ResponseWriter, r *http.Request) {
		problem.Write(w, http.StatusNotFound, "there is no "+problem.Quote(r.URL.Path)+": "+base+"/openapi.json lists what there is")
	})
	pages{s, filteredPages{s}}.add(mux)
	s.addLogin(mux)
	return secured(s.hosted(s.identify(s.guard(formatted(mux)))))
}
