package serve

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/footfall/footfall/internal/access"
	"github.com/footfall/footfall/internal/page/links"
	"github.com/footfall/footfall/internal/serve/permit"
	"github.com/footfall/footfall/internal/serve/problem"
	"github.com/footfall/footfall/internal/serve/reads"
	"github.com/footfall/footfall/internal/show"
	"github.com/footfall/footfall/query"
)

// An output is an answer with its headers.
type output[A any] struct {
	ReadUnits    float64 `header:"Footfall-Read-Units" doc:"Read units of the table that the answer consumed"`
	Filtered     string  `header:"Footfall-Filtered" doc:"Filters of the answer, as parameters of an address have them. Absent without filters"`
	Link         string  `header:"Link" doc:"Address of the next page, with rel=next. Absent on the last page"`
	ETag         string  `header:"ETag" doc:"Changes with the answer. Send it as If-None-Match to get status 304 if the answer is the same"`
	CacheControl string  `header:"Cache-Control" doc:"Final figures of a range that is named by dates may be cached for ten minutes"`
	Disposition  string  `header:"Content-Disposition" doc:"Name of a file for the answer as CSV, SITE-LIST-FROM-TO.csv. Absent in other formats"`
	Body         A
}

// A shared is an answer as identical questions share it.
type shared[A any] struct {
	answer A
	units  float64
}

// An operation is what OpenAPI says of a question.
type operation struct{ id, path, summary, description string }

// faults are the statuses of problems that any question may be answered with.
var faults = []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusUnprocessableEntity,
	http.StatusTooManyRequests, http.StatusServiceUnavailable}

// api registers operations.
type api struct {
	huma.API
	*server
}

// get registers a question. ask puts it to the reader; an answer about an unknown site becomes a problem.
func get[I, A any](a api, op operation, ask func(ctx context.Context, r *query.Reader, in *I) (A, error)) {
	o := huma.Operation{OperationID: op.id, Method: http.MethodGet, Path: base + op.path, Summary: op.summary, Description: op.description,
		Errors: faults}
	huma.Register(a.API, o, func(ctx context.Context, in *I) (*output[A], error) {
		for _, id := range idsOf(in) {
			*id = links.Unspelled(*id)
		}
		asked := askedOf(ctx)
		got, err := a.sharing.Do(ctx, asked.key(access.Of(ctx)), func(ctx context.Context) (any, error) {
			ctx, stop := context.WithTimeout(ctx, a.limits.Time)
			defer stop()
			ctx, read := reads.WithMeter(query.OfOneGeneration(ctx), a.limits)
			answer, err := ask(ctx, a.reader, in)
			if err == nil {
				err = absent(answer)
			}
			if err == nil {
				answer, err = permit.Hold(ctx, answer)
			}
			if err != nil {
				return nil, a.problemOf(ctx, permit.Error(ctx, err))
			}
			return shared[A]{answer, read.Read()}, nil
		})
		if err != nil {
			return nil, a.problemOf(ctx, err)
		}
		return outputOf(ctx, got.(shared[A]), asked)
	})
	documented(a.OpenAPI().Paths[o.Path].Get)
}

// outputOf makes an output of an answer. It is an error with status 304 if the client has the answer already.
func outputOf[A any](ctx context.Context, s shared[A], asked asked) (*output[A], error) {
	out := &output[A]{ReadUnits: s.units, Filtered: permit.Filters(s.answer), Link: asked.nextPage(ctx, cursorOf(s.answer)),
		CacheControl: caching(asked.url, s.answer), Disposition: asked.disposition(s.answer),
		Body: s.answer}
	if out.CacheControl == cacheNever {
		return out, nil
	}
	var err error
	if out.ETag, err = etagOf(s.answer, asked.accept); err != nil {
		return nil, err
	}
	if matches(asked.ifNoneMatch, out.ETag) {
		return nil, huma.ErrorWithHeaders(huma.Status304NotModified(), http.Header{"ETag": {out.ETag}, "Cache-Control": {out.CacheControl}})
	}
	return out, nil
}

// idsOf returns the parts of the path of a question that are ids.
func idsOf(in any) []*string {
	if p, ok := in.(interface{ ids() []*string }); ok {
		return p.ids()
	}
	return nil
}

// documented adds to what OpenAPI says of an answer: the version that JSON begins with, and the other formats.
func documented(o *huma.Operation) {
	content := o.Responses["200"].Content
	content["application/json"].Schema = versioned(content["application/json"].Schema)
	for _, name := range []string{"csv", "ndjson"} {
		content[formats[name]] = &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString}}
	}
}

// versioned is the schema of an answer with the version of its format.
func versioned(answer *huma.Schema) *huma.Schema {
	return &huma.Schema{AllOf: []*huma.Schema{{Type: huma.TypeObject, Required: []string{"formatVersion"},
		Properties: map[string]*huma.Schema{"formatVersion": {Type: huma.TypeInteger, Enum: []any{show.FormatVersion},
			Description: "Version of the document's format. footfall docs json says what may change within a version"}}}, answer}}
}

// absent returns the 404 of an unknown site or session; nil: it is known.
func absent(answer any) error {
	if u, ok := answer.(interface{ UnknownSite() bool }); ok && u.UnknownSite() {
		return problem.New(http.StatusNotFound, "unknown site: no event of it was counted, and it was not created: "+base+
			"/sites lists all")
	}
	if s, ok := answer.(query.SessionAnswer); ok && !s.Found {
		return problem.New(http.StatusNotFound, "the session is not known: it has expired, or the site has never had it")
	}
	return nil
}
