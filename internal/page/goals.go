package page

import (
	"github.com/footfall/footfall/query"
)

// GoalRow is a goal with its conversions.
type GoalRow struct {
	Name, Conversions, Rate, Value, Since string
	Share                                 string // of the conversions of all goals
	Change, Trend                         string // of the conversions since the earlier range; "": not known
}

// goalRows are the goals of an answer, with changes since an earlier one; nil: there is none.
func goalRows(a query.GoalStatsAnswer, before *query.GoalStatsAnswer) (rows []GoalRow) {
	if a.Totals == nil {
		return nil
	}
	earlier := make(map[uint64]query.GoalFigures)
	if before != nil && before.Totals != nil {
		for _, g := range before.Totals.Goals {
			earlier[g.Number] = g
		}
	}
	for _, g := range a.Totals.Goals {
		if g.Deleted && g.Conversions == 0 {
			continue
		}
		row := GoalRow{Name: text(g.Name), Conversions: count(g.Conversions), Rate: unknown, Value: decimal(g.ValueSum)}
		if g.Name == "" {
			row.Name = text(g.ID)
		}
		if g.ConversionRate != nil {
			row.Rate = percent(*g.ConversionRate)
		}
		if a.Totals.Conversions > 0 {
			row.Share = percent(float64(g.Conversions) / float64(a.Totals.Conversions))
		}
		if g.Since != nil && g.Since.After(a.From) {
			row.Since = "since " + g.Since.In(a.From.Location()).Format("2 Jan 2006, 15:04")
		}
		if was := earlier[g.Number].Conversions; was > 0 && (g.Since == nil || !g.Since.After(before.From)) {
			row.Change, row.Trend = spellShort(float64(g.Conversions-was) / float64(was))
		}
		rows = append(rows, row)
	}
	return rows
}
