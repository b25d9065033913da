package judge

import (
	"strconv"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/sinks"
)

// A site's entry in the list of sites and its metadata are views of the rules of sites. The writer of a revision appends it to
// the log of rules, and then writes them. No chain's mark is on them. Readers use them alone, so they must be as the last revision says.

// unpublished reports whether a site needs no metadata: it has no revision, or only such as have no rules, which a worker appends
// to a site whose creation was cut short, and an erasure to one without settings.
func unpublished(history []sites.Revision) bool {
	return len(history) == 0 || history[len(history)-1].Rules.Empty()
}

// judgeMetadata compares a site's metadata with the last revision of its rules.
func (v *Judges) judgeMetadata(s Subject, it sinks.Item) Judgement {
	history := v.Rules.History(s.Site)
	if it == nil && unpublished(history) {
		return nothing
	}
	cmp := v.Compare(s, it)
	if !cmp.Presence(len(history) > 0) {
		last := history[len(history)-1]
		r := last.Rules
		cmp.Number(sinks.AttrRev, last.Rev)
		cmp.Text(sinks.AttrRules, r.String())
		cmp.Text(sinks.AttrSiteID, s.Site)
		cmp.OneOf(sinks.AttrName, []sinks.Value{sinks.Str(r.Name)})
		cmp.OneOf(sinks.AttrDomains, []sinks.Value{sinks.Strings(r.Domains)})
		cmp.Number(sinks.AttrCreatedAt, r.CreatedAt)
		owner, site := "", ""
		if r.Owner != "" {
			owner, site = v.Keys.Owner(r.Owner), sinks.Decided(s.Site)
		}
		cmp.Text(sinks.AttrOwner, r.Owner)
		cmp.Text(sinks.AttrGSI1PK, owner)
		cmp.Text(sinks.AttrGSI1SK, site)
		comparePlainRules(cmp, r)
		cmp.Common(sinks.EntitySite, s.Site)
	}
	return Judgement{View: true, Differences: cmp.Differences}
}

// comparePlainRules compares what a site's metadata repeat of its rules in plain attributes.
func comparePlainRules(c *finding.Comparison, r *sites.Rules) {
	zone, zoneFrom, shards, shardsFrom := "", int64(0), sinks.DefaultShards, int64(0)
	for _, z := range r.Zones {
		zone, zoneFrom = z.Name, z.From
	}
	for _, n := range r.Shards {
		shards, shardsFrom = n.N, n.From
	}
	c.Text(sinks.AttrTimeZone, zone)
	c.Number(sinks.AttrTimeZoneFrom, zoneFrom)
	c.Number(sinks.AttrShards, int64(shards))
	c.Number(sinks.AttrShardsFrom, shardsFrom)
	for _, attr := range []string{sinks.AttrRawDays, sinks.AttrSessionDays, sinks.AttrHourDays, sinks.AttrDayDays,
		sinks.AttrVisitorDays} {
		want := sinks.Value{}
		if days, ok := r.Days[attr]; ok {
			want = sinks.Int(days)
		}
		c.OneOf(attr, []sinks.Value{want})
	}
	goals := sinks.Value{}
	if len(r.Goals) > 0 {
		lines := make([]string, len(r.Goals))
		for i, g := range r.Goals {
			lines[i] = strconv.FormatUint(g.N, 10) + " " + g.ID
		}
		goals = sinks.Strings(lines)
	}
	c.OneOf(sinks.AttrGoals, []sinks.Value{goals})
}
