package main

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/site"
)

func newSiteCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "site",
		Short: "Create, show and list sites",
		Long: `Sites need not be created: every siteId is accepted. Creating one before its first event gives it a name and an owner,
its own number of shards and its own retention.`,
		Example: "  footfall site create shop.example --name Shop --owner acme --raw-days 7\n  footfall site list --owner acme",
	}
	cmd.AddCommand(newSiteCreateCommand(a), newSiteShowCommand(a), newSiteListCommand(a))
	return cmd
}

func newSiteCreateCommand(a *app) *cobra.Command {
	var d site.Definition
	var output string
	days := make(map[string]*string)
	cmd := &cobra.Command{
		Use:   "create SITE",
		Short: "Give a site metadata, shards and retention",
		Long: `Record a site. Shards and retention are decided once: by this command, or by the site's first event, whichever comes first.
If they are decided already, and otherwise, the command says which hold, changes nothing and ends with exit code 1. Creating
a site as it is changes nothing either.

A site needs a shard for every 1,000 raw events a second at its peak; 16, the default, is plenty for most.`,
		Example: `  footfall site create shop.example --name Shop --domains shop.example,www.shop.example --owner acme
  footfall site create archive.example --raw-days never --session-days never --hour-days never --day-days never`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			d.ID, d.Days = args[0], map[string]int64{}
			for name, text := range days {
				if *text == "" {
					continue
				}
				n, err := site.ParseDays(*text)
				if err != nil {
					return usagef("%w", err)
				}
				d.Days[name] = n
			}
			if cmd.Flags().Changed("shards") && d.Shards == 0 {
				return usagef("--shards 0: choose 1 to %d, or leave it out", sinks.MaxShards)
			}
			if err := errors.Join(d.Validate(), query.Format(output).Check()); err != nil {
				return usagef("%w", err)
			}
			return a.withTable(cmd, func(ctx context.Context, t *openedTable) error {
				if err := site.Create(ctx, t, sinks.Keys{}, d, time.Now()); err != nil {
					return err
				}
				answer, err := query.New(t, sinks.Keys{}, time.Now).Site(ctx, query.SiteParams{Site: d.ID, Consistent: true})
				if err != nil {
					return err
				}
				return query.Print(a.out, a.err, query.Format(output), answer)
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
	for _, kept := range []struct{ name, flag, what string }{
		{sinks.AttrRawDays, "raw-days", "raw events"}, {sinks.AttrSessionDays, "session-days", "sessions"},
		{sinks.AttrHourDays, "hour-days", "stats by hour"}, {sinks.AttrDayDays, "day-days", "stats by day"},
	} {
		days[kept.name] = f.String(kept.flag, "", "days to keep "+kept.what+", or never (default: as configured)")
	}
	return cmd
}

func newSiteShowCommand(a *app) *cobra.Command {
	var q asker
	cmd := &cobra.Command{
		Use:     "show SITE",
		Short:   "What is known about a site",
		Long:    "Print a site's metadata, shards and retention. A dash stands for what is as configured, or not known.",
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
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List sites, all or an owner's",
		Long:    "List the sites that were counted or created, by id; with --owner those that were created with this owner.",
		Example: "  footfall site list\n  footfall site list --owner acme --output json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return q.ask(a, cmd, func(ctx context.Context, r *query.Reader) (query.Answer, error) {
				return r.Sites(ctx, query.SitesParams{Owner: owner, Consistent: q.consistent, Paging: q.paging})
			})
		},
	}
	q.addFlags(cmd)
	q.addPaging(cmd, false)
	cmd.Flags().StringVar(&owner, "owner", "", "sites of this owner")
	return cmd
}
