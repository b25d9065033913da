package query

import (
	"context"

	"github.com/footfall/footfall/query/alerted"
	"github.com/footfall/footfall/query/internal/alertlist"
)

// What package alerted declares is part of this package, too.
type (
	AlertsParams = alerted.Params
	AlertsAnswer = alerted.Answer
)

// Alerts lists the alerts of a site, and what they found.
func (r *Reader) Alerts(ctx context.Context, p AlertsParams) (AlertsAnswer, error) {
	return ask(ctx, r, p, alertlist.Ask, "alerts of site %q", p.Site)
}
