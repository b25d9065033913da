package show

import (
	"fmt"
	"strconv"
	"time"
)

// sheets has a row for each cohort. Programs get numbers of visitors and which week of the row is not over, people shares with a mark
// there.
func (a retentionView) sheets() []sheet {
	s := sheet{title: fmt.Sprintf("Retention of site %s by week (%s), %s", a.Site, a.Zone, spanText(&a.From, &a.To)),
		none: "No week with new visitors.", ids: true, columns: []column{{"start", "Week of", false}, {"newVisitors", "New", true}}}
	for n := 1; n < len(a.Cohorts) && n <= len(a.Cohorts[0].Later); n++ {
		s.columns = append(s.columns, column{"week" + strconv.Itoa(n), "+" + strconv.Itoa(n), true})
	}
	s.columns = append(s.columns, column{"weekInProgress", "", true})
	for _, c := range a.Cohorts {
		row := make([]cell, len(s.columns))
		row[0], row[1] = timeCell(&c.Start, time.DateOnly), knownCell(c.NewVisitors)
		if c.InProgress {
			row[0].table, row[len(row)-1].csv, s.legend = row[0].table+"*", "0", notOver
		}
		for i, l := range c.Later {
			row[2+i] = cell{knownCell(l.Visitors).csv, percentCell(l.Share).table}
			if l.InProgress {
				row[len(row)-1].csv = strconv.Itoa(l.Week)
			}
			if l.InProgress && l.Share != nil {
				row[2+i].table += "*"
			}
		}
		s.rows = append(s.rows, row)
	}
	return []sheet{s}
}

const notOver = "* The week is not over: figures so far."

func (a retentionView) notes() (notes []string) {
	switch {
	case !a.Counted && a.SiteKnown:
		notes = append(notes, "The site does not count new visitors: footfall site update --new-visitors on switches that on.")
	case a.Since != nil:
		notes = append(notes, "New visitors are counted since "+a.Since.Format(toMinute)+": weeks that began before are not known.")
	}
	return append(append(notes, covered(a.Coverage)...), remarks(a.Site, a.SiteKnown, 0, "")...)
}
