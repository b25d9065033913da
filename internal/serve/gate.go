package serve

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"strconv"

	"github.com/footfall/footfall/internal/access"
	"github.com/footfall/footfall/internal/page/links"
	"github.com/footfall/footfall/internal/serve/permit"
	"github.com/footfall/footfall/internal/serve/problem"
)

// A decision says what a request for a path needs of its credential.
type decision struct {
	right    access.Right
	listed   bool // the answer is about the sites of the grant; otherwise the path names the site
	bounded  bool // see access.Need
	filtered bool // see access.Need
	page     bool // people look at it: they are asked for a token, and a refusal is a page
}

// decisions are what the paths of the API and the pages need. A path that is not here cannot be served: see gate.HandleFunc.
//
// What is filtered puts its answer under the filters of the grant with FilterParams.locked, and passes it to permit.Hold, which refuses
// an answer that is not. What is not filtered is refused to a grant with filters.
//
// What is bounded reads its range with ZoneParams.read and passes its answer to permit.Hold. It costs little, because anyone may have a
// share link.
var decisions = map[string]decision{
	"GET " + base + annotationsPath:                           {right: access.Read, bounded: true},
	"POST " + base + annotationsPath:                          {right: access.Annotate},
	"DELETE " + base + annotationsPath + "/{annotation}":      {right: access.Annotate},
	"GET " + base + "/sites/{site}/alerts":                    {right: access.Read},
	"GET " + base + "/sites":                                  {right: access.Read, listed: true},
	"GET " + base + "/overview":                               {right: access.Read, listed: true},
	"GET " + base + "/stats":                                  {right: access.Read, listed: true},
	"GET " + base + "/sites/{site}":                           {right: access.Read},
	"GET " + base + "/sites/{site}/stats":                     {right: access.Read, bounded: true, filtered: true},
	"GET " + base + "/sites/{site}/uniques":                   {right: access.Read, bounded: true, filtered: true},
	"GET " + base + "/sites/{site}/top/{dimension}":           {right: access.Read, bounded: true, filtered: true},
	"GET " + base + "/sites/{site}/retention":                 {right: access.Read, bounded: true},
	"GET " + base + "/sites/{site}/verified":                  {right: access.Read, bounded: true},
	"GET " + base + "/sites/{site}/realtime":                  {right: access.Read, bounded: true},
	"GET " + base + "/sites/{site}/realtime/stream":           {right: access.Read},
	"GET " + base + "/sites/{site}/goals":                     {right: access.Read, bounded: true, filtered: true},
	"GET " + base + "/sites/{site}/goals/{goal}/conversions":  {right: access.Sessions},
	"GET " + base + "/sites/{site}/funnels":                   {right: access.Read, bounded: true},
	"GET " + base + "/sites/{site}/funnels/{funnel}/report":   {right: access.Read, bounded: true, filtered: true},
	"GET " + base + "/sites/{site}/segments":                  {right: access.Read, bounded: true},
	"GET " + base + "/sites/{site}/paths":                     {right: access.Read, bounded: true, filtered: true},
	"GET " + base + "/sites/{site}/sessions":                  {right: access.Sessions},
	"GET " + base + "/sites/{site}/sessions/{session}":        {right: access.Sessions},
	"GET " + base + "/sites/{site}/sessions/{session}/events": {right: access.Sessions},
	"GET /{$}":                             {right: access.Read, listed: true, page: true},
	"GET /sites":                           {right: access.Read, listed: true, page: true},
	"GET /sites/{site}":                    {right: access.Read, bounded: true, filtered: true, page: true},
	"GET /sites/{site}/top/{dimension}":    {right: access.Read, bounded: true, filtered: true, page: true},
	"GET /sites/{site}/now":                {right: access.Read, bounded: true, page: true},
	"GET /sites/{site}/funnels/{funnel}":   {right: access.Read, bounded: true, filtered: true, page: true},
	"GET /sites/{site}/paths":              {right: access.Read, bounded: true, filtered: true, page: true},
	"GET /sites/{site}/sessions":           {right: access.Sessions, page: true},
	"GET /sites/{site}/sessions/{session}": {right: access.Sessions, page: true},
}

// A gate is a mux that has each request for something of a site decided upon before its handler sees it.
type gate struct {
	*http.ServeMux
	s *server
}

// HandleFunc registers a handler that runs once its pattern's decision admits the request. It panics if the pattern has none.
func (g gate) HandleFunc(pattern string, handler func(http.ResponseWriter, *http.Request)) {
	d, ok := decisions[pattern]
	if !ok {
		panic("nothing says who may ask " + strconv.Quote(pattern) + ": add it to decisions")
	}
	g.ServeMux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		watched := &statusWriter{ResponseWriter: w, discreet: !permit.OwnsAll(r.Context())}
		ctx, err := g.s.admit(r, d)
		if err != nil {
			g.s.refuse(watched, r, d, err)
		} else {
			handler(watched, r.WithContext(ctx))
		}
		g.s.metrics.Answered(access.Of(r.Context()), watched.status)
	})
}

// open registers a handler of what everyone may have.
func (g gate) open(pattern string, handler http.HandlerFunc) { g.ServeMux.HandleFunc(pattern, handler) }

// admit decides whether a request is answered. It returns the context to answer it in, which holds the range of the grant.
func (s *server) admit(r *http.Request, d decision) (context.Context, error) {
	ctx := r.Context()
	who := identityOf(ctx)
	if who.err != nil {
		return nil, who.err
	}
	if wait := s.limiter.Take(who.grant.Holder, s.now()); wait > 0 {
		return nil, &busyError{wait: wait, detail: "too many requests with this credential"}
	}
	need := access.Need{Right: d.right, Listed: d.listed, Bounded: d.bounded, Filtered: d.filtered}
	if !d.listed {
		need.Site = links.Unspelled(r.PathValue("site")) // As all handlers read it.
	}
	if err := who.grant.Check(need); err != nil {
		return nil, err
	}
	if err := permit.CheckLocked(ctx); err != nil {
		return nil, err
	}
	return permit.WithBounds(ctx, s.reader, need.Site, s.now())
}

// refuse answers a request that is not admitted.
func (s *server) refuse(w http.ResponseWriter, r *http.Request, d decision, err error) {
	who := identityOf(r.Context())
	if d.page && readsHTML(r) && errors.Is(err, errNoCredential) {
		http.Redirect(w, r, loginAddress(r), http.StatusSeeOther)
		return
	}
	p := s.refusal(r.Context(), err)
	if d.page && readsHTML(r) {
		s.showFault(w, r, p)
		return
	}
	maps.Copy(w.Header(), p.header)
	if p.Status == http.StatusUnauthorized && who.base == "" {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	p.Write(w)
}

// refusal is what a request that is not admitted is answered.
func (s *server) refusal(ctx context.Context, err error) refusalProblem {
	denied, isDenied := errors.AsType[*access.DeniedError](err)
	busy, isBusy := errors.AsType[*busyError](err)
	switch {
	case isDenied:
		return refusalProblem{Problem: problem.New(http.StatusForbidden, denied.Reason)}
	case isBusy:
		return refusalProblem{problem.New(http.StatusTooManyRequests, busy.Error()),
			http.Header{"Retry-After": {strconv.Itoa(access.Seconds(busy.wait))}}}
	case errors.Is(err, errNoCredential), errors.Is(err, access.ErrUnknown):
		return refusalProblem{Problem: problem.New(http.StatusUnauthorized, err.Error())}
	}
	return refusalProblem{Problem: s.problemOf(ctx, err)}
}

// statusWriter notes the status of an answer.
type statusWriter struct {
	http.ResponseWriter
	status int // 0: the answer has not begun

	discreet bool // what reading costs is not said
}

// WriteHeader implements [http.ResponseWriter].
func (w *statusWriter) WriteHeader(status int) {
	if w.discreet {
		w.Header().Del("Footfall-Read-Units")
	}
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write implements [http.ResponseWriter].
func (w *statusWriter) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	return w.ResponseWriter.Write(b)
}

// Unwrap has [http.ResponseController] reach the writer below, which streams flush.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// loginAddress is the address of the form that leads back to the page that is asked for.
func loginAddress(r *http.Request) string {
	return "/login?" + url.Values{"next": {r.URL.RequestURI()}}.Encode()
}
