package query

import (
	"context"

	"github.com/footfall/footfall/query/internal/cohorts"
	"github.com/footfall/footfall/query/retention"
)

// RetentionAnswer is part of package retention, which declares it.
type RetentionAnswer = retention.Answer

// Retention counts how many of the visitors who were new in a week came back in later weeks.
func (r *Reader) Retention(ctx context.Context, p retention.Params) (RetentionAnswer, error) {
	return ask(ctx, r, p, cohorts.Answer, "retention of site %q", p.Site)
}
