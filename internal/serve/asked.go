package serve

import (
	"context"
	"fmt"
	"net/url"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/footfall/footfall/internal/access"
	"github.com/footfall/footfall/internal/page/links"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/query/filters"
)

// base is the path that all operations have in common.
const base = "/api/v1"

const annotationsPath = "/sites/{site}/annotations"

// asked is what a handler of huma needs of its request.
type asked struct {
	url                 *url.URL
	accept, ifNoneMatch string
}

type askedKey struct{}

// addressed keeps what handlers need of a request.
func addressed(ctx huma.Context, next func(huma.Context)) {
	u := ctx.URL()
	next(huma.WithValue(ctx, askedKey{}, asked{&u, ctx.Header("Accept"), ctx.Header("If-None-Match")}))
}

func askedOf(ctx context.Context) asked {
	of, _ := ctx.Value(askedKey{}).(asked)
	return of
}

// key names the question and what its credential allows: requests with the same key have the same answer, in any format, of any
// credential.
func (a asked) key(g access.Grant) string {
	values := a.url.Query()
	values.Del("format")
	if where, err := query.ParseConditions(values[links.WhereParam]); err == nil {
		values[links.WhereParam] = slices.Sorted(slices.Values(filters.Texts(where)))
	}
	l := g.Limits
	return fmt.Sprintf("%s?%s %s %t %q %q %q %q %q", a.url.EscapedPath(), values.Encode(), g.Kind, g.AllSites, g.Sites, g.Rights,
		[]string{l.From, l.To, l.Period}, l.Where, l.Origins)
}

// nextPage returns a Link header to the page of a cursor; "": there is none.
func (a asked) nextPage(ctx context.Context, cursor string) string {
	if cursor == "" {
		return ""
	}
	values := a.url.Query()
	values.Set("cursor", cursor)
	next := url.URL{Path: a.url.Path, RawPath: a.url.RawPath, RawQuery: values.Encode()}
	return "<" + baseOf(ctx) + next.String() + `>; rel="next"`
}
