package sites

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/footfall/footfall/internal/urlquery"
	"github.com/footfall/footfall/sinks"
)

// ConflictError reports that the site exists with other settings. They were not changed.
type ConflictError struct {
	Site        string
	Differences []string // "shards is 16, not 4"
}

func (e *ConflictError) Error() string {
	return fmt.Sprintf("site %q already exists with other values: %s; nothing was changed: use `footfall site update` to change a site",
		e.Site, strings.Join(e.Differences, "; "))
}

// Create records a site, as a revision of the rules of sites. If the site exists with other rules than d asks for, Create returns a
// *ConflictError, which names the present ones.
//
// A site that a worker has met keeps its shards and zone: d may not ask for others, which is a *ConflictError, too. Its other rules hold
// from now on. A deleted site comes back with its former shards, zone and retention. d may ask for another retention, but other shards
// or another zone are a *ConflictError. A site that was purged begins with nothing, once the purge is done: a *PurgingError before.
//
// An event that is published after Create has returned is counted by the site's rules. Create may be repeated: creating a site as it is
// changes nothing and is not an error.
func Create(ctx context.Context, t sinks.Table, keys sinks.Keys, d Definition, now time.Time) error {
	if err := d.Validate(); err != nil {
		return err
	}
	decision := Decision{Table: t, Keys: keys, Site: d.ID, Now: now}
	return decision.decide(ctx, func(s decisionState) (*Rules, error) {
		want := d.rules(now)
		switch {
		case Gone(s.history) > 0:
			return want, decision.mayBegin(ctx, Gone(s.history))
		case s.unmet:
			return want, nil
		case s.rules == nil: // It is counted by the defaults.
			if diff := d.cutsFrom(new(Rules).In(s.zone)); diff != nil {
				return nil, &ConflictError{d.ID, d.differsFrom(new(Rules).In(s.zone))}
			}
			want.Shards, want.Zones = nil, nil
			return want, nil
		case s.rules.Deleted():
			return d.back(s.rules, s.zone, now)
		}
		if diff := d.differsFrom(s.rules.In(s.zone)); diff != nil {
			return nil, &ConflictError{d.ID, diff}
		}
		return s.rules, nil
	})
}

// rules are those of a site that nobody has counted yet.
func (d Definition) rules(now time.Time) *Rules {
	s := &Rules{Name: d.Name, Domains: d.Domains, Owner: d.Owner, CreatedAt: now.UnixMilli(), Days: d.Days,
		UserAgents: d.UserAgents, Referrers: d.Referrers, QueryParameters: urlquery.Canonical(d.QueryParameters),
		EventsPerSecond: d.EventsPerSecond, ExcludedPaths: d.ExcludedPaths, ExcludedTypes: d.ExcludedTypes}
	if d.Shards != 0 && d.Shards != sinks.DefaultShards {
		s.Shards = []Shards{{N: d.Shards}}
	}
	if d.Zone != "" && d.Zone != time.UTC.String() {
		s.Zones = []Zone{{Name: d.Zone}}
	}
	return s
}

// differsFrom names what d asks for and the rules, which are the site's, do not have.
func (d Definition) differsFrom(held *Rules) []string {
	diff := d.cutsFrom(held)
	differ := func(name, have, want string) {
		if have != want {
			diff = append(diff, fmt.Sprintf("%s is %s, not %s", name, have, want))
		}
	}
	for _, name := range dayNames {
		if want, asked := d.Days[name]; asked {
			have := "as configured"
			if n, set := held.Days[name]; set {
				have = spellDays(n)
			}
			differ(name, have, spellDays(want))
		}
	}
	for _, f := range []struct {
		name       string
		have, want []string
	}{
		{"name", []string{held.Name}, []string{d.Name}}, {"domains", held.Domains, d.Domains}, {"owner", []string{held.Owner}, []string{d.Owner}},
		{"user agents", held.UserAgents, d.UserAgents}, {"referrers", held.Referrers, d.Referrers},
		{"excluded paths", held.ExcludedPaths, d.ExcludedPaths}, {"excluded types", held.ExcludedTypes, d.ExcludedTypes},
		{"events per second", []string{strconv.FormatInt(held.EventsPerSecond, 10)}, []string{strconv.FormatInt(d.EventsPerSecond, 10)}},
		{"query parameters", []string{held.QueryParameters}, []string{urlquery.Canonical(d.QueryParameters)}},
	} {
		differ(f.name, strconv.Quote(strings.Join(f.have, " ")), strconv.Quote(strings.Join(f.want, " ")))
	}
	return diff
}

// cutsFrom names what d asks for and cuts the site's records otherwise than the rules do.
func (d Definition) cutsFrom(held *Rules) (diff []string) {
	if last := held.ShardsAt(farFuture); d.Shards != 0 && d.Shards != last {
		diff = append(diff, fmt.Sprintf("shards is %d, not %d", last, d.Shards))
	}
	if last := held.Zone(farFuture).Loc.String(); d.Zone != "" && d.Zone != last {
		diff = append(diff, fmt.Sprintf("zone is %s, not %s", last, d.Zone))
	}
	return diff
}

// farFuture is after every instant that a change can name.
const farFuture = 1 << 61

// repeatable says what to do about an error that another attempt may not meet.
func repeatable(err error) error {
	if sinks.Retryable(err) {
		return fmt.Errorf("%w: run the command again; repeating it is safe", err)
	}
	return err
}

func spellDays(days int64) string {
	if days == Never {
		return "never"
	}
	return strconv.FormatInt(days, 10)
}
