package query

import (
	"context"

	"github.com/footfall/footfall/query/retention"
)

// What package retention declares is part of this package, too.
type (
	RetentionParams = retention.Params // what to ask [Reader.Retention]
	RetentionAnswer = retention.Answer // what it answers
)

// Retention counts how many of the visitors who were new in a week came back in later weeks.
func (r *Reader) Retention(ctx context.Context, p RetentionParams) (RetentionAnswer, error) {
	return ask(ctx, r, p, retention.Of, "retention of site %q", p.Site)
}
