package serve

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
)

// Options are what a server serves.
type Options struct {
	Table sinks.Table // that is read; nothing is written to it
	Keys  sinks.Keys  // the generation of items; the zero value is the first
	Now   func() time.Time
	Log   *slog.Logger // of answers that failed for a reason that a client cannot mend
}

// A server answers requests. Safe for concurrent use.
type server struct {
	reader *query.Reader
	now    func() time.Time
	log    *slog.Logger
}

// patience is how long a question may take. A client that waits longer has gone.
const patience = 25 * time.Second

// New returns the handler of the API and the page. All fields of Options but Keys are required. The handler admits requests to loopback
// addresses only, so it must not be served elsewhere: see [CheckAddress].
func New(o Options) http.Handler {
	s := &server{reader: query.New(metered{o.Table}, o.Keys, o.Now), now: o.Now, log: o.Log}
	mux := http.NewServeMux()
	s.addAPI(mux)
	mux.HandleFunc("GET "+base+"/openapi.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/vnd.oai.openapi+json;version=3.1")
		WriteOpenAPI(w) // The client has gone, if it fails.
	})
	mux.HandleFunc("/api/", func(w http.ResponseWriter, r *http.Request) {
		writeProblem(w, http.StatusNotFound, "there is no "+quoted(r.URL.Path)+": "+base+"/openapi.json lists what there is")
	})
	s.addPages(mux)
	return secured(guard(formatted(mux)))
}
