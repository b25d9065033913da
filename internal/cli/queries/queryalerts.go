package queries

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/footfall/footfall/internal/cli/ask"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/query"
)

func newQueryAlerts(a *command.App) *cobra.Command {
	var q ask.Asker
	cmd := ask.Asking(a, &q, &cobra.Command{
		Use:   "alerts SITE",
		Short: "Print what alerts of a site found",
		Long: `Print in which hours alerts of a site fired, what they found, and whether it was sent; and the site's alerts. footfall alert create
makes one.

` + ask.RangeHelp + "\n\n" + ask.DatesHelp,
		Example: "  footfall query alerts shop.example --from -28d",
		Args:    cobra.ExactArgs(1),
	}, func(ctx context.Context, r *query.Reader, args []string) (any, error) {
		return r.Alerts(ctx, query.AlertsParams{Site: args[0], From: q.From, To: q.To, Consistent: q.Consistent, Paging: q.Paging})
	})
	q.AddRange(cmd, "")
	q.AddZone(cmd)
	q.AddPaging(cmd, true)
	return cmd
}
