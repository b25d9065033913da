package serve

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/footfall/footfall/internal/page"
	"github.com/footfall/footfall/internal/page/links"
	"github.com/footfall/footfall/internal/serve/problem"
)

// A refusalProblem is a problem with headers.
type refusalProblem struct {
	*problem.Problem
	header http.Header
}

// readsHTML reports whether a browser asks, as its Accept header says. Programs get problems as the API has them.
func readsHTML(r *http.Request) bool {
	return strings.Contains(strings.Join(r.Header.Values("Accept"), ","), "text/html")
}

// showFault answers with a page about a problem.
func (s *server) showFault(w http.ResponseWriter, r *http.Request, p refusalProblem) {
	var document bytes.Buffer
	s.fault(r, &document, p.Problem)
	maps.Copy(w.Header(), p.header)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(p.Status)
	document.WriteTo(w) // The client has gone, if it fails.
}

// fault writes a page about a problem. One about what was asked of a site leads back to the site.
func (s *server) fault(r *http.Request, w io.Writer, p *problem.Problem) {
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
		// Cause: A fault of footfall: a template does not fit what it shows. Remedy: Report it with the archive of `footfall support-bundle`.
		s.log.ErrorContext(ctx, "a page was not rendered", "error", err)
	}
}

// faultOf says what is wrong with a parameter.
func faultOf(e *huma.ErrorDetail) string {
	said := strings.TrimPrefix(strings.TrimPrefix(e.Location, "query."), "path.")
	if value, ok := e.Value.(string); ok && value != "" {
		said += " " + problem.Quote(value)
	}
	return said + ": " + e.Message
}
