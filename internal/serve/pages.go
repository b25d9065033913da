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
	"github.com/footfall/footfall/query"
)

// pages answers with pages for people.
type pages struct {
	*server
	filters filteredPages
}

// add registers the pages and what they load.
func (ps pages) add(mux gate) {
	mux.HandleFunc("GET /{$}", ps.page(page.SitesParams, ps.overview))
	mux.HandleFunc("GET /sites", ps.page([]string{"id"}, ps.find))
	mux.HandleFunc("GET /sites/{site}", ps.page(lists.Params, ps.site))
	mux.HandleFunc("GET /sites/{site}/top/{dimension}", ps.page(page.TopParams, ps.top))
	mux.HandleFunc("GET /sites/{site}/now", ps.page(page.NowParams, ps.pagesNow))
	mux.HandleFunc("GET /sites/{site}/funnels/{funnel}", ps.page(page.FunnelParams, ps.funnel))
	mux.HandleFunc("GET /sites/{site}/paths", ps.page(page.PathsParams, ps.paths))
	mux.HandleFunc("GET /sites/{site}/sessions", ps.page(page.SessionsParams, ps.sessions))
	mux.HandleFunc("GET /sites/{site}/sessions/{session}", ps.page(page.SessionParams, ps.session))
	mux.open("GET "+links.AboutPath, ps.page(nil, func(ctx context.Context, _ request, w io.Writer) error {
		return page.About(w, lookOf(ctx))
	}))
	mux.open("/share/", ps.page(nil, func(context.Context, request, io.Writer) error { // With credentials, links do not come here.
		return problem.New(http.StatusNotFound, "Share links need footfall serve --require-token.")
	}))
	mux.open("/", ps.page(nil, func(context.Context, request, io.Writer) error {
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
func (ps pages) page(known []string, write func(ctx context.Context, r request, w io.Writer) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ctx := r.Context()
		document, err := ps.document(r, known, write)
		if to, ok := errors.AsType[*redirect](err); ok {
			http.Redirect(w, r, to.to, http.StatusSeeOther)
			return
		}
		status := http.StatusOK
		if err != nil {
			p, shown := ps.shownProblem(ctx, err)
			if status = p.Status; !readsHTML(r) {
				p.Write(w)
				return
			}
			if document = shown; shown == nil {
				var fault bytes.Buffer
				ps.fault(r, &fault, p)
				document = fault.Bytes()
			}
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(status)
		w.Write(document) // The client has gone, if it fails.
	}
}

// document returns a page. Identical requests at the same time share it, so that many viewers cost as much as one.
func (ps pages) document(r *http.Request, known []string, write func(context.Context, request, io.Writer) error) ([]byte, error) {
	if err := refused(r, known); err != nil {
		return nil, err
	}
	ctx := r.Context()
	key := fmt.Sprintf("page %s %+v", asked{url: r.URL}.key(access.Of(ctx)), lookOf(ctx))
	document, err := ps.sharing.Do(ctx, key, func(ctx context.Context) (any, error) {
		ctx, stop := context.WithTimeout(ctx, ps.limits.Time)
		defer stop()
		ctx, read := reads.WithMeter(query.OfOneGeneration(ctx), ps.limits)
		var document bytes.Buffer
		err := write(ctx, request{r, limited(ctx, single(r.URL.Query()), known), read}, &document)
		_, leads := errors.AsType[*redirect](err)
		_, shown := errors.AsType[*wrongForm](err)
		if err != nil && !leads && !shown {
			err = ps.problemOf(ctx, permit.Error(ctx, err))
		}
		return document.Bytes(), err
	})
	if err != nil {
		return nil, err
	}
	return document.([]byte), nil
}
