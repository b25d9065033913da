package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/site"
)

func newSiteCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "site",
		Short: "Create, change, delete, show and list sites",
		Long: `Sites need not be created, unless the configuration says sites.accept: registered: every siteId is accepted. Creating one before its
first event gives it a name and an owner, its own time zone, number of shards and retention. Events of a site that was deleted
are rejected in any case.`,
		Example: "  footfall site create shop.example --name Shop --zone Europe/Berlin\n  footfall site update shop.example --raw-days 7",
	}
	cmd.AddCommand(newSiteCreateCommand(a), newSiteUpdateCommand(a), newSiteDeleteCommand(a), newSiteShowCommand(a), newSiteListCommand(a))
	return cmd
}

func newSiteCreateCommand(a *app) *cobra.Command {
	var d site.Definition
	var output string
	cmd := &cobra.Command{
		Use:   "create SITE",
		Short: "Give a site metadata, a zone, shards and retention",
		Long: `Record a site before its first event. Zone, shards and all else then hold from the beginning: events that are sent once the
command has ended are counted by them. If the site was created already, with other values, the command says which hold, changes
nothing and ends with exit code 1: footfall site update changes sites. So it does if the site has events and another zone or
number of shards is asked for than UTC and 16, by which they are counted; all else then holds within 30 seconds. Creating a site
as it is changes nothing.

Choose the zone now: a later change needs an instant at which days begin in both zones, and many zones have none in common.

Where the configuration says sites.accept: registered, workers know of the site within 30 seconds, and count it from their next step on,
one flush interval later at most. What they rejected until then, as unknown_site, is published again by footfall failed replay
--reason unknown_site. So it is with a site that was deleted. It comes back with the zone, the shards, the switches and the
retention that it had, where no other retention is named; another zone or number of shards is refused: footfall site update
changes them.

Hours and days of the site are cut by the clocks of its zone, UTC without one.

--events-per-second is a budget, so that a busy site pays for itself: see footfall site update --help.

A site needs a shard for every 1,000 raw events a second at its peak; 16, the default, is plenty for most.`,
		Example: `  footfall site create shop.example --name Shop --zone Europe/Berlin --domains shop.example,www.shop.example --owner acme
  footfall site create archive.example --raw-days never --session-days never --hour-days never --day-days never`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			d.ID = args[0]
			var err error
			if d.Days, err = readDays(cmd.Flags()); err != nil {
				return err
			}
			if cmd.Flags().Changed("shards") && d.Shards == 0 {
				return usagef("--shards 0: choose 1 to %d, or leave it out", sinks.MaxShards)
			}
			if err := errors.Join(d.Validate(), query.Format(output).Check()); err != nil {
				return usagef("%w", err)
			}
			a.warnOfBrowsers(d.UserAgents)
			return a.withTable(cmd, func(ctx context.Context, t *openedTable) error {
				if err := site.Create(ctx, t, sinks.Keys{}, d, time.Now()); err != nil {
					return err
				}
				if err := a.sayRegistered(cmd, d.ID); err != nil {
					return err
				}
				return a.printSite(ctx, cmd, t, d.ID, output)
			})
		},
	}
	f := cmd.Flags()
	f.StringVarP(&output, "output", "o", string(query.Table), "table, json or csv")
	complete(cmd, "output", query.Formats...)
	f.StringVar(&d.Name, "name", "", "name for people")
	f.StringSliceVar(&d.Domains, "domains", nil, "domains of the site, separated by commas")
	f.StringVar(&d.Owner, "owner", "", "who owns the site; site list --owner lists by it")
	f.IntVar(&d.Shards, "shards", 0, "shards of the raw events, 1 to 64 (default 16)")
	f.StringVar(&d.Zone, "zone", "", "time zone of hours and days, as in Europe/Berlin (default UTC)")
	f.StringSliceVar(&d.UserAgents, "user-agents", nil, "parts of user agents that are bots at this site, separated by commas")
	f.StringSliceVar(&d.Referrers, "referrers", nil, "hosts of referrers that are spam at this site, separated by commas")
	f.StringSliceVar(&d.QueryParameters, "query-parameters", nil, "query parameters that raw and failed events keep of urls and referrers: all, none, or names as in utm_*,gclid (default: as configured)")
	f.Int64Var(&d.EventsPerSecond, "events-per-second", 0, "budget of events a second in each partition, beyond which events are in no session and no breakdown; 0: unlimited")
	addDays(f, "as configured")
	mayBeEmpty(f, "name", "domains", "owner", "user-agents", "referrers")
	return cmd
}

// warnOfBrowsers warns of parts of user agents by which people would be taken for bots.
func (a *app) warnOfBrowsers(agents []string) {
	for _, part := range site.OfBrowsers(agents) {
		fmt.Fprintf(a.err, "warning: --user-agents %s: ordinary browsers send it too, so people are counted as bots: name a part that only bots send\n", part)
	}
}

// retentions are the flags by which a site's retention is set.
var retentions = []struct{ attr, flag, what string }{
	{sinks.AttrRawDays, "raw-days", "raw events"}, {sinks.AttrSessionDays, "session-days", "sessions"},
	{sinks.AttrHourDays, "hour-days", "stats by hour"}, {sinks.AttrDayDays, "day-days", "stats by day"},
}

func addDays(f *pflag.FlagSet, otherwise string) {
	for _, kept := range retentions {
		f.String(kept.flag, "", "days to keep "+kept.what+", or never (default: "+otherwise+")")
	}
}

// readDays returns the retentions that were set, by attribute; nil: none.
func readDays(f *pflag.FlagSet) (map[string]int64, error) {
	var days map[string]int64
	for _, kept := range retentions {
		if !f.Changed(kept.flag) {
			continue
		}
		n, err := site.ParseDays(kept.attr, f.Lookup(kept.flag).Value.String())
		if err != nil {
			return nil, usagef("--%s %w", kept.flag, err)
		}
		if days == nil {
			days = make(map[string]int64)
		}
		days[kept.attr] = n
	}
	return days, nil
}

func (a *app) printSite(ctx context.Context, cmd *cobra.Command, t *openedTable, id, output string) error {
	c, err := a.config(cmd)
	if err != nil {
		return err
	}
	answer, err := query.New(t, sinks.Keys{}, time.Now).Site(ctx, query.SiteParams{Site: id, Consistent: true})
	if err != nil {
		return err
	}
	if own := answer.Site.Retention; own.SessionDays != nil || own.HourDays != nil {
		session, hour := c.Retention.Session, c.Retention.Hour
		if own.SessionDays != nil {
			session = config.Days(*own.SessionDays)
		}
		if own.HourDays != nil {
			hour = config.Days(*own.HourDays)
		}
		for _, text := range []string{lateSessions(session, c), shortSessions("session-days", session, "hour-days", hour)} {
			if text != "" {
				fmt.Fprintln(a.err, "warning:", text)
			}
		}
	}
	return query.Print(a.plainIfTerminal(), a.err, query.Format(output), answer)
}

func newSiteUpdateCommand(a *app) *cobra.Command {
	var c site.Changes
	var name, owner, from, output string
	var revision, budget int64
	var domains, agents, referrers, parameters []string
	cmd := &cobra.Command{
		Use:   "update SITE",
		Short: "Change a site's zone, shards, retention or metadata",
		Long: `Change what is named; the rest stays. The change is a revision of the rules of sites, which every process learns of within
30 seconds; what is counted already stays as it is.

A zone holds from an instant (--from) at which a day begins both in it and in the zone until then, at least 24 hours ahead: so
that every event belongs to one whole day. Without --from it is the next such instant. Zones that differ by an hour, as UTC and
Europe/Berlin, have none: the command says so.

A number of shards holds from a day of UTC that is at least 24 hours ahead. Retention holds for what is written from now on.

A later command replaces what was planned from its instant on, and postpones the same value that was planned before it, as long
as that is 24 hours ahead. Naming the zone or the number of shards that is in force cancels a planned one. The command says so.

--realtime off keeps no minutes for footfall query realtime, --recent off lists no recent sessions, --visitor-index off lists no
sessions by visitor: of what is counted from then on. What is there stays until it expires. All else is counted as before.

--query-parameters names the parameters of urls and referrers that raw events, exports and failed events keep, of what is
written from then on: all, none, or names, of which each may end in *. Figures do not depend on it.

--events-per-second N is the site's budget in each partition of the topic. In each minute of the records' timestamps, the first
60 x N events are counted in full. Events beyond them still count as events, page views, values and visitors, and are kept as
raw events. They are in no session, visit, goal or breakdown, so they cost less. footfall query stats shows how many there were
as "Over budget". The budget holds from the next flush of each partition; 0 is unlimited.

With domains, events whose url is of none of them, nor below one, are flagged and summed as foreign. They are counted all the same.

With --if-revision the command changes nothing if the site's last revision, which footfall site show -o json tells, is another
one. Without it, it changes what it names of whatever others have changed meanwhile.`,
		Example: `  footfall site update shop.example --zone Europe/Paris
  footfall site update shop.example --shards 32 --from 2026-06-01
  footfall site update shop.example --raw-days 14 --name "The shop"
  footfall site update shop.example --realtime off --if-revision 7`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			set := cmd.Flags().Changed
			if set("name") {
				c.Name = &name
			}
			if set("owner") {
				c.Owner = &owner
			}
			for flag, list := range map[string]struct {
				from *[]string
				to   **[]string
			}{"domains": {&domains, &c.Domains}, "user-agents": {&agents, &c.UserAgents}, "referrers": {&referrers, &c.Referrers},
				"query-parameters": {&parameters, &c.QueryParameters}} {
				if set(flag) {
					*list.to = list.from
				}
			}
			if set("events-per-second") {
				c.EventsPerSecond = &budget
			}
			if err := errors.Join(readSwitch(cmd.Flags(), "realtime", &c.Realtime), readSwitch(cmd.Flags(), "recent", &c.Recent),
				readSwitch(cmd.Flags(), "visitor-index", &c.VisitorIndex)); err != nil {
				return err
			}
			var err error
			if c.IfRevision, err = readRevision(cmd.Flags(), &revision); err != nil {
				return err
			}
			if c.Days, err = readDays(cmd.Flags()); err != nil {
				return err
			}
			if set("shards") && c.Shards == 0 {
				return usagef("--shards 0: choose 1 to %d, or leave it out", sinks.MaxShards)
			}
			if c.Name == nil && c.Owner == nil && c.Domains == nil && c.UserAgents == nil && c.Referrers == nil && c.Days == nil &&
				c.Shards == 0 && c.Zone == "" && c.Realtime == nil && c.Recent == nil && c.VisitorIndex == nil && c.QueryParameters == nil &&
				c.EventsPerSecond == nil {
				return usagef("there is nothing to change: name it, as in --zone Europe/Berlin")
			}
			if from != "" {
				if c.From, err = query.ParseTime(from, time.Now()); err != nil {
					return usagef("--from: %w", err)
				}
			}
			if err := errors.Join(c.Validate(args[0]), query.Format(output).Check()); err != nil {
				return usagef("%w", err)
			}
			a.warnOfBrowsers(agents)
			return a.withTable(cmd, func(ctx context.Context, t *openedTable) error {
				notes, err := site.Update(ctx, t, sinks.Keys{}, args[0], c, time.Now())
				if err != nil {
					return err
				}
				for _, note := range notes {
					fmt.Fprintln(a.err, note)
				}
				return a.printSite(ctx, cmd, t, args[0], output)
			})
		},
	}
	f := cmd.Flags()
	f.StringVarP(&output, "output", "o", string(query.Table), "table, json or csv")
	complete(cmd, "output", query.Formats...)
	f.StringVar(&name, "name", "", "name for people")
	f.StringVar(&owner, "owner", "", "who owns the site")
	f.StringSliceVar(&domains, "domains", nil, "domains of the site, separated by commas")
	f.StringSliceVar(&agents, "user-agents", nil, "parts of user agents that are bots at this site, separated by commas")
	f.StringSliceVar(&referrers, "referrers", nil, "hosts of referrers that are spam at this site, separated by commas")
	f.StringVar(&c.Zone, "zone", "", "time zone of hours and days, as in Europe/Berlin")
	f.IntVar(&c.Shards, "shards", 0, "shards of the raw events, 1 to 64")
	f.StringVar(&from, "from", "", "instant from which the zone or the shards hold, as in RFC 3339 or a date of UTC (default: the next that may be)")
	f.String("realtime", "", "on or off: realtime minutes (default: unchanged)")
	f.String("recent", "", "on or off: lists of recent sessions (default: unchanged)")
	f.String("visitor-index", "", "on or off: sessions by visitor (default: unchanged)")
	for _, flag := range []string{"realtime", "recent", "visitor-index"} {
		complete(cmd, flag, "on", "off")
	}
	f.StringSliceVar(&parameters, "query-parameters", nil, "query parameters that raw and failed events keep of urls and referrers: all, none, or names as in utm_*,gclid; empty: as configured")
	f.Int64Var(&budget, "events-per-second", 0, "budget of events a second in each partition, beyond which events are in no session and no breakdown; 0: unlimited (default: unchanged)")
	addRevision(f, &revision)
	addDays(f, "unchanged")
	mayBeEmpty(f, "name", "domains", "owner", "user-agents", "referrers", "query-parameters") // What is to be emptied.
	return cmd
}

func newSiteShowCommand(a *app) *cobra.Command {
	var q asker
	cmd := &cobra.Command{
		Use:     "show SITE",
		Short:   "What is known about a site",
		Long:    "Print a site's metadata, zone, shards and retention, what holds from when, and its own lists of bots and spam. A dash stands for what is as configured, or not known.",
		Example: "  footfall site show shop.example",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return q.ask(a, cmd, func(ctx context.Context, r *query.Reader) (query.Answer, error) {
				return r.Site(ctx, query.SiteParams{Site: args[0], Consistent: q.consistent})
			})
		},
	}
	q.addFlags(cmd)
	return cmd
}

func newSiteListCommand(a *app) *cobra.Command {
	var q asker
	var owner string
	var deleted bool
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List sites, all or an owner's",
		Long:    "List the sites that were counted or created, by id; with --owner those that were created with this owner. Those that were deleted are left out, but with --deleted.",
		Example: "  footfall site list\n  footfall site list --owner acme --output json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return q.ask(a, cmd, func(ctx context.Context, r *query.Reader) (query.Answer, error) {
				return r.Sites(ctx, query.SitesParams{Owner: owner, Deleted: deleted, Consistent: q.consistent, Paging: q.paging})
			})
		},
	}
	q.addFlags(cmd)
	q.addPaging(cmd, false)
	cmd.Flags().StringVar(&owner, "owner", "", "sites of this owner")
	cmd.Flags().BoolVar(&deleted, "deleted", false, "sites that were deleted, too")
	return cmd
}
