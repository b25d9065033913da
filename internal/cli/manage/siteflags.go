package manage

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/pflag"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/internal/cli/engine"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
)

// addSiteTexts adds the flags that describe a site, which may all be emptied.
func addSiteTexts(f *pflag.FlagSet, d *sites.Definition) {
	f.StringVar(&d.Name, "name", "", "display name")
	f.StringSliceVar(&d.Domains, "domains", nil, "domains of the site, separated by commas")
	f.StringVar(&d.Owner, "owner", "", "owner, for site list --owner")
	f.StringSliceVar(&d.UserAgents, "user-agents", nil, "substrings of user agents that are bots at this site, separated by commas")
	f.StringSliceVar(&d.Referrers, "referrers", nil, "hosts of referrers that are spam at this site, separated by commas")
	f.StringSliceVar(&d.ExcludedPaths, "exclude-paths", nil,
		"pages whose events are counted as excluded and nowhere else, separated by commas; * stands for any text, as in /admin/*")
	f.StringSliceVar(&d.ExcludedTypes, "exclude-types", nil, "types of events that are counted as excluded and nowhere else, as in asset")
	command.MayBeEmpty(f, "name", "domains", "owner", "user-agents", "referrers", "exclude-paths", "exclude-types")
}

// checkShards refuses a number of 0, which means none by itself.
func checkShards(f *pflag.FlagSet) error {
	if shards, err := f.GetInt("shards"); err != nil || shards != 0 || !f.Changed("shards") {
		return err
	}
	return fmt.Errorf("--shards 0: choose 1 to %d, or leave it out", sinks.MaxShards)
}

// warnOfBrowsers warns of parts of user agents by which people would be taken for bots.
func warnOfBrowsers(a *command.App, agents []string) {
	for _, part := range sites.OfBrowsers(agents) {
		fmt.Fprintf(a.Err, "warning: --user-agents %s: ordinary browsers send it too, so people are counted as bots: name a part that only "+
			"bots send\n", part)
	}
}

// visitorDays is the flag that says when a visitor is new again.
const visitorDays = "visitor-days"

// retentions are the flags by which a site's retention is set.
var retentions = []struct{ attr, flag, what string }{
	{sinks.AttrRawDays, "raw-days", "raw events"}, {sinks.AttrSessionDays, "session-days", "sessions"},
	{sinks.AttrHourDays, "hour-days", "stats by hour"}, {sinks.AttrDayDays, "day-days", "stats by day"},
}

func addDays(f *pflag.FlagSet, otherwise, again string) {
	for _, kept := range retentions {
		f.String(kept.flag, "", "days to keep "+kept.what+", or never (default: "+otherwise+")")
	}
	f.String(visitorDays, "", "days without an event after which a visitor counts as new again, or never (default: "+again+")")
}

// readDays returns the retentions that were set, by attribute; nil: none.
func readDays(f *pflag.FlagSet) (map[string]int64, error) {
	var days map[string]int64
	read := func(attr, flag string) error {
		if !f.Changed(flag) {
			return nil
		}
		n, err := sites.ParseDays(attr, f.Lookup(flag).Value.String())
		if err != nil {
			return fmt.Errorf("--%s %w", flag, err)
		}
		if days == nil {
			days = make(map[string]int64)
		}
		days[attr] = n
		return nil
	}
	for _, kept := range retentions {
		if err := read(kept.attr, kept.flag); err != nil {
			return nil, err
		}
	}
	if err := read(sinks.AttrVisitorDays, visitorDays); err != nil {
		return nil, err
	}
	return days, nil
}

// siteNow returns what a site is now, and warns of what its retentions lead to.
func siteNow(ctx context.Context, a *command.App, t *connect.Table, id string) (any, error) {
	answer, err := query.New(t.Table, time.Now).Site(ctx, query.SiteParams{Site: id, Consistent: true})
	if err != nil {
		return nil, err
	}
	if own := answer.Site.Retention; own.SessionDays != nil || own.HourDays != nil {
		session, hour := t.Config.Retention.Session, t.Config.Retention.Hour
		if own.SessionDays != nil {
			session = config.Days(*own.SessionDays)
		}
		if own.HourDays != nil {
			hour = config.Days(*own.HourDays)
		}
		for _, text := range []string{engine.LateSessions(session, t.Config), engine.ShortSessions("session-days", session, "hour-days", hour)} {
			if text != "" {
				fmt.Fprintln(a.Err, "warning:", text)
			}
		}
	}
	return answer, nil
}
