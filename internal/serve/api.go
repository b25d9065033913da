package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/footfall/footfall/internal/page"
	"github.com/footfall/footfall/internal/show"
	"github.com/footfall/footfall/query"
)

// base is the path that all operations have in common.
const base = "/api/v1"

// An output is an answer with its headers.
type output[A any] struct {
	ReadUnits float64 `header:"Footfall-Read-Units" doc:"Read units of the table that the answer consumed"`
	Link      string  `header:"Link" doc:"Address of the next page, with rel=next. Absent on the last page"`
	Body      A
}

// An operation is what OpenAPI says of a question.
type operation struct{ id, path, summary, description string }

// api registers operations.
type api struct {
	huma.API
	*server
}

// addAPI registers all operations.
func (s *server) addAPI(mux humago.Mux) huma.API {
	config := huma.Config{OpenAPI: &huma.OpenAPI{OpenAPI: "3.1.0", Info: &huma.Info{Title: "footfall", Version: "1",
		Description: "Figures of sites, as `footfall query` prints them. docs/metrics.md defines each. docs/serve.md says who may see " +
			"what.", License: license},
		Components: &huma.Components{Schemas: newRegistry()}, Servers: []*huma.Server{{URL: "/"}}},
		Formats: humaFormats, DefaultFormat: "application/json"}
	a := api{humago.New(mux, config), s}
	a.UseMiddleware(addressed, checkParams(a.API))
	for _, add := range operations {
		add(a)
	}
	return a.API
}

var license = &huma.License{Name: "Apache-2.0", Identifier: "Apache-2.0"}

// get registers a question. ask puts it to the reader; an answer about an unknown site becomes a problem.
func get[I, A any](a api, op operation, ask func(ctx context.Context, r *query.Reader, in *I) (A, error)) {
	o := huma.Operation{OperationID: op.id, Method: http.MethodGet, Path: base + op.path, Summary: op.summary, Description: op.description,
		Errors: []int{http.StatusNotFound, http.StatusUnprocessableEntity, http.StatusServiceUnavailable}}
	huma.Register(a.API, o, func(ctx context.Context, in *I) (*output[A], error) {
		ctx, stop := context.WithTimeout(ctx, patience)
		defer stop()
		ctx, read := withMeter(ctx)
		for _, id := range idsOf(in) {
			*id = page.Unspelled(*id)
		}
		answer, err := ask(ctx, a.reader, in)
		if err == nil {
			err = absent(answer)
		}
		if err == nil {
			answer, err = hold(ctx, answer)
		}
		if err != nil {
			return nil, problemOf(ctx, a.log, err)
		}
		return &output[A]{ReadUnits: read.read(), Link: nextPage(ctx, cursorOf(answer)), Body: answer}, nil
	})
	documented(a.OpenAPI().Paths[o.Path].Get)
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
			Description: "Version of the document's format. docs/json.md says what may change within a version"}}}, answer}}
}

// absent returns the problem of an answer about what is not there; nil: it is there.
func absent(answer any) error {
	if u, ok := answer.(interface{ UnknownSite() bool }); ok && u.UnknownSite() {
		return problem(http.StatusNotFound, "the site is not known: none of its events was counted, and it was not created: "+base+
			"/sites lists all")
	}
	if s, ok := answer.(query.SessionAnswer); ok && !s.Found {
		return problem(http.StatusNotFound, "the session is not known: it has expired, or the site has never had it")
	}
	return nil
}

type addressKey struct{}

// addressed keeps the address of a request for nextPage.
func addressed(ctx huma.Context, next func(huma.Context)) {
	u := ctx.URL()
	next(huma.WithValue(ctx, addressKey{}, &u))
}

// nextPage returns a Link header to the page of a cursor; "": there is none.
func nextPage(ctx context.Context, cursor string) string {
	u, ok := ctx.Value(addressKey{}).(*url.URL)
	if cursor == "" || !ok {
		return ""
	}
	values := u.Query()
	values.Set("cursor", cursor)
	next := url.URL{Path: u.Path, RawPath: u.RawPath, RawQuery: values.Encode()}
	return "<" + baseOf(ctx) + next.String() + `>; rel="next"`
}

// WriteOpenAPI writes the OpenAPI document of the API, as it is made from the operations.
func WriteOpenAPI(w io.Writer) error {
	compact, err := json.Marshal(new(server).addAPI(gate{http.NewServeMux(), nil}).OpenAPI())
	if err != nil {
		return err
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, compact, "", "  "); err != nil {
		return err
	}
	indented.WriteByte('\n')
	_, err = indented.WriteTo(w)
	return err
}
