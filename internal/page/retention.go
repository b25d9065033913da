package page

import (
	"strconv"
	"time"

	"github.com/footfall/footfall/internal/page/links"
	"github.com/footfall/footfall/internal/page/locale"
	"github.com/footfall/footfall/query/retention"
)

// Retention is the table of visitors who came back.
type Retention struct {
	Look  links.Look
	Weeks []string // headings of the later weeks
	CSV   string   // its address
	Rows  []CohortRow
}

// CohortRow are the visitors who were new in a week.
type CohortRow struct {
	Week, New string
	SoFar     bool // the week is not over
	Later     []CohortCell
}

// CohortCell is the share that came back in a later week. Its shade is from 0 to shades, "": it is not known.
type CohortCell struct {
	Share, Of, Shade string
	SoFar            bool // the later week is not over
}

// shades is how many shades cells have beside none. The greatest begins at a share of 50 %.
const shades = 5

// retentionOf is the table of an answer. It has no rows if no week has new visitors, or the answer is not shown.
func retentionOf(v SiteView) (r Retention) {
	a := v.Retention
	if a == nil || len(a.Cohorts) == 0 {
		return r
	}
	r.Look = v.At.Look
	to := time.Time{}
	if v.Stats.To.Before(v.Read) {
		to = a.To
	}
	r.CSV = links.RetentionCSV(v.At, a.From, to)
	for _, l := range a.Cohorts[0].Later {
		r.Weeks = append(r.Weeks, "+"+strconv.Itoa(l.Week))
	}
	for _, c := range a.Cohorts {
		row := CohortRow{Week: locale.Spell(c.Start, "2 Jan 2006"), New: locale.Unknown, SoFar: c.InProgress}
		if c.NewVisitors != nil {
			row.New = locale.Count(*c.NewVisitors)
		}
		for _, l := range c.Later {
			row.Later = append(row.Later, cohortCell(l, c.NewVisitors))
		}
		r.Rows = append(r.Rows, row)
	}
	return r
}

func cohortCell(l retention.CohortWeek, of *int64) CohortCell {
	if l.Share == nil {
		return CohortCell{Share: locale.Unknown}
	}
	shade := min(shades, int(*l.Share*2*shades))
	if *l.Share > 0 && shade == 0 {
		shade = 1
	}
	return CohortCell{locale.Percent(*l.Share), locale.Say("%s of %s", locale.Count(*l.Visitors), locale.Count(*of)), strconv.Itoa(shade),
		l.InProgress}
}
