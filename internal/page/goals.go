package page

import (
	"github.com/footfall/footfall/internal/page/filtered"
	"github.com/footfall/footfall/internal/page/locale"
	"github.com/footfall/footfall/query"
)

// GoalRow is a goal with its conversions.
type GoalRow struct {
	Name, Conversions, Rate, Value, Since string
	Share                                 string // of the conversions of all goals
	Change, Trend                         string // of the conversions since the earlier range; "": not known
	Refused                               string // why its figures are not known; "": they are
	Filter                                string // address of the page with the goal as a filter; "": there is none

	id string // "": it was deleted
}

// goals are the goals of a site's page, with changes and links.
func (v SiteView) goals() []GoalRow {
	rows := v.goalRows()
	for i, g := range rows {
		if g.id != "" {
			rows[i].Filter = v.At.Adding(query.GoalDimension, g.id)
		}
	}
	return rows
}

func (v SiteView) goalRows() []GoalRow {
	if v.Filtering == nil {
		return goalRows(v.Goals, v.GoalsBefore)
	}
	if v.FilteredGoals == nil {
		return nil
	}
	var before *query.GoalStatsAnswer
	if p := v.Stats.Previous; p != nil && v.FilteredGoalsBefore != nil {
		before = new(filtered.Goals(*v.FilteredGoalsBefore, p.From))
	}
	rows := goalRows(filtered.Goals(*v.FilteredGoals, v.Stats.From), before)
	for i, g := range v.FilteredGoals.Goals {
		if g.Refused != "" {
			name := rows[i].Name
			rows[i] = GoalRow{Name: name, Conversions: locale.Unknown, Rate: locale.Unknown, Value: locale.Unknown, Refused: locale.Text(g.Refused)}
		}
	}
	return rows
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
		row := GoalRow{Name: locale.Text(g.Name), Conversions: locale.Count(g.Conversions), Rate: locale.Unknown,
			Value: locale.Decimal(g.ValueSum)}
		if g.Name == "" {
			row.Name = locale.Text(g.ID)
		}
		if g.ConversionRate != nil {
			row.Rate = locale.Percent(*g.ConversionRate)
		}
		if a.Totals.Conversions > 0 {
			row.Share = locale.Percent(float64(g.Conversions) / float64(a.Totals.Conversions))
		}
		if g.Since != nil && g.Since.After(a.From) {
			row.Since = locale.Say("since %s", locale.Spell(g.Since.In(a.From.Location()), "2 Jan 2006, 15:04"))
		}
		if !g.Deleted {
			row.id = g.ID
		}
		row.Change, row.Trend = goalChange(g, before, earlier[g.Number].Conversions)
		rows = append(rows, row)
	}
	return rows
}

// goalChange spells how the conversions of a goal have changed since there were was in an earlier range; nil: there is none.
func goalChange(g query.GoalFigures, before *query.GoalStatsAnswer, was int64) (spelled, trend string) {
	switch {
	case before == nil || before.Totals == nil || g.Since != nil && g.Since.After(before.From):
		return "", ""
	case was > 0:
		return locale.Change(float64(g.Conversions-was) / float64(was))
	case g.Conversions > 0 && !before.Incomplete:
		return locale.Say("new"), "better"
	}
	return "", ""
}
