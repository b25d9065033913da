// Package queries has the commands that read figures: footfall query and footfall report.
package queries

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/footfall/footfall/internal/cli/ask"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sketch"
)

// NewQueryCommand is footfall query.
func NewQueryCommand(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "query",
		Short: "Query numbers, sessions and events",
		Long: `Read numbers, sessions and events from the table. Every answer is available as a table, JSON, NDJSON (the rows, one a line) and CSV
(--output). NDJSON and CSV have no totals, with filters or without. footfall docs json describes the JSON.

On a terminal, a table leaves out columns that do not fit, unless --wide is given, and an answer that is longer than the screen is shown
with the program that PAGER names, by default less; PAGER=cat shows it directly. NO_COLOR=1 switches colours off.

Expired items are left out; the answer says how many. If a range has no data, the answer names the days that have some. An unknown
site, owner or session gives an empty answer and exit code 3.

` + ask.PeriodHelp + `

` + ask.DatesHelp,
		Example: `  footfall query sites
  footfall query stats shop.example --from -28d --by week --compare
  footfall query realtime shop.example --output json`,
	}
	cmd.AddCommand(newQuerySites(a), newQueryStats(a), newQueryUniques(a), newQueryTop(a), newQueryRealtime(a), newQuerySessions(a),
		newQuerySession(a), newQueryEvents(a), newQueryGoals(a), newQueryConversions(a), newQueryPaths(a), newQuerySite(a), newQueryVerified(a),
		newQueryAlerts(a), newQueryRetention(a),
		newQueryExplain(a))
	return cmd
}

func newQuerySites(a *command.App) *cobra.Command {
	var q ask.Asker
	var owner, sort string
	var found ask.SiteSearch
	cmd := ask.Asking(a, &q, &cobra.Command{
		Use:   "sites",
		Short: "List the sites of the table, with visitors, page views, trend and last event",
		Long: `List sites by id, with their visitors and page views of a range of days, by default today and the 6 days before. Deleted sites are included. Trend is the change of the page views since the range before, which footfall query stats
--compare describes; a terminal with room shows the page views of each day as a line of bars. The last event is named by its hour, bots
included, or by its day once hours have expired. CSV and JSON have the settings of the sites, too.

A day is that date in the zone of each site, unless --tz names one zone for all.

The command reads as much of each site as footfall query stats --compare. footfall site list lists sites with their settings, without
figures.

` + ask.PeriodHelp,
		Example: `  footfall query sites
  footfall query sites --period 28d --sort pageViewsChange
  footfall query sites --search shop
  footfall query sites --owner acme --output csv`,
		Args: cobra.NoArgs,
	}, func(ctx context.Context, r *query.Reader, _ []string) (any, error) {
		return r.SitesFigures(ctx, query.SitesFiguresParams{From: q.From, To: q.To, Unit: q.Unit, Zone: q.Zone, Sort: sort,
			SitesParams: query.SitesParams{Owner: owner, Search: found.Text, Prefix: found.Prefix, Deleted: true,
				Consistent: q.Consistent, Paging: q.Paging}})
	})
	q.AddRange(cmd, "-7d")
	q.AddZone(cmd)
	q.AddPaging(cmd, false)
	cmd.Flags().StringVar(&owner, "owner", "", "only sites of this owner")
	cmd.Flags().StringVar(&sort, "sort", "", "figure to sort by, the greatest first: "+strings.Join(query.SitesSorts, ", ")+"; --limit sites "+
		"are shown, and all are read (default: by id)")
	command.Complete(cmd, "sort", query.SitesSorts...)
	command.Exclude(cmd, "sort", "cursor")
	command.Exclude(cmd, "sort", "desc")
	found.AddFlags(cmd)
	return cmd
}

// statsHelp is the help of footfall query stats.
const statsHelp = `Print the figures of a site for every hour, day, week, month or year of a range that has events, and the totals of the range.
Events, page views and values belong to the bucket of their own time. Sessions, bounces and durations belong to the bucket in which
the session started. Visitors are merged, not added: a visitor of two hours counts once in the day. Up to 1,024 visitors are exact;
larger numbers are estimates, marked with a ~, with a standard error of 0.81 %.

Without --by, a range of up to two days is shown by hour, up to ninety days by day, and longer ranges by month. Weeks begin on Monday
(ISO 8601). By hour, the range is widened to whole hours, otherwise to whole days. A week, month or year that the range clips is
marked.

` + ask.ZoneHelp + `

Days of the site's zone are kept for 2 years by default, hours for 90 days. Visitors and the days of other zones are computed from
hours. Once hours have expired, visitors are unknown, and such figures are marked "data expired".

--compare adds an earlier range and the changes since then, of the totals and of each row:

  --period yesterday, today, a date      the day before
  --period week, last-week               the week before
  --period month, last-month, 2026-05    the month before, by the number of the day
  --period year, last-year, 2026         the year before, by month and number of the day
  --from, --to, --by month in whole ones as many months or years before
  up to 24 hours                         the same time on the day before
  other ranges, also --period 28d        the same days of the week, as many whole weeks before as the range has begun

--compare=year adds the same dates of the year before. With --align weekday, it adds the same days of the week 52 weeks before.
--compare=RANGE adds any range: a period, as --period names it, or FROM..TO, as in --compare=2025-11-24..2025-12-01. Its rows are
compared in their order, if both ranges have as many.

Without either, --align weekday compares any range as "other ranges" above, and --align year with the same dates of the year before. If
the range is not over, the earlier one ends after as much of its last day, rounded up to a whole hour. Hours and days are compared with
those of the same time and number; where there is none, as on the 31st, a row is not compared. Rows of weeks, months and years are
compared if both ranges have as many.

--all-sites and --owner add up the sites of the table, or of an owner, without deleted ones. Rates are computed of the sums. A visitorId
counts once, however many of the sites it visits. A day is that date in the zone of each site, unless --tz names one zone for all; today
is that of UTC then. Hours are those of UTC, in which the hours of sites begin; they are the default only if no range is given. All rows
are printed, at most 1000.

A site counts new and returning visitors once footfall site update --new-visitors on has switched that on. A row or total of a time that
begins before has the new visitors since then, marked with a *, or none; and no returning ones.

Changes since the site's first day with data, or an earlier one, have no percentages: that day may have only a part of its events. It is
taken for a whole day if it has something in its first hour.

A row of a time that is not over is marked "so far". --fill adds rows for hours, days, weeks, months or years without events.

Events and page views of bots are counted separately. --include-bots adds them to events, page views and values. Visitors and
sessions never include bots.

` + whereHelp + `

` + ask.PeriodHelp

const statsExamples = `  footfall query stats shop.example
  footfall query stats shop.example --from 2026-05-01 --to 2026-06-01 --by day --output json
  footfall query stats shop.example --from -84d --by week --tz Europe/Berlin
  footfall query stats shop.example --period month --compare
  footfall query stats shop.example --period 28d --where country=DE --where 'page^=/docs/'
  footfall query stats shop.example --period last-week --where channel=Email --compare
  footfall query stats shop.example --period last-week --compare=year --align weekday
  footfall query stats shop.example --period 2026-05 --compare=2025-12
  footfall query stats shop.example --period 28d --fill --output csv
  footfall query stats shop.example --from 2020-01-01 --by year --output csv
  footfall query stats --owner acme --period month`

func newQueryStats(a *command.App) *cobra.Command {
	var q ask.Asker
	var by string
	var c comparing
	var bots, fill bool
	var of severalSites
	where := whereFlags{Asker: &q, without: []string{"include-bots", "limit", "cursor", "desc", "all-sites", "owner"}}
	q.Check = func(f *pflag.FlagSet, args []string) error {
		if err := of.check(f, len(args) == 1, "footfall query stats shop.example"); err != nil {
			return err
		}
		if err := where.check(f); err != nil {
			return err
		}
		if of.asked() && !slices.ContainsFunc([]string{"from", "to", "period", "by", "tz"}, f.Changed) {
			by = string(query.Hour) // Of the last 24 hours, as of one site.
		}
		return c.check()
	}
	cmd := ask.Asking(a, &q, &cobra.Command{
		Use:     "stats SITE | stats --all-sites | stats --owner OWNER",
		Short:   "Figures of a site or of several by hour, day, week, month or year, with totals",
		Long:    statsHelp,
		Example: statsExamples,
		Args:    cobra.MaximumNArgs(1),
	}, func(ctx context.Context, r *query.Reader, args []string) (any, error) {
		if of.asked() {
			return r.StatsOfSites(ctx, query.SitesStatsParams{Owner: of.owner, From: q.From, To: q.To, By: query.By(by), Unit: q.Unit,
				Zone: q.Zone, IncludeBots: bots, Consistent: q.Consistent})
		}
		if where.asked() {
			p, err := where.params(ctx, a.Err)
			if err != nil {
				return nil, err
			}
			return r.FilteredStats(ctx, query.FilteredStatsParams{Site: args[0], From: q.From, To: q.To, By: query.By(by), Unit: q.Unit,
				Zone: q.Zone, Compare: c.compare != "", Against: c.compare, Align: query.Align(c.align), Fill: fill, Consistent: q.Consistent,
				FilterParams: p})
		}
		return r.Stats(ctx, query.StatsParams{Site: args[0], From: q.From, To: q.To, By: query.By(by), Unit: q.Unit, Zone: q.Zone,
			Compare: c.compare != "", Against: c.compare, Align: query.Align(c.align), Fill: fill, IncludeBots: bots, Consistent: q.Consistent,
			Paging: q.Paging})
	})
	q.AddHours(cmd, "-24h")
	q.AddZone(cmd)
	q.AddPaging(cmd, false)
	ask.AddBots(cmd, &bots)
	of.addFlags(cmd)
	where.addFlags(cmd)
	of.without = []string{"compare", "align", "fill", "limit", "cursor", "desc"}
	cmd.Flags().StringVar(&by, "by", "", "size of a bucket: "+strings.Join(query.Sizes, ", ")+" (default: by the length of the range)")
	c.addFlags(cmd)
	cmd.Flags().BoolVar(&fill, "fill", false, "add rows for buckets without events, up to the current one")
	command.Complete(cmd, "by", query.Sizes...)
	return cmd
}

// comparing are the flags that say what figures are compared with.
type comparing struct{ compare, align string }

func (c *comparing) addFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&c.compare, "compare", "", "what to compare with: previous, the range before; year, the same dates of the year "+
		"before; or a range: a period, or FROM..TO. Without a value: previous")
	cmd.Flags().StringVar(&c.align, "align", "", "with --compare, what to align the earlier range by: weekday or year (default: by the range)")
	cmd.Flags().Lookup("compare").NoOptDefVal = query.AgainstPrevious
	command.Complete(cmd, "align", query.Alignments...)
	command.Complete(cmd, "compare", query.AgainstPrevious, query.AgainstYear)
}

func (c *comparing) check() error {
	switch {
	case c.align != "" && !slices.Contains(query.Alignments, c.align):
		return command.Usagef("--align %q: choose %s", c.align, strings.Join(query.Alignments, " or "))
	case c.align != "" && c.compare == "":
		return command.Usagef("--align %s: add --compare, whose earlier range it chooses", c.align)
	}
	return nil
}

func newQueryUniques(a *command.App) *cobra.Command {
	var q ask.Asker
	var bots bool
	where := whereFlags{Asker: &q, without: []string{ask.IncludeBots}}
	q.Check = func(f *pflag.FlagSet, _ []string) error { return where.check(f) }
	cmd := ask.Asking(a, &q, &cobra.Command{
		Use:   "uniques SITE",
		Short: "Distinct visitors of a site over a range",
		Long: `Print the number of distinct visitors of a site in a range. Up to 1,024 visitors are exact; a larger number is an estimate with a
standard error of 0.81 %. The range is widened to whole hours.

Visitors never include bots, whose visitors are not kept. The events of bots are counted separately; --include-bots adds them to events.

` + whereHelp + `

` + ask.PeriodHelp + `

` + ask.ZoneHelp,
		Example: `  footfall query uniques shop.example --from 2026-05-01 --to 2026-06-01
  footfall query uniques shop.example --from 2026-05-01 --to 2026-06-01 --tz America/New_York`,
		Args: cobra.ExactArgs(1),
	}, func(ctx context.Context, r *query.Reader, args []string) (any, error) {
		if where.asked() {
			p, err := where.params(ctx, a.Err)
			if err != nil {
				return nil, err
			}
			return r.FilteredUniques(ctx, query.FilteredUniquesParams{Site: args[0], From: q.From, To: q.To, Zone: q.Zone,
				Consistent: q.Consistent, FilterParams: p})
		}
		return r.Uniques(ctx, query.UniquesParams{Site: args[0], From: q.From, To: q.To, Zone: q.Zone, IncludeBots: bots,
			Consistent: q.Consistent})
	})
	q.AddHours(cmd, "-24h")
	q.AddZone(cmd)
	where.addFlags(cmd)
	cmd.Flags().BoolVar(&bots, ask.IncludeBots, false, "add bots to events")
	return cmd
}

// topHelp is the help of footfall query top, which names the dimensions.
func topHelp() string {
	names := make([]string, 0, 16)
	for _, d := range sketch.Dimensions() {
		names = append(names, d.String())
	}
	return `Print the pages of a site that were viewed most in a range, or the values of another dimension that had the most visitors. --sort
chooses another figure. Share is the value's part of the site's total in the range, which includes events without a value. A visitor
of several values is in the share of each. Dimensions are
` + strings.Join(names, ", ") + `,
property:KEY for properties of events that the site has chosen with footfall site update --property, and, computed from raw events, entry
and exit for sessions by entry and exit page and type for the types of events.

Events belong to the value of a property from the choice on, if it is a text, a number or true or false; a property has no sessions.

Sessions, bounces and durations belong to the values of the event that opened the session; for pages, to the entry page. Referrer,
channel and utm_* of an event come from the start of its session. Each hour of a site keeps the most frequent values
(breakdowns.rows); the others are counted together. "Max. undercount" is the maximum number of events that a value may lack. If it is
0, events and page views are exact. Below the table are the sessions, entries and exits that a row may lack. Visitors are exact up to
64; larger numbers are estimates, marked with a ~, with a standard error of 1.63 %.

Pages have the exit rate, the average time on page and the average scroll depth. Pages, referrers, channels and utm_* of a site with
goals have the conversions of their sessions; for pages, of those that entered there.

Events without a value are in the row "(none)", so that all rows add up to the events of query stats, except for events that are in no
breakdown, such as those beyond a site's budget: their number is below the table. Breakdowns have no bots; --include-bots adds a row
with the events and page views of all bots.

The range is widened to whole hours, with --all-sites and --owner to whole hours in UTC. An hour of a site belongs to the range if it
begins in it.

` + whereHelp + `

Rows under filters are computed from raw events, so they have no time on page, and DIMENSION may also be any property. Rows that are no
pages, events, types or properties have the conversions of all goals, or with --where goal=ID of this goal, with the rate of the sessions
that pass the other filters.

` + ask.PeriodHelp + `

` + ask.ZoneHelp
}

func newQueryTop(a *command.App) *cobra.Command {
	var q ask.Asker
	var p query.TopParams
	var of severalSites
	where := whereFlags{Asker: &q, without: []string{ask.IncludeBots, "cursor", "all-sites", "owner"}}
	q.Check = func(f *pflag.FlagSet, args []string) error {
		if err := of.check(f, len(args) == 2, "footfall query top shop.example page"); err != nil {
			return err
		}
		if of.asked() {
			q.Site = ""
		}
		where.dimension = args[len(args)-1]
		where.always = query.FromRawEvents(where.dimension)
		return where.check(f)
	}
	cmd := ask.Asking(a, &q, &cobra.Command{
		Use:   "top SITE DIMENSION | top --all-sites DIMENSION | top --owner OWNER DIMENSION",
		Short: "Top values of a dimension: pages, referrers, browsers and so on",
		Long:  topHelp(),
		Example: `  footfall query top shop.example page --from -7d
  footfall query top shop.example channel --sort sessions --output csv
  footfall query top shop.example page --period 28d --sort avgTimeOnPageMs --min-count 20
  footfall query top shop.example type --period 28d
  footfall query top shop.example referrer --where goal=signup --sort conversionValue
  footfall query top shop.example property:plan
  footfall query top --all-sites referrer --limit 20
  footfall query top --owner acme page`,
		Args: cobra.RangeArgs(1, 2),
	}, func(ctx context.Context, r *query.Reader, args []string) (any, error) {
		if where.asked() {
			filter, err := where.params(ctx, a.Err)
			if err != nil {
				return nil, err
			}
			return r.FilteredTop(ctx, query.FilteredTopParams{Site: args[0], Dimension: args[1], From: q.From, To: q.To, Zone: q.Zone, Sort: p.Sort,
				Limit: p.Limit, MinCount: p.MinCount, Consistent: q.Consistent, FilterParams: filter})
		}
		p.Site, p.Owner, p.Dimension = q.Site, of.owner, args[len(args)-1]
		p.From, p.To, p.Zone, p.Consistent = q.From, q.To, q.Zone, q.Consistent
		return r.Top(ctx, p)
	})
	q.AddHours(cmd, "-24h")
	q.AddZone(cmd)
	of.addFlags(cmd)
	where.addFlags(cmd)
	cmd.Flags().StringVar(&p.Sort, "sort", "", "figure to sort by: "+strings.Join(query.TopFigures, ", ")+
		" (default: pageViews of pages, sessions of entry and exit, uniqueVisitors of all else)")
	cmd.Flags().IntVar(&p.Limit, "limit", query.DefaultLimit, fmt.Sprintf("max. rows, 1 to %d", query.MaxLimit))
	cmd.Flags().IntVar(&p.MinCount, "min-count", 0, fmt.Sprintf("with --sort by a rate or average: least number of sessions or page views "+
		"that it is of, 1 to %d; 0 = all rows", query.MaxMinCount))
	cmd.Flags().StringVar(&p.Cursor, "cursor", "", "continue after the page that returned this cursor")
	command.MayBeEmpty(cmd.Flags(), "cursor")
	cmd.Flags().BoolVar(&p.IncludeBots, ask.IncludeBots, false, "add a row with the events and page views of bots")
	command.Complete(cmd, "sort", query.TopFigures...)
	return cmd
}
