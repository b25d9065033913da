// Package manage has the commands that define what is counted and who may see it: footfall site, goal, funnel, annotate, token and share.
package manage

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/footfall/footfall/internal/cli/ask"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/query"
)

// NewSiteCommand is footfall site.
func NewSiteCommand(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "site",
		Short: "Create, change, delete, purge, move, show and list sites",
		Long: `Sites need not be created, unless the configuration has sites.accept: registered. Creating a site before its first event sets its name,
owner, time zone, number of shards and retention. Events of deleted sites are rejected.`,
		Example: "  footfall site create shop.example --name Shop --zone Europe/Berlin\n  footfall site update shop.example --raw-days 7",
	}
	cmd.AddCommand(newSiteCreateCommand(a), newSiteUpdateCommand(a), newSiteDeleteCommand(a), newSitePurgeCommand(a),
		newSiteMoveCommand(a), newSiteShowCommand(a), newSiteListCommand(a))
	return cmd
}

// siteCreateHelp is the help of footfall site create.
const siteCreateHelp = `Create a site before its first event.
Zone, shards and all other values apply to every event that is sent after the command has ended.
Creating a site again with the same values has no effect. If the site exists with other values, the command prints these, changes
nothing and ends with exit code 1; use footfall site update to change a site.

If the site already has events but was never created, its zone is what sites.zone was when it was new (by default UTC) and it has 16
shards. Other values for these two are refused in the same way; all others are accepted and apply within 30 seconds.

footfall site update --zone changes the zone later, from two days ahead; one day is shorter or longer then.

With sites.accept: registered, processes count the site within 30 seconds and one flush interval. To count events that were rejected
as unknown_site until then, run footfall failed replay --reason unknown_site.

Creating a deleted site restores it with its zone, shards and switches, and with its retention unless another is given. Another zone
or number of shards is refused; change them with footfall site update.

Hours and days of the site are those of its zone, by default UTC.

footfall site update --help describes --events-per-second, --rows, --property and the switches. They apply to all events of a new site.

A site needs a shard for every 1,000 raw events per second at its peak. The default of 16 is enough for most.`

func newSiteCreateCommand(a *command.App) *cobra.Command {
	var d sites.Definition
	var also siteSwitches
	cmd := changing(a, &cobra.Command{
		Use:   "create SITE",
		Short: "Create a site with its zone, shards, retention and metadata",
		Long:  siteCreateHelp,
		Example: `  footfall site create shop.example --name Shop --zone Europe/Berlin --domains shop.example,www.shop.example --owner acme
  footfall site create archive.example --raw-days never --session-days never --hour-days never --day-days never`,
		Args: cobra.ExactArgs(1),
	}, func(f *pflag.FlagSet, args []string) (_ change, err error) {
		d.ID = args[0]
		if d.Days, err = readDays(f); err != nil {
			return nil, err
		}
		more, err := also.read(f)
		if err := errors.Join(err, checkShards(f), d.Validate(), validIfAny(more, d.ID)); err != nil {
			return nil, err
		}
		warnOfBrowsers(a, d.UserAgents)
		return func(ctx context.Context, t *connect.Table) (any, error) {
			if err := sites.Create(ctx, t.Table, t.Keys, d, time.Now()); err != nil {
				return nil, err
			}
			if !reflect.ValueOf(more).IsZero() {
				decision := sites.Decision{Table: t.Repeating(), Site: d.ID, Now: time.Now()}
				if _, err := decision.Update(ctx, more); err != nil {
					return nil, fmt.Errorf("the site is created, but not as the flags say: run the command again: %w", err)
				}
			}
			sayRegistered(a, t.Config, d.ID)
			return siteNow(ctx, a, t, d.ID)
		}, nil
	})
	f := cmd.Flags()
	addSiteTexts(f, &d)
	f.IntVar(&d.Shards, "shards", 0, "shards of the raw events, 1 to 64 (default 16)")
	f.StringVar(&d.Zone, "zone", "", "time zone of hours and days, as in Europe/Berlin (default UTC)")
	f.StringSliceVar(&d.QueryParameters, "query-parameters", nil,
		"query parameters that raw and failed events keep of urls and referrers: all, none, or names as in utm_*,gclid (default: as configured)")
	f.Int64Var(&d.EventsPerSecond, "events-per-second", 0,
		"budget of events per second in each partition, above which events are in no session and no breakdown; 0 = unlimited")
	also.addFlags(cmd, "on", "off", "none", "as configured")
	addDays(f, "as configured", "90")
	return cmd
}

func newSiteShowCommand(a *command.App) *cobra.Command { return ask.SiteCommand(a, new(ask.Asker)) }

func newSiteListCommand(a *command.App) *cobra.Command {
	var q ask.Asker
	var owner string
	var deleted bool
	var found ask.SiteSearch
	cmd := ask.Asking(a, &q, &cobra.Command{
		Use:     "list",
		Short:   "List sites, all or an owner's",
		Long:    "List the sites that were counted or created, by id; with --owner the sites of one owner, with --deleted also the deleted ones.",
		Example: "  footfall site list\n  footfall site list --owner acme --output json",
		Args:    cobra.NoArgs,
	}, func(ctx context.Context, r *query.Reader, _ []string) (any, error) {
		return r.Sites(ctx, query.SitesParams{Owner: owner, Search: found.Text, Prefix: found.Prefix, Deleted: deleted,
			Consistent: q.Consistent, Paging: q.Paging})
	})
	q.AddPaging(cmd, false)
	cmd.Flags().StringVar(&owner, "owner", "", "only sites of this owner")
	cmd.Flags().BoolVar(&deleted, "deleted", false, "include deleted sites")
	found.AddFlags(cmd)
	return cmd
}
