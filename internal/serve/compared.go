package serve

import (
	"cmp"
	"context"
	"errors"

	"github.com/footfall/footfall/internal/page"
	"github.com/footfall/footfall/internal/page/links"
	"github.com/footfall/footfall/internal/serve/permit"
	"github.com/footfall/footfall/query"
)

// comparison returns what the value of a page's compare is to the API. A grant that is limited to a range has none before it.
func comparison(ctx context.Context, value string) string {
	if _, bounded := permit.Bounds(ctx); bounded || value == links.NoComparison {
		return ""
	}
	return cmp.Or(value, query.AgainstPrevious)
}

// nothingBefore reports whether an error says that nothing can be before the range, and the question names no range of its own.
func (in *StatsInput) nothingBefore(err error) bool {
	wrong, ok := errors.AsType[*query.ParamError](err)
	return ok && wrong.Param == "compare" && (in.Compare == query.AgainstPrevious || in.Compare == query.AgainstYear) // Before 1970.
}

// comparable reports whether rows can be compared with those of the earlier range: there is one, the site has data from its beginning, and
// an hour of the range is over.
func (s *server) comparable(a query.StatsAnswer) bool {
	p := a.Previous
	return p != nil && p.From.Before(p.To) && p.DataFrom == nil && !page.Early(a, s.now())
}

// comparedStats reads the figures of a site. Where nothing can be before, they are not compared.
func (s *server) comparedStats(ctx context.Context, in *StatsInput) (query.StatsAnswer, error) {
	a, err := (api{server: s}).stats(ctx, s.reader, in)
	if in.nothingBefore(err) {
		in.Compare = ""
		a, err = (api{server: s}).stats(ctx, s.reader, in)
	}
	if err == nil {
		err = absent(a)
	}
	if err == nil {
		a, err = permit.Hold(ctx, a)
	}
	return a, err
}
