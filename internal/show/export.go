package show

import (
	"fmt"

	"github.com/footfall/footfall/internal/plural"
	"github.com/footfall/footfall/query"
)

// ExportNotes returns what to know about an export of raw events, a sentence each.
func ExportNotes(x query.EventsExport) []string {
	notes := []string{fmt.Sprintf("Raw events of site %s, %s: %d; read units: %g.", clean(x.Site), spanText(&x.From, &x.To), x.Events,
		x.ReadUnits)}
	notes = append(notes, remarks(x.Site, x.SiteKnown, x.ExpiredOmitted, "")...)
	if x.Missing > 0 {
		notes = append(notes, fmt.Sprintf("Stats count %s more than there are raw events: those that have expired or were erased, "+
			"those of flushes "+
			"without raw events, and those that were sent again much later under the same id.", plural.Count(x.Missing, "event", "events")))
	}
	return notes
}
