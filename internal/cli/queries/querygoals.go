package queries

import (
	"context"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/footfall/footfall/internal/cli/ask"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/query"
)

func newQueryConversions(a *command.App) *cobra.Command {
	var q ask.Asker
	cmd := ask.Asking(a, &q, &cobra.Command{
		Use:   "conversions SITE GOAL",
		Short: "List the conversions of a goal",
		Long: `List the conversions of a goal by the time of their events, the newest first, with visitor and event. They are kept as long as
sessions. The counts of a goal, which footfall query goals prints, also under filters (--where, --segment), are kept as long as stats.

` + ask.PeriodHelp + `

` + ask.DatesHelp + ` Times in the answer are in UTC. Reads are always strongly consistent, with or without --consistent.`,
		Example: `  footfall query conversions shop.example bought --limit 20
  footfall query conversions shop.example bought --from 2026-05-01 --to 2026-06-01 --desc=false --output csv`,
		Args: cobra.ExactArgs(2),
	}, func(ctx context.Context, r *query.Reader, args []string) (any, error) {
		return r.Conversions(ctx, query.ConversionsParams{Site: args[0], Goal: args[1], From: q.From, To: q.To, Paging: q.Paging})
	})
	q.AddRange(cmd, "")
	q.AddZone(cmd)
	q.AddPaging(cmd, true)
	return cmd
}

func newQueryGoals(a *command.App) *cobra.Command {
	var q ask.Asker
	var by string
	where := whereFlags{Asker: &q, without: []string{"by", "cursor", "desc"}}
	q.Check = func(f *pflag.FlagSet, _ []string) error { return where.check(f) }
	cmd := ask.Asking(a, &q, &cobra.Command{
		Use:   "goals SITE",
		Short: "Conversions, values and conversion rates of a site's goals by hour, day, week, month or year",
		Long: `Print for each goal of a site the conversions, their value and the conversion rate, for every hour, day, week, month or year of a
range with conversions, and for the whole range. A conversion belongs to the bucket of its event, a session to the bucket in which it
started. The conversion rate is conversions divided by sessions, at most 100 %: sessions of earlier buckets may reach goals, too.

A goal that was created after the site's first event has a rate of the whole hours since then ("Sessions since"): neither sessions nor
conversions of earlier hours, and of the hour in which it was created, are in the rate.

--where country=DE restricts the conversions to those by events that pass, and the sessions to those that pass, over the whole range; see
footfall query stats. They are always computed from raw events, by the goals as they are now. The figures of an inactive goal are unknown.

` + ask.PeriodHelp + `

` + ask.ZoneHelp,
		Example: `  footfall query goals shop.example --from -28d --by week
  footfall query goals shop.example --period 28d --where country=DE
  footfall query goals shop.example --from 2026-05-01 --to 2026-06-01 --output csv`,
		Args: cobra.ExactArgs(1),
	}, func(ctx context.Context, r *query.Reader, args []string) (any, error) {
		if where.asked() {
			p, err := where.params(ctx, a.Err)
			if err != nil {
				return nil, err
			}
			return r.FilteredGoals(ctx, query.FilteredGoalsParams{Site: args[0], From: q.From, To: q.To, Zone: q.Zone, Consistent: q.Consistent,
				FilterParams: p})
		}
		return r.GoalStats(ctx, query.StatsParams{Site: args[0], From: q.From, To: q.To, By: query.By(by), Unit: q.Unit, Zone: q.Zone,
			Consistent: q.Consistent, Paging: q.Paging})
	})
	q.AddHours(cmd, "-24h")
	q.AddZone(cmd)
	q.AddPaging(cmd, false)
	where.addFlags(cmd)
	cmd.Flags().StringVar(&by, "by", "", "size of a bucket: "+strings.Join(query.Sizes, ", ")+" (default: by the length of the range)")
	command.Complete(cmd, "by", query.Sizes...)
	return cmd
}
