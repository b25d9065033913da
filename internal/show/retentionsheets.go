package show

import (
	"fmt"
	"strconv"
	"time"
)

// sheets has a row for each cohort. Programs get numbers of visitors, people shares.
func (a retentionView) sheets() []sheet {
	s := sheet{title: fmt.Sprintf("Retention of site %s by week (%s), %s", a.Site, a.Zone, spanText(&a.From, &a.To)), none: "No whole week.",
		ids: true, columns: []column{{"start", "Week of", false}, {"newVisitors", "New", true}}}
	for n := 1; n < len(a.Cohorts) && n <= len(a.Cohorts[0].Later); n++ {
		s.columns = append(s.columns, column{"week" + strconv.Itoa(n), "+" + strconv.Itoa(n), true})
	}
	for _, c := range a.Cohorts {
		row := make([]cell, len(s.columns))
		row[0], row[1] = timeCell(&c.Start, time.DateOnly), knownCell(c.NewVisitors)
		for i, l := range c.Later {
			row[2+i] = cell{knownCell(l.Visitors).csv, percentCell(l.Share).table}
		}
		s.rows = append(s.rows, row)
	}
	return []sheet{s}
}

func (a retentionView) notes() (notes []string) {
	switch {
	case !a.Counted && a.SiteKnown:
		notes = append(notes, "The site does not count new visitors: footfall site update --new-visitors on switches that on.")
	case a.Since != nil:
		notes = append(notes, "New visitors are counted since "+a.Since.Format(toMinute)+": weeks that began before are not known.")
	}
	if n := len(a.Cohorts); n > 0 && a.Cohorts[n-1].InProgress {
		notes = append(notes, "The last week is not over: its figures are those so far.")
	}
	return append(append(notes, covered(a.Coverage)...), remarks(a.Site, a.SiteKnown, 0, "")...)
}
