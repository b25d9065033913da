package recount

import (
	"slices"

	"github.com/footfall/footfall/internal/verify/count"
	"github.com/footfall/footfall/internal/verify/scope"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/sinks"
)

// A chain counts the sites that the rules accept as of the record's step. Of sites that were never created it admits as many new ones
// in an hour of record time as the step's settings allow. Every record of the log matters here, whichever site is verified.

// newSitesJump is the greatest distance, in ms, between two hours in which a later hour begins a count of its own.
const newSitesJump = count.DayMs

// counts says whether the chain counts a record that nothing else speaks against, and the reason if not. The record's
// rejection is not sure where the log has lost what the chain had admitted before.
func (c *Chain) counts(v *Model, r *count.Record) event.Reason {
	site := string(r.Event.SiteID)
	switch s := v.Standing(site, c.RulesAt(r.Position)); {
	case s == scope.Registered:
		return event.Accepted
	case s == scope.Deleted || r.Settings.Sites == checkpoint.SitesRegistered:
		return event.UnknownSite
	}
	a := c.Admitted
	a.Open = r.Position >= c.Head.From
	if known := a.Sites[site]; known != nil && known.End != nil {
		r.Unsure = r.Unsure || known.End.Unsure
		return event.Accepted
	}
	if r.Settings.NewSites > 0 {
		r.Unsure = r.Unsure || c.NotRecounted != ""
		a.lose(v, c, r.Position)
		latest := count.LatestCount{}
		if was := a.Hours[struct{}{}]; was != nil {
			latest = *was.End
		}
		before := latest
		latest.Move(count.Floor(max(r.Time, 0), count.HourMs), newSitesJump)
		full := latest.Count >= r.Settings.NewSites
		if !full {
			latest.Count++
		}
		if latest != before { // A site that is turned away moves the hour, too.
			count.Change(&a.Step, a.Hours, struct{}{}).End = &latest
		}
		if full {
			return event.TooManySites
		}
	}
	count.Change(&a.Step, a.Sites, site).End = &admission{r.Position, c.Gaps > 0 && r.Settings.NewSites > 0}
	return event.Accepted
}

// lose replaces what was lost of the count of new sites before a position, as the quarantine did: between two steps.
func (a *admissions) lose(v *Model, c *Chain, position int64) {
	for _, l := range v.LostSpans.List {
		if l.Kind != sinks.EntityNewSites || l.TP != c.TP || l.Lane != c.Lane || position < l.To || slices.Contains(a.losses, l.ID) {
			continue
		}
		a.losses = append(a.losses, l.ID)
		count := a.Hours[struct{}{}]
		if count == nil {
			continue
		}
		if slices.Contains(l.Attrs, sinks.AttrHour) {
			count.End.Start = 0
		}
		if slices.Contains(l.Attrs, sinks.AttrSites) {
			count.End.Count = 0
		}
	}
}
