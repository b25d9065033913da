package serve

import (
	"context"

	"github.com/footfall/footfall/query"
)

// UniquesInput asks for visitors.
type UniquesInput struct {
	SiteParams
	ZoneParams
	FilterParams
	BotParams
	ConsistentParams
}

func (in *UniquesInput) reading(a api) reading { return a.hours(in.Site) }

func addUniques(a api) {
	get(a, operation{"get-uniques", "/sites/{site}/uniques", "Distinct visitors of a range", "As `footfall query uniques`."},
		within(a, func(ctx context.Context, r *query.Reader, in *UniquesInput, s span) (any, error) {
			var err error
			if in.FilterParams, err = in.locked(ctx, a, in.Site); err != nil {
				return nil, err
			}
			if len(in.Where) > 0 {
				return in.filteredUniques(ctx, r, s)
			}
			if err := in.unfiltered(); err != nil {
				return nil, err
			}
			return r.Uniques(ctx, query.UniquesParams{Site: in.Site, From: s.From, To: s.To, Zone: s.zone, IncludeBots: in.IncludeBots,
				Consistent: in.Consistent})
		}))
	eitherOf[query.UniquesAnswer, query.FilteredUniquesAnswer](a, "/sites/{site}/uniques")
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
