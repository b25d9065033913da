package queries

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/footfall/footfall/internal/cli/ask"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/query/paths"
)

func newQueryPaths(a *command.App) *cobra.Command {
	var q ask.Asker
	var p query.PathsParams
	where := whereFlags{Asker: &q, always: true}
	q.Check = func(f *pflag.FlagSet, _ []string) error { return where.check(f) }
	cmd := ask.Asking(a, &q, &cobra.Command{
		Use:   "paths SITE",
		Short: "Pages that sessions view before or after a page or a goal, or their entry and exit pages",
		Long: `Print which pages sessions view after a page (--from-page) or a goal (--from-goal), or before (--to-page, --to-goal), step by step.
Without any of these, print the pairs of entry and exit pages.

Sessions are those that start in the range, with what they view up to two hours after it. A page that is viewed again before another one
is no step. A session with the page more than once counts from its first view on. Share is of the sessions that took the step before.
"(left)" are those that end there; before a page or goal, "(began here)" those that begin there. --through restricts the steps after the
first to sessions that view this page in the first step; given twice, also the one of the second, and so on.

Paths are computed from raw events, which must be kept for the range and two hours before and after it: --estimate shows what that costs
without reading them, --max-events bounds it. --where country=DE restricts them to sessions that pass, as for footfall query stats, but by
no page, event, type or property.

` + ask.PeriodHelp + `

` + ask.ZoneHelp,
		Example: `  footfall query paths shop.example --period 7d
  footfall query paths shop.example --from-page /pricing --steps 3 --period 7d
  footfall query paths shop.example --from-page /pricing --through /signup --where channel=Email
  footfall query paths shop.example --to-goal signup --period 7d --output csv`,
		Args: cobra.ExactArgs(1),
	}, func(ctx context.Context, r *query.Reader, args []string) (any, error) {
		var err error
		if p.Params, err = where.params(ctx, a.Err); err != nil {
			return nil, err
		}
		p.Site, p.From, p.To, p.Zone, p.Consistent = args[0], q.From, q.To, q.Zone, q.Consistent
		return r.Paths(ctx, p)
	})
	q.AddHours(cmd, "-24h")
	q.AddZone(cmd)
	where.addFlags(cmd)
	f := cmd.Flags()
	f.StringVar(&p.FromPage, "from-page", "", "page that steps follow, as in /pricing")
	f.StringVar(&p.ToPage, "to-page", "", "page that steps precede")
	f.StringVar(&p.FromGoal, "from-goal", "", "id of the goal that steps follow")
	f.StringVar(&p.ToGoal, "to-goal", "", "id of the goal that steps precede")
	f.StringArrayVar(&p.Through, "through", nil, "page of the first step that later steps go through; repeated: of the second step, and so on")
	f.IntVar(&p.Steps, "steps", 0, fmt.Sprintf("number of steps, 1 to %d (default: %d, or one more than --through names)", paths.MaxSteps,
		paths.DefaultSteps))
	f.IntVar(&p.Rows, "limit", paths.DefaultRows, fmt.Sprintf("max. pages of a step, or pairs, 1 to %d", paths.MaxRows))
	return cmd
}
