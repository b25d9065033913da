package serve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/footfall/footfall/internal/access"
	"github.com/footfall/footfall/internal/page"
	"github.com/footfall/footfall/internal/page/links"
	"github.com/footfall/footfall/internal/page/lists"
)

// addPages registers the pages and what they load.
func (s *server) addPages(mux gate) {
	mux.HandleFunc("GET /{$}", s.page(page.SitesParams, s.overview))
	mux.HandleFunc("GET /sites", s.page([]string{"id"}, s.find))
	mux.HandleFunc("GET /sites/{site}", s.page(lists.Params, s.site))
	mux.HandleFunc("GET /sites/{site}/top/{dimension}", s.page(page.TopParams, s.top))
	mux.HandleFunc("GET /sites/{site}/now", s.page(page.NowParams, s.pagesNow))
	mux.HandleFunc("GET /sites/{site}/funnels/{funnel}", s.page(page.FunnelParams, s.funnel))
	mux.HandleFunc("GET /sites/{site}/sessions", s.page(page.SessionsParams, s.sessions))
	mux.HandleFunc("GET /sites/{site}/sessions/{session}", s.page(page.SessionParams, s.session))
	mux.open("GET "+links.AboutPath, s.page(nil, func(ctx context.Context, _ request, w io.Writer) error {
		return page.About(w,
			lookOf(ctx))
	}))
	mux.open("/", s.page(nil, func(context.Context, request, io.Writer) error {
		return problem(http.StatusNotFound, "There is no such page.")
	}))
	for _, a := range page.Assets {
		mux.open("GET "+a.Path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", a.Type)
			w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
			w.Write(a.Content) // The client has gone, if it fails.
		})
	}
}

// A request is what a page is asked for.
type request struct {
	*http.Request
	values map[string]string // of its parameters, all known and given once
	read   *meter            // read units so far
}

// A redirect is an answer that leads to another page.
type redirect struct{ to string }

func (r *redirect) Error() string { return "see " + r.to }

// page answers with a document, or with one that says why there is none. Parameters that are not known are refused, as those of the API.
func (s *server) page(known []string, write func(ctx context.Context, r request, w io.Writer) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ctx := r.Context()
		document, err := s.document(r, known, write)
		if to, ok := errors.AsType[*redirect](err); ok {
			http.Redirect(w, r, to.to, http.StatusSeeOther)
			return
		}
		status := http.StatusOK
		if err != nil {
			p, shown := s.shownProblem(ctx, err)
			if status = p.Status; !readsHTML(r) {
				p.write(w)
				return
			}
			if document = shown; shown == nil {
				var fault bytes.Buffer
				s.fault(r, &fault, p)
				document = fault.Bytes()
			}
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(status)
		w.Write(document) // The client has gone, if it fails.
	}
}

// document returns a page. Identical requests at the same time share it, so that many viewers cost as much as one.
func (s *server) document(r *http.Request, known []string, write func(context.Context, request, io.Writer) error) ([]byte, error) {
	if err := refused(r, known); err != nil {
		return nil, err
	}
	ctx := r.Context()
	key := fmt.Sprintf("page %s %+v", asked{url: r.URL}.key(access.Of(ctx)), lookOf(ctx))
	document, err := s.sharing.do(ctx, key, func(ctx context.Context) (any, error) {
		ctx, stop := context.WithTimeout(ctx, s.limits.Time)
		defer stop()
		ctx, read := withMeter(ctx, s.limits)
		var document bytes.Buffer
		err := write(ctx, request{r, limited(ctx, single(r.URL.Query()), known), read}, &document)
		_, leads := errors.AsType[*redirect](err)
		_, shown := errors.AsType[*wrongForm](err)
		if err != nil && !leads && !shown {
			err = s.problemOf(ctx, discreetError(ctx, err))
		}
		return document.Bytes(), err
	})
	if err != nil {
		return nil, err
	}
	return document.([]byte), nil
}

// refused returns the problem of parameters that a page does not have, or that are given twice or without a value.
func refused(r *http.Request, known []string) error {
	names := make(map[string]*huma.Schema)
	for _, name := range known {
		names[name] = nil
	}
	if slices.Contains(known, links.WhereParam) {
		names[links.WhereParam] = &huma.Schema{Type: huma.TypeArray}
	}
	errs := wrongParams(r.URL.RawQuery, names)
	if len(errs) == 0 {
		return nil
	}
	p := problem(http.StatusUnprocessableEntity, "The address of the page is wrong.")
	for _, err := range errs {
		p.Add(err)
	}
	return p
}

// single returns the first value of each parameter.
func single(values url.Values) map[string]string {
	of := make(map[string]string, len(values))
	for name := range values {
		of[name] = values.Get(name)
	}
	return of
}

// readsHTML reports whether a browser asks, as its Accept header says. Programs get problems as the API has them.
func readsHTML(r *http.Request) bool {
	return strings.Contains(strings.Join(r.Header.Values("Accept"), ","), "text/html")
}

// limited has a page that names no range show the one of the grant, and its links name it.
func limited(ctx context.Context, values map[string]string, known []string) map[string]string {
	l := access.Of(ctx).Limits
	if l.Ranged() && slices.Contains(known, "from") && values["from"]+values["to"]+values["period"] == "" {
		for name, value := range map[string]string{"from": l.From, "to": l.To, "period": l.Period} {
			if value != "" {
				values[name] = value
			}
		}
	}
	return values
}

// showFault answers with a page about a problem.
func (s *server) showFault(w http.ResponseWriter, r *http.Request, p refusalProblem) {
	var document bytes.Buffer
	s.fault(r, &document, p.Problem)
	for name, values := range p.header {
		w.Header()[name] = values
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(p.Status)
	document.WriteTo(w) // The client has gone, if it fails.
}

// fault writes a page about a problem. One about what was asked of a site leads back to the site.
func (s *server) fault(r *http.Request, w io.Writer, p *Problem) {
	ctx := r.Context()
	v := page.FaultView{Look: lookOf(ctx), Title: p.Title, Detail: p.Detail}
	if p.Status == http.StatusUnprocessableEntity {
		v.Title, v.Site = "This cannot be shown", links.Unspelled(r.PathValue("site"))
	}
	for _, wrong := range p.Errors {
		v.Wrong = append(v.Wrong, faultOf(wrong))
	}
	if len(v.Wrong) == 1 {
		v.Detail, v.Wrong = v.Wrong[0], nil
	}
	if err := page.Fault(w, v); err != nil {
		s.log.ErrorContext(ctx, "a page was not rendered", "error", err)
	}
}

// faultOf says what is wrong with a parameter.
func faultOf(e *huma.ErrorDetail) string {
	said := strings.TrimPrefix(strings.TrimPrefix(e.Location, "query."), "path.")
	if value, ok := e.Value.(string); ok && value != "" {
		said += " " + quoted(value)
	}
	return said + ": " + e.Message
}
