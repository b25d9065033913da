package verify

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/sinks"
)

// A site's entry in the list of sites and its metadata are views of the rules of sites. The writer of a revision appends it to
// the log of rules, and then writes them. No chain's mark is on them. Readers use them alone, so they must be as the last revision says.

// publishing is how long a view may be older than its revision before it is different. It takes two requests to write both.
const publishing = 5 * time.Second

// unpublished reports whether a site needs no metadata: it has no revision, or only such as have no rules, which a worker appends
// to a site whose creation was cut short, and an erasure to one without settings.
func unpublished(history []sites.Revision) bool {
	return len(history) == 0 || history[len(history)-1].Rules.Empty()
}

// judgeMetadata compares a site's metadata with the last revision of its rules.
func (v *judges) judgeMetadata(s subject, it sinks.Item) judgement {
	history := v.rules.History(s.site)
	if it == nil && unpublished(history) {
		return nothing
	}
	cmp := v.compare(s, it)
	if !cmp.presence(len(history) > 0) {
		last := history[len(history)-1]
		r := last.Rules
		cmp.number(sinks.AttrRev, last.Rev)
		cmp.text(sinks.AttrRules, r.String())
		cmp.text(sinks.AttrSiteID, s.site)
		cmp.oneOf(sinks.AttrName, []sinks.Value{sinks.Str(r.Name)})
		cmp.oneOf(sinks.AttrDomains, []sinks.Value{sinks.Strings(r.Domains)})
		cmp.number(sinks.AttrCreatedAt, r.CreatedAt)
		owner, site := "", ""
		if r.Owner != "" {
			owner, site = v.keys.Owner(r.Owner), v.keys.Site(s.site)
		}
		cmp.text(sinks.AttrOwner, r.Owner)
		cmp.text(sinks.AttrGSI1PK, owner)
		cmp.text(sinks.AttrGSI1SK, site)
		cmp.plainRules(r)
		cmp.common(sinks.EntitySite, s.site)
	}
	return judgement{view: true, differences: cmp.differences}
}

// plainRules compares what a site's metadata repeat of its rules in plain attributes.
func (c *comparison) plainRules(r *sites.Rules) {
	zone, zoneFrom, shards, shardsFrom := "", int64(0), sinks.DefaultShards, int64(0)
	for _, z := range r.Zones {
		zone, zoneFrom = z.Name, z.From
	}
	for _, n := range r.Shards {
		shards, shardsFrom = n.N, n.From
	}
	c.text(sinks.AttrTimeZone, zone)
	c.number(sinks.AttrTimeZoneFrom, zoneFrom)
	c.number(sinks.AttrShards, int64(shards))
	c.number(sinks.AttrShardsFrom, shardsFrom)
	for _, attr := range []string{sinks.AttrRawDays, sinks.AttrSessionDays, sinks.AttrHourDays, sinks.AttrDayDays,
		sinks.AttrVisitorDays} {
		want := sinks.Value{}
		if days, ok := r.Days[attr]; ok {
			want = sinks.Int(days)
		}
		c.oneOf(attr, []sinks.Value{want})
	}
	goals := sinks.Value{}
	if len(r.Goals) > 0 {
		lines := make([]string, len(r.Goals))
		for i, g := range r.Goals {
			lines[i] = strconv.FormatUint(g.N, 10) + " " + g.ID
		}
		goals = sinks.Strings(lines)
	}
	c.oneOf(sinks.AttrGoals, []sinks.Value{goals})
}

// settleViews reads again the views that did not agree. One that still does not counts if its site has had the same last
// revision for as long as it takes to publish one. The log is read after the views: no view is newer than it.
func (v *verifier) settleViews(ctx context.Context, queue []subject) error {
	for read := 1; len(queue) > 0; read++ {
		before := v.rules
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for the metadata of sites: %w", context.Cause(ctx))
		case <-time.After(publishing):
		}
		found, err := v.reread(ctx, queue)
		if err != nil {
			return err
		}
		if err := v.readRules(ctx); err != nil {
			return err
		}
		var moved []subject
		for i, s := range queue {
			j := v.judge(s, found[i])
			switch {
			case v.accept(s, j):
			case len(before.History(s.site)) == len(v.rules.History(s.site)):
				v.count(s.kind)
				v.differ(j.differences...)
			case read == maxReads:
				v.unsettled(v.key(s))
			default:
				moved = append(moved, s)
			}
		}
		queue = moved
	}
	return nil
}
