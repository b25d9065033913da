package show

import (
	"fmt"
	"slices"

	"github.com/footfall/footfall/query"
)

func (a filteredGoalsView) sheets() []sheet {
	s := sheet{title: fmt.Sprintf("Goals of site %s%s, %s", a.Site, whereText(a.Filter), spanText(&a.From, &a.To)),
		none: "The site has no goals.", columns: append(slices.DeleteFunc(slices.Clone(goalColumns), func(c column) bool {
			return c.name == "deleted"
		}), column{"refused", "", false})}
	if a.Totals == nil {
		s.none = "not read: only the cost was asked for"
		return []sheet{s}
	}
	began := func(g query.FilteredGoal) bool { return g.Since != nil }
	s.columns = shown(s.columns, slices.ContainsFunc(a.Totals.Goals, began), s.columns[6], s.columns[7])
	for _, g := range a.Totals.Goals {
		s.rows = append(s.rows, []cell{textCell(g.ID), intCell(g.Number), textCell(g.Name), knownCell(g.Conversions), optionalCell(g.ValueSum),
			knownCell(a.Totals.Sessions), sinceCell(g.Since), knownCell(g.SessionsSince), knownCell(g.ConversionsSince),
			percentCell(g.ConversionRate), textCell(g.Refused)})
	}
	return []sheet{s}
}

func (a filteredGoalsView) notes() (notes []string) {
	notes = filterNotes(a.Filter, nil)
	if a.Totals != nil {
		for _, g := range a.Totals.Goals {
			if g.Refused != "" {
				notes = append(notes, "Not known: "+g.Refused+".")
			}
		}
	}
	return append(notes, remarks(a.Site, a.SiteKnown, 0, "")...)
}
