package judge

import (
	"time"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/internal/verify/recount"
	"github.com/footfall/footfall/internal/verify/scope"
	"github.com/footfall/footfall/sinks"
)

// siteEntry compares what a site's entry in the list of sites says of the site.
type siteEntry struct {
	*recount.Model
	cmp  *finding.Comparison
	site string
}

// judgeSite compares a site's entry in the list of sites.
func (v *Judges) judgeSite(s Subject, it sinks.Item) (j Judgement) {
	expected := false
	for _, c := range v.Stats {
		if site := c.Stats.Sites[s.Site]; site != nil {
			j.Chains = append(j.Chains, c)
			known := c.Admitted.Sites[s.Site]
			expected = expected || site.First < c.Settled() && (known == nil || known.End == nil || !known.End.Unsure)
		}
	}
	cmp := v.Compare(s, it)
	e := siteEntry{v.Model, cmp, s.Site}
	if e.admittedMarks(&j) {
		expected = true
	}
	if it == nil && !expected {
		if len(v.Rules.History(s.Site)) == 0 {
			return nothing
		}
		j.View = true
	}
	if it == nil {
		cmp.Differ(finding.Whole, finding.Absent, "present")
	} else {
		cmp.Text(sinks.AttrSiteID, s.Site)
		e.claim(expected)
		compareFixedZone(cmp)
		e.generationZones()
		e.rawMarks()
		cmp.Common(sinks.EntitySiteEntry, s.Site)
	}
	j.Differences = cmp.Differences
	return j
}

// compareFixedZone compares the zone that an entry of the list of sites fixes. Which one it is the setting of the worker decided that
// listed the site; the hours and days that follow from it are compared elsewhere.
func compareFixedZone(c *finding.Comparison) {
	const attr = sinks.AttrZone
	c.Ignore(attr)
	zone := c.Item[attr]
	loc, err := sites.LoadZone(zone.Str())
	switch {
	case zone.Kind() == sinks.None:
	case err != nil:
		c.Differ(attr, finding.Show(zone), "a zone of the IANA database")
	case loc == time.UTC:
		c.Differ(attr, finding.Show(zone), finding.Absent)
	case sinks.Claimed(c.Item):
		c.Differ(attr, finding.Show(zone), "`site create` listed the site, so its rules have the zone")
	}
}

// generationZones compares the zones that a site has in generations which were counted under the settings of a later time, with the zone
// that the last revision of that time had.
func (e siteEntry) generationZones() {
	const attr = sinks.AttrGenerationZones
	e.cmp.Ignore(attr)
	for _, z := range scope.ZoneMarks(e.cmp.Item) {
		want := finding.Absent
		for _, c := range e.Rules.History(e.site) {
			if c.At <= z.Until {
				want = lastZone(c.Rules, z.Until)
			}
		}
		if z.Generation == 0 || z.Name != want {
			e.cmp.Differ(attr, finding.Show(e.cmp.Item[attr]), want)
		}
	}
}

// lastZone is the last zone of rules that was not there from the beginning and holds at an instant.
func lastZone(s *sites.Rules, at int64) string {
	name := finding.Absent
	if s != nil {
		for _, z := range s.Zones {
			if 0 < z.From && z.From <= at {
				name = z.Name
			}
		}
	}
	return name
}

// claim compares what an entry of the list of sites says about who was first there, a worker or `site create`, with the log
// of rules: a site that was created is not counted before its rules are in the log, and only there do first rules hold always.
func (e siteEntry) claim(counted bool) {
	const attr = sinks.AttrCreatedAt
	e.cmp.Ignore(attr)
	history := e.Rules.History(e.site)
	switch claimed := sinks.Claimed(e.cmp.Item); {
	case claimed && counted && len(history) == 0:
		e.cmp.Differ(attr, finding.Show(e.cmp.Item[attr]), "the site has no rules")
	case !claimed && sites.FirstRules(history) != nil && sites.LastPurge(history) == 0:
		e.cmp.Differ(attr, finding.Absent, "the site's first rules hold always")
	}
}

// rawMarks compares which kinds of raw events an entry of the list of sites mentions. Each kind that a settled flush has written must be
// there. A kind that none has written may be: its writer may not have begun the flush.
func (e siteEntry) rawMarks() {
	var items, packs bool
	for key, r := range e.Raw.Sites[e.site] {
		if r.Required && !r.Unsure && r.Position < r.Chain.Settled() {
			items, packs = items || key.Packed == 0, packs || key.Packed > 0
		}
	}
	for _, mark := range []struct {
		attr     string
		required bool
	}{{sinks.AttrRawItems, items}, {sinks.AttrRawPacks, packs}} {
		e.cmp.Ignore(mark.attr)
		switch has := e.cmp.Item[mark.attr]; {
		case has.Kind() == sinks.None && mark.required:
			e.cmp.Differ(mark.attr, finding.Absent, "1")
		case has.Kind() != sinks.None && !has.Equal(sinks.Int(1)):
			e.cmp.Differ(mark.attr, finding.Show(has), "1, or absent")
		}
	}
}
