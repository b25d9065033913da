package queries

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/footfall/footfall/internal/cli/ask"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/query/retention"
)

func newQueryRetention(a *command.App) *cobra.Command {
	var q ask.Asker
	var by string
	cmd := ask.Asking(a, &q, &cobra.Command{
		Use:   "retention SITE",
		Short: "How many of the visitors who were new in a week came back in later weeks",
		Long: fmt.Sprintf(`Print for each week of a range how many visitors were new in it, and how many of them came back in each later week of the
range, up to %d, from the first week on that is known to have new visitors. The table shows shares of the new ones and marks a week that
is not over with *; CSV has numbers, and in weekInProgress the number of that week. Weeks begin on Monday in the site's zone; a week that
the range clips is left out. Without --from, the range is the running week and the %d before it.

The site must count new visitors: footfall site update --new-visitors on. Weeks that began before it did, or whose days have expired, are
unknown, shown as -.

`, retention.MaxLater, retention.DefaultWeeks) + ask.PeriodHelp + `

` + ask.DatesHelp,
		Example: `  footfall query retention shop.example
  footfall query retention shop.example --from -26w --output csv`,
		Args: cobra.ExactArgs(1),
	}, func(ctx context.Context, r *query.Reader, args []string) (any, error) {
		return r.Retention(ctx, retention.Params{Site: args[0], From: q.From, To: q.To, By: query.By(by), Consistent: q.Consistent})
	})
	q.AddRange(cmd, "")
	cmd.Flags().StringVar(&by, "by", string(query.Week), "size of a cohort: week")
	command.Complete(cmd, "by", string(query.Week))
	return cmd
}
