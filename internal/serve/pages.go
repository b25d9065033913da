package serve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/footfall/footfall/internal/access"
	"github.com/footfall/footfall/internal/page"
	"github.com/footfall/footfall/internal/page/links"
	"github.com/footfall/footfall/internal/page/lists"
	"github.com/footfall/footfall/internal/serve/permit"
	"github.com/footfall/footfall/internal/serve/problem"
	"github.com/footfall/footfall/internal/serve/reads"
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
		return page.About(w, lookOf(ctx))
	}))
	mux.open("/", s.page(nil, func(context.Context, request, io.Writer) error {
		return problem.New(http.StatusNotFound, "There is no such page.")
	}))
	for _, a := range page.Assets {
		mux.open("GET "+a.Path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", a.Type)
			w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
			w.Write(a.Content) // The client has gone, if it fails.
		})
	}
}

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
				p.Write(w)
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
	document, err := s.sharing.Do(ctx, key, func(ctx context.Context) (any, error) {
		ctx, stop := context.WithTimeout(ctx, s.limits.Time)
		defer stop()
		ctx, read := reads.WithMeter(ctx, s.limits)
		var document bytes.Buffer
		err := write(ctx, request{r, limited(ctx, single(r.URL.Query()), known), read}, &document)
		_, leads := errors.AsType[*redirect](err)
		_, shown := errors.AsType[*wrongForm](err)
		if err != nil && !leads && !shown {
			err = s.problemOf(ctx, permit.Error(ctx, err))
		}
		return document.Bytes(), err
	})
	if err != nil {
		return nil, err
	}
	return document.([]byte), nil
}
