package page

import (
	"strings"
	"time"

	"github.com/footfall/footfall/internal/page/locale"
	"github.com/footfall/footfall/query"
)

// recountHolds say why a recount does not cover the figures of a page.
var recountHolds = map[string]string{
	query.OtherRange:       "It is of another range than these figures.",
	query.Inconclusive:     "It could not compare all of its range, so it says nothing of these figures.",
	query.OlderThanFigures: "Records that came after it may have changed these figures.",
}

// Trust says how far the figures are complete, how exact they are, and when they were last recounted; "": nothing is to be said.
func (d siteData) Trust() string {
	t := d.Stats.Totals
	if t == nil {
		return ""
	}
	var parts []string
	if through := completeText(d.Stats); through != "" {
		parts = append(parts, locale.Say("Complete up to records of %s", through))
	}
	if t.VisitorsError > 0 {
		parts = append(parts, locale.Say("visitors ± %s", locale.Percent(t.VisitorsError)))
	}
	if recount := d.Recount(); recount != "" {
		parts = append(parts, recount)
	}
	return strings.Join(parts, " · ")
}

// Recount says when the figures were last recounted; "": nothing is to be said.
func (d siteData) Recount() string {
	return recountText(d.Verified, d.Stats.From.Location(), d.Bounded)
}

func recountText(a query.VerifiedAnswer, zone *time.Location, bounded bool) string {
	v := a.LastVerified
	switch {
	case v == nil && (bounded || a.Reason == ""):
		return ""
	case v == nil:
		return locale.Say("No recount is recorded yet.")
	}
	const layout = "2 Jan 2006, 15:04"
	of := locale.Say("all times")
	switch {
	case v.From != nil && v.To != nil:
		of = locale.Say("%s to %s", locale.Spell(v.From.In(zone), layout), locale.Spell(v.To.In(zone), layout))
	case v.From != nil:
		of = locale.Say("from %s on", locale.Spell(v.From.In(zone), layout))
	case v.To != nil:
		of = locale.Say("before %s", locale.Spell(v.To.In(zone), layout))
	}
	found := locale.Say("%s {difference|differences}", locale.Count(v.DifferenceCount))
	if v.AllSites {
		found = locale.Say("%s {difference|differences} in all sites", locale.Count(v.DifferenceCount))
	}
	at := locale.Spell(v.VerifiedAt.In(zone), layout)
	text := locale.Say("Recounted at %s, range: %s: %s.", at, of, found)
	if !a.Covers {
		text = locale.Say("Last recount at %s, range: %s: %s.", at, of, found)
	}
	if holds := recountHolds[a.Reason]; holds != "" {
		text += " " + locale.Say(holds)
	}
	return text
}
