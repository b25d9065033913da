package serve

import (
	"context"
	"net/http"
	"reflect"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/footfall/footfall/internal/access"
	"github.com/footfall/footfall/internal/page/links"
	"github.com/footfall/footfall/internal/segments"
	"github.com/footfall/footfall/internal/serve/permit"
	"github.com/footfall/footfall/internal/serve/problem"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/query/filters"
)

// WhereParams are the parameters of filters.
type WhereParams struct {
	Segment string   `query:"segment" doc:"Name of a segment of the site, whose filters apply beside those of where"`
	Where   []string `query:"where,explode" doc:"Filter: DIMENSION=VALUE, or != (is not), ~= (contains), ^= (begins with) instead of =; encoded. DIMENSION= is what has no value. Commas separate values, any of which is enough, or none with !=; quote a value with a comma. Repeat it for several filters, which must all hold"`
}

// FilterParams are the parameters of figures that can be filtered.
type FilterParams struct {
	WhereParams
	Exact     bool `query:"exact" doc:"With where: compute from raw events also what breakdowns can answer"`
	Estimate  bool `query:"estimate" doc:"With where: only what reading raw events costs, without reading them"`
	MaxEvents int  `query:"maxEvents" minimum:"1" maximum:"20000000" default:"2000000" doc:"With where: max. packed raw events read"`
}

// filter reads the filters, which are under those of the grant. others are parameters that do not go with filters, by name, and whether
// they are given.
func (p FilterParams) filter(ctx context.Context, others map[string]bool) (f query.FilterParams, err error) {
	for name, given := range others {
		if given {
			return f, problem.AtFault(name, "", "it cannot be given together with where or segment: leave one of them out")
		}
	}
	f = query.FilterParams{Exact: p.Exact, EstimateOnly: p.Estimate, MaxEvents: p.MaxEvents, Within: access.Of(ctx).Limits.Ranged()}
	if f.Locked, err = permit.Locked(ctx); err != nil {
		return f, err
	}
	f.Where, err = query.ParseConditions(p.Where)
	return f, err
}

// unfiltered refuses parameters of filters if there are none.
func (p FilterParams) unfiltered() error {
	for _, c := range []struct {
		name  string
		given bool
	}{{"exact", p.Exact}, {"estimate", p.Estimate}} {
		if c.given {
			return problem.AtFault(c.name, "", "add where or segment, or leave it out")
		}
	}
	return nil
}

// eitherOf has OpenAPI say that an operation answers with one of two documents: A, or with filters B.
func eitherOf[A, B any](a api, path string) {
	schemas := a.OpenAPI().Components.Schemas
	content := a.OpenAPI().Paths[base+path].Get.Responses["200"].Content
	content["application/json"].Schema = versioned(&huma.Schema{AnyOf: []*huma.Schema{
		schemas.Schema(reflect.TypeFor[A](), true, ""), schemas.Schema(reflect.TypeFor[B](), true, "")}})
}

// under returns the filters of the segment, and after them the others.
func (p WhereParams) under(ctx context.Context, a api, site string) (WhereParams, error) {
	if err := permit.CheckSegment(ctx, p.Segment); err != nil {
		return p, err
	}
	var err error
	p.Where, err = segments.Under(ctx, a.table, site, p.Segment, p.Where)
	return p, err
}

// locked adds the filters of the segment and of the grant to those of the request.
func (p WhereParams) locked(ctx context.Context, a api, site string) (WhereParams, error) {
	p, err := p.under(ctx, a, site)
	if err != nil {
		return p, err
	}
	locked, err := permit.Locked(ctx)
	if len(locked) == 0 || err != nil {
		return p, err
	}
	own, err := query.ParseConditions(p.Where)
	p.Where = filters.Texts(slices.Concat(locked, links.Without(own, locked)))
	return p, err
}

// locked adds the filters of the segment and of the grant to those of the request, and refuses parameters that would say something of what
// is beyond the grant.
func (p FilterParams) locked(ctx context.Context, a api, site string) (_ FilterParams, err error) {
	if p.WhereParams, err = p.WhereParams.locked(ctx, a, site); err != nil {
		return p, err
	}
	switch {
	case permit.OwnsAll(ctx):
		return p, nil
	case p.Estimate:
		return p, problem.New(http.StatusForbidden, "estimate: a limited credential does not hear what raw events cost: leave it out")
	case p.MaxEvents != 0 && p.MaxEvents != defaultMaxEvents:
		return p, problem.New(http.StatusForbidden, "maxEvents: a limited credential cannot choose how many raw events are read: leave it out")
	}
	return p, nil
}

// defaultMaxEvents is the default of maxEvents.
const defaultMaxEvents = 2_000_000
