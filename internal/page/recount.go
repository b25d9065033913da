package page

import (
	"strings"
	"time"

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
		parts = append(parts, say("Complete up to records of %s", through))
	}
	if t.VisitorsError > 0 {
		parts = append(parts, say("visitors ± %s", percent(t.VisitorsError)))
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
		return say("No recount is recorded yet.")
	}
	const layout = "2 Jan 2006, 15:04"
	of := say("all times")
	switch {
	case v.From != nil && v.To != nil:
		of = say("%s to %s", spell(v.From.In(zone), layout), spell(v.To.In(zone), layout))
	case v.From != nil:
		of = say("from %s on", spell(v.From.In(zone), layout))
	case v.To != nil:
		of = say("before %s", spell(v.To.In(zone), layout))
	}
	n := v.DifferenceCount
	found := sayCount(n, "%s difference", "%s differences", count(n))
	if v.AllSites {
		found = sayCount(n, "%s difference in all sites", "%s differences in all sites", count(n))
	}
	at := spell(v.VerifiedAt.In(zone), layout)
	text := say("Recounted at %s, range: %s: %s.", at, of, found)
	if !a.Covers {
		text = say("Last recount at %s, range: %s: %s.", at, of, found)
	}
	if holds := recountHolds[a.Reason]; holds != "" {
		text += " " + say(holds)
	}
	return text
}
