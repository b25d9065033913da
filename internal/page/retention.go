package page

import (
	"strconv"

	"github.com/footfall/footfall/internal/page/links"
	"github.com/footfall/footfall/internal/page/locale"
	"github.com/footfall/footfall/query"
)

// Retention is the table of visitors who came back.
type Retention struct {
	Look  links.Look
	Weeks []string // headings of the later weeks
	Rows  []CohortRow
}

// CohortRow are the visitors who were new in a week.
type CohortRow struct {
	Week, New string
	SoFar     bool // the week is not over
	Later     []CohortCell
}

// CohortCell is the share that came back in a later week. Its shade is from 0 to shades, "": it is not known.
type CohortCell struct{ Share, Of, Shade string }

// shades is how many shades cells have beside none. The greatest begins at a share of 50 %.
const shades = 5

// retentionOf begins with the first week that has new visitors. It has no rows if there is none, or the answer is not shown.
func retentionOf(a *query.RetentionAnswer, look links.Look) (r Retention) {
	if a == nil {
		return r
	}
	r.Look = look
	for _, c := range a.Cohorts {
		switch {
		case r.Rows != nil:
		case c.NewVisitors == nil || *c.NewVisitors == 0:
			continue
		default:
			for _, l := range c.Later {
				r.Weeks = append(r.Weeks, "+"+strconv.Itoa(l.Week))
			}
		}
		row := CohortRow{Week: locale.Spell(c.Start, "2 Jan 2006"), New: locale.Unknown, SoFar: c.InProgress}
		if c.NewVisitors != nil {
			row.New = locale.Count(*c.NewVisitors)
		}
		for _, l := range c.Later {
			row.Later = append(row.Later, cohortCell(l.Share, l.Visitors, c.NewVisitors))
		}
		r.Rows = append(r.Rows, row)
	}
	return r
}

func cohortCell(share *float64, visitors, of *int64) CohortCell {
	if share == nil {
		return CohortCell{Share: locale.Unknown}
	}
	shade := min(shades, int(*share*2*shades))
	if *share > 0 && shade == 0 {
		shade = 1
	}
	return CohortCell{locale.Percent(*share), locale.Say("%s of %s", locale.Count(*visitors), locale.Count(*of)), strconv.Itoa(shade)}
}
