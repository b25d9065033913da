package show

import (
	"fmt"

	"github.com/footfall/footfall/query"
)

// notCovered says why a recount does not cover the figures that were asked about.
var notCovered = map[string]string{
	query.NotVerified: "There is no recorded recount of this site: footfall verify --record makes one.",
	query.OtherRange:  "The last recount is of another range: it says nothing of these figures.",
	query.Inconclusive: "The last recount could not compare all of its range: the log no longer had it, another topic wrote to it, or the " +
		"pipeline was behind.",
	query.OlderThanFigures: "Records that came after the last recount may have changed these figures.",
}

func (a verifiedView) notes() []string {
	notes := remarks(a.Site, a.SiteKnown, 0, "")
	if a.Reason != "" {
		notes = append(notes, notCovered[a.Reason])
	}
	return notes
}

func (a verifiedView) sheets() []sheet {
	s := sheet{title: fmt.Sprintf("Last recount of site %s, %s", a.Site, spanText(a.From, &a.To)), none: "None.", columns: []column{
		{"verifiedAt", "Recounted at", false}, {"allSites", "All sites", false}, {"from", "From", false}, {"to", "To", false},
		{"timeZone", "Zone", false}, {"verifiedThrough", "Holds up to", false}, {"covers", "Covers the range", false},
		{"differenceCount", "Differences", true}}}
	if v := a.LastVerified; v != nil {
		s.rows = append(s.rows, []cell{timeCell(&v.VerifiedAt, toMinute), boolCell(v.AllSites), timeCell(v.From, toMinute),
			timeCell(v.To, toMinute),
			textCell(v.Zone), timeCell(v.Through, toMinute), boolCell(a.Covers), intCell(v.DifferenceCount)})
	}
	return []sheet{s}
}
