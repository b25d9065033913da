package serve

import (
	"context"

	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/query/retention"
)

// RetentionInput asks for the retention of visitors.
type RetentionInput struct {
	SiteParams
	RangeParams
	By string `query:"by" enum:"week" default:"week" doc:"Size of a cohort"`
	ConsistentParams
}

func (in *RetentionInput) reading(a api) reading { return a.open(in.Site) }

func (in *RetentionInput) read(ctx context.Context, r *query.Reader, how reading) (span, error) {
	return ZoneParams{RangeParams: in.RangeParams}.read(ctx, r, how)
}

func addRetention(a api) {
	get(a, operation{"get-retention", "/sites/{site}/retention", "Visitors who came back, by the week in which they were new",
		"As `footfall query retention`. Without from: the running week and the 12 before it."},
		within(a, func(ctx context.Context, r *query.Reader, in *RetentionInput, s span) (query.RetentionAnswer, error) {
			return r.Retention(ctx, retention.Params{Site: in.Site, From: s.From, To: s.To, By: query.By(in.By), Consistent: in.Consistent})
		}))
}
