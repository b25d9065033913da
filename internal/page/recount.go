package page

import (
	"fmt"
	"strings"
	"time"

	"github.com/footfall/footfall/internal/plural"
	"github.com/footfall/footfall/query"
)

// recountHolds say why a recount does not cover the figures of a page.
var recountHolds = map[string]string{
	query.OtherRange:       " It is of another range than these figures.",
	query.Inconclusive:     " It could not compare all of its range, so it says nothing of these figures.",
	query.OlderThanFigures: " Records that came after it may have changed these figures.",
}

// Trust says how far the figures are complete, how exact they are, and when they were last recounted; "": nothing is to be said.
func (d siteData) Trust() string {
	t := d.Stats.Totals
	if t == nil {
		return ""
	}
	var parts []string
	if through := completeText(d.Stats); through != "" {
		parts = append(parts, "Complete up to records of "+through)
	}
	if t.VisitorsError > 0 {
		parts = append(parts, "visitors ± "+percent(t.VisitorsError))
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
		return "No recount is recorded yet."
	}
	const layout = "2 Jan 2006, 15:04"
	of := "all times"
	switch {
	case v.From != nil && v.To != nil:
		of = v.From.In(zone).Format(layout) + " to " + v.To.In(zone).Format(layout)
	case v.From != nil:
		of = "from " + v.From.In(zone).Format(layout) + " on"
	case v.To != nil:
		of = "before " + v.To.In(zone).Format(layout)
	}
	what := "Recounted"
	if !a.Covers {
		what = "Last recount"
	}
	found := plural.Count(v.DifferenceCount, "difference", "differences")
	if v.AllSites {
		found += " in all sites"
	}
	return fmt.Sprintf("%s at %s, range: %s: %s.%s", what, v.VerifiedAt.In(zone).Format(layout), of, found, recountHolds[a.Reason])
}
