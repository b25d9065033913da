package show

import (
	"fmt"

	"github.com/footfall/footfall/query/paths"
)

func (a pathsView) sheets() []sheet {
	s := sheet{title: fmt.Sprintf("%s of site %s%s, %s", a.title(), a.Site, whereText(a.Filter), spanText(&a.From, &a.To)), none: "None.",
		barOf: "sessions", columns: []column{{"step", "Step", true}, {"kind", "", false}, {"page", "Page", false}, {"exitPage", "", false},
			{"sessions", "Sessions", true}, {"share", "Share", true}}}
	if a.Direction == "" {
		s.columns[0].title, s.columns[2].title, s.columns[3].title = "", "Entry page", "Exit page"
	}
	if a.unread() {
		s.none = "not read: only the cost was asked for"
	}
	for _, r := range a.Rows {
		page := textCell(r.Page)
		switch {
		case r.Kind == paths.Others:
			page.table = othersRow
		case r.Kind == paths.DropOff && a.Direction == paths.Before:
			page.table = "(began here)"
		case r.Kind == paths.DropOff:
			page.table = "(left)"
		}
		s.rows = append(s.rows, []cell{intCell(r.Step), textCell(string(r.Kind)), page, textCell(r.ExitPage), intCell(r.Sessions),
			percentCell(r.Share)})
	}
	return []sheet{s}
}

// title says what the rows are.
func (a pathsView) title() string {
	of := a.Page
	if a.Goal != "" {
		of = "goal " + a.Goal
	}
	switch a.Direction {
	case paths.After:
		return "Pages after " + clean(of)
	case paths.Before:
		return "Pages before " + clean(of)
	}
	return "Entry and exit pages"
}

// unread reports that only the cost was asked for.
func (a pathsView) unread() bool {
	c := a.Filter.Cost
	return c != nil && c.EventsRead == 0 && c.EventsEstimated > 0
}

func (a pathsView) notes() (notes []string) {
	if !a.unread() {
		notes = append(notes, fmt.Sprintf("Sessions: %d. They start in the range; reloads of a page are left out.", a.Sessions))
	}
	return append(append(notes, filterNotes(a.Filter, nil)...), remarks(a.Site, a.SiteKnown, 0, "")...)
}
