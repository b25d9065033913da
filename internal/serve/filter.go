package serve

import (
	"context"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/footfall/footfall/internal/access"
	"github.com/footfall/footfall/query"
)

// WhereParams is the parameter of filters.
type WhereParams struct {
	Where []string `query:"where,explode" doc:"Filter: DIMENSION=VALUE, or != (is not), ~= (contains), ^= (begins with) instead of =; encoded. DIMENSION= is what has no value. Repeat it for several, which must all hold"`
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
			return f, atFault(name, "", "it cannot be given together with where: leave one of them out")
		}
	}
	f = query.FilterParams{Exact: p.Exact, EstimateOnly: p.Estimate, MaxEvents: p.MaxEvents, Within: access.Of(ctx).Limits.Ranged()}
	if f.Locked, err = query.ParseConditions(lockedOf(ctx)); err != nil {
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
			return atFault(c.name, "", "add where, or leave it out")
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

// filteredStats answers with figures of what passes filters.
func (in *StatsInput) filteredStats(ctx context.Context, r *query.Reader, s span) (any, error) {
	f, err := in.filter(ctx, map[string]bool{"includeBots": in.IncludeBots, "cursor": in.Cursor != "", "desc": in.Desc})
	if err != nil {
		return nil, err
	}
	return r.FilteredStats(ctx, query.FilteredStatsParams{Site: in.Site, From: s.From, To: s.To, Unit: s.Unit, Zone: s.zone,
		By: query.By(in.By), Compare: in.Compare != "", Against: in.Compare, Align: query.Align(in.Align), Fill: in.Fill,
		Consistent: in.Consistent, FilterParams: f})
}

// filteredUniques answers with visitors of what passes filters.
func (in *UniquesInput) filteredUniques(ctx context.Context, r *query.Reader, s span) (any, error) {
	f, err := in.filter(ctx, map[string]bool{"includeBots": in.IncludeBots})
	if err != nil {
		return nil, err
	}
	return r.FilteredUniques(ctx, query.FilteredUniquesParams{Site: in.Site, From: s.From, To: s.To, Zone: s.zone, Consistent: in.Consistent,
		FilterParams: f})
}

// filteredTop answers with values of what passes filters.
func (in *TopInput) filteredTop(ctx context.Context, r *query.Reader, s span) (any, error) {
	f, err := in.filter(ctx, map[string]bool{"includeBots": in.IncludeBots, "cursor": in.Cursor != ""})
	if err != nil {
		return nil, err
	}
	return r.FilteredTop(ctx, query.FilteredTopParams{Site: in.Site, Dimension: in.Dimension, From: s.From, To: s.To, Zone: s.zone,
		Sort: in.Sort, Limit: in.Limit, Consistent: in.Consistent, FilterParams: f})
}
