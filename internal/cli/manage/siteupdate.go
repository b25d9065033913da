package manage

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/query"
)

// siteUpdateFlags are the flags of footfall site update.
type siteUpdateFlags struct {
	definition sites.Definition // what the flags say, set or not
	from       string
	switches   siteSwitches
}

func newSiteUpdateCommand(a *command.App) *cobra.Command {
	var u siteUpdateFlags
	cmd := changing(a, &cobra.Command{
		Use:   "update SITE",
		Short: "Change a site's zone, shards, retention or metadata",
		Long: `Change the given values; the others stay. Each change is a revision of the site settings, which processes apply within 30 seconds.
Earlier counts stay.

A new zone applies from the beginning of one of its days (--from DATE), at least two days ahead. The default is the next such day. The day
that runs then ends at the change; if the new zone has not passed its date, it continues until the new zone's date is greater. So each event
belongs to one day, and footfall query stats --by day shows the hours of the one day that is shorter or longer.

A new number of shards applies from a UTC day at least 24 hours ahead. A new retention applies to what is written from now on.

A change of the zone or the shards that lies ahead is planned. A later command replaces the changes planned for its own instant and
after it, and without --from all that can still change: planned changes of the shards 24 hours ahead, of the zone two days ahead. A later
--from postpones a planned change of the same value that can still change. Giving the current value without --from cancels the planned
changes. The command prints what it replaced.

--realtime off keeps no minutes for footfall query realtime, --recent off no list of recent sessions, --visitor-index off no sessions
by visitor. The switches apply to events counted from now on; existing items stay until they expire. Other figures do not change.

--new-visitors on counts new visitors from now on: see footfall query stats. It costs a write per visitor and day. A visitor is new
again after --visitor-days without an event, 90 by default.

--query-parameters names the parameters of urls and referrers that raw events, exports and failed events keep from now on: all, none,
or names that may end in *. Figures do not depend on it.

--events-per-second N is the site's budget in each partition of the topic. In each minute of the records' timestamps, the first
60 x N events are counted in full. Events beyond them still count as events, page views, values and visitors, and are kept as
raw events. They are in no session, visit, goal or breakdown, so they cost less. footfall query stats shows how many there were
as "Over budget". The budget holds from the next flush of each partition; 0 is unlimited.

With domains, events whose url is on none of them, nor on a subdomain, are also summed as foreign. They are counted as usual.

--exclude-paths names pages whose events are not counted: they are in no figure but excludedEvents and excludedPageViews of footfall
query stats, and their raw events are marked. Each * stands for any text, slashes included. The list replaces the former one; an
empty one excludes nothing. --exclude-types does the same for types of events: with asset, a visitor who fetched no page has no session.

--rows page=5000,referrer=1000 sets how many values of a dimension have figures of their own per hour and partition, for what is
counted from now on, where breakdowns.rows sets it for all. All dimensions of --rows may have 5000 together; page= resets one. An hour
still has at most breakdowns.bytes, and each KB after compression costs a write unit per flush: see footfall plan --rows.

--property names up to 8 keys of the events' properties whose values have figures of their own from now on: footfall query top SITE
property:KEY. The list replaces the former one; an empty one ends it. The figures of a key that is left out can no longer be queried,
and the command names it; a key that comes back counts from zero.

With --if-revision the command changes nothing unless the site's last revision is the given one. footfall site show --json prints it.`,
		Example: `  footfall site update shop.example --zone Europe/Paris
  footfall site update shop.example --shards 32 --from 2026-06-01
  footfall site update shop.example --raw-days 14 --name "The shop"
  footfall site update shop.example --exclude-paths '/admin/*,/preview'
  footfall site update shop.example --rows page=5000
  footfall site update shop.example --property plan,theme
  footfall site update shop.example --realtime off --if-revision 7`,
		Args: cobra.ExactArgs(1),
	}, func(f *pflag.FlagSet, args []string) (change, error) { return u.change(a, f, args[0]) })
	u.addFlags(cmd)
	return cmd
}

func (u *siteUpdateFlags) addFlags(cmd *cobra.Command) {
	f, d := cmd.Flags(), &u.definition
	addSiteTexts(f, d)
	f.StringVar(&d.Zone, "zone", "", "time zone of hours and days, as in Europe/Berlin")
	f.IntVar(&d.Shards, "shards", 0, "shards of the raw events, 1 to 64")
	f.StringVar(&u.from, "from", "", "instant from which the zone or the shards apply, in RFC 3339 or as a date, of the new zone if only "+
		"the zone changes, and otherwise of UTC (default: the next possible one)")
	u.switches.addFlags(cmd, "unchanged", "unchanged", "unchanged", "unchanged")
	f.StringSliceVar(&d.QueryParameters, "query-parameters", nil,
		"query parameters that raw and failed events keep of urls and referrers: all, none, or names as in utm_*,gclid; empty: as configured")
	f.Int64Var(&d.EventsPerSecond, "events-per-second", 0,
		"budget of events per second in each partition, above which events are in no session and no breakdown; 0 = unlimited "+
			"(default: unchanged)")
	addRevision(f)
	addDays(f, "unchanged", "unchanged")
	command.MayBeEmpty(f, "query-parameters")
}

// change returns what changes the site as the flags say.
func (u *siteUpdateFlags) change(a *command.App, f *pflag.FlagSet, site string) (change, error) {
	c, err := u.read(f, time.Now())
	if err != nil {
		return nil, err
	}
	only, err := readRevision(f)
	if err != nil {
		return nil, err
	}
	if err := c.Validate(site); err != nil {
		return nil, err
	}
	warnOfBrowsers(a, u.definition.UserAgents)
	return func(ctx context.Context, t *connect.Table) (any, error) {
		decision := sites.Decision{Table: t.Repeating(), Site: site, Now: time.Now(), IfRevision: only}
		notes, err := decision.Update(ctx, c)
		if err != nil {
			return nil, err
		}
		for _, note := range notes {
			fmt.Fprintln(a.Err, note)
		}
		if f.Changed("exclude-paths") || f.Changed("exclude-types") || f.Changed("property") {
			if err := sayRebuild(ctx, a, f, decision); err != nil {
				return nil, err
			}
		}
		return siteNow(ctx, a, t, site)
	}, nil
}

// read returns the changes that the flags amount to.
func (u *siteUpdateFlags) read(f *pflag.FlagSet, now time.Time) (c sites.Changes, err error) {
	d := &u.definition
	c = sites.Changes{Name: command.Given(f, "name", &d.Name), Owner: command.Given(f, "owner", &d.Owner),
		Domains: command.Given(f, "domains", &d.Domains), UserAgents: command.Given(f, "user-agents", &d.UserAgents),
		Referrers: command.Given(f, "referrers", &d.Referrers), Zone: d.Zone, Shards: d.Shards,
		QueryParameters: command.Given(f, "query-parameters", &d.QueryParameters),
		EventsPerSecond: command.Given(f, "events-per-second", &d.EventsPerSecond),
		ExcludedPaths:   command.Given(f, "exclude-paths", &d.ExcludedPaths), ExcludedTypes: command.Given(f, "exclude-types", &d.ExcludedTypes)}
	more, err := u.switches.read(f)
	c.Realtime, c.Recent, c.VisitorIndex, c.NewVisitors = more.Realtime, more.Recent, more.VisitorIndex, more.NewVisitors
	c.Rows, c.Properties = more.Rows, more.Properties
	if err := errors.Join(err, checkShards(f)); err != nil {
		return c, err
	}
	if c.Days, err = readDays(f); err != nil {
		return c, err
	}
	if reflect.ValueOf(c).IsZero() {
		return c, errors.New("there is nothing to change: name it, as in --zone Europe/Berlin")
	}
	if u.from != "" {
		zone := time.UTC
		if c.Zone != "" && c.Shards == 0 {
			if zone, err = query.ParseZone(c.Zone); err != nil {
				return c, fmt.Errorf("--zone: %w", err)
			}
		}
		if c.From, err = query.ParseTimeIn(u.from, now, zone); err != nil {
			return c, fmt.Errorf("--from: %w", err)
		}
	}
	return c, nil
}
