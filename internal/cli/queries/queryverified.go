package queries

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/footfall/footfall/internal/cli/ask"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/query"
)

func newQueryVerified(a *command.App) *cobra.Command {
	var q ask.Asker
	cmd := ask.Asking(a, &q, &cobra.Command{
		Use:   "verified SITE",
		Short: "Print the last recorded recount of a site's figures",
		Long: `Print the last recount of a site, or of all sites, that footfall verify --record has kept: its time, its range, and the number of
differences that it found.

It covers the figures of a range if it was of the whole range, could compare all of it, and began so long after the range that no record
since can have an event of the range: 48 hours by default (allowedLateness). Of several that cover it, the last is printed. If none does,
the last of the site is printed, and why it does not.

` + ask.PeriodHelp + `

` + ask.DatesHelp + ` Without --from, the range is open. Without --to, it ends where the recounts of the site end:
the one that reaches furthest is printed.`,
		Example: `  footfall verify --record
  footfall query verified shop.example --period last-month`,
		Args: cobra.ExactArgs(1),
	}, func(ctx context.Context, r *query.Reader, args []string) (any, error) {
		return r.LastVerified(ctx, query.VerifiedParams{Site: args[0], From: q.From, To: q.To, Consistent: q.Consistent})
	})
	q.AddRange(cmd, "")
	q.AddZone(cmd)
	return cmd
}
