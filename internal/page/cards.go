package page

import (
	"github.com/footfall/footfall/internal/page/filtered"
	"github.com/footfall/footfall/internal/page/links"
	"github.com/footfall/footfall/internal/page/lists"
	"github.com/footfall/footfall/internal/page/locale"
	"github.com/footfall/footfall/query"
)

// Card is a card of lists.
type Card struct {
	Look        links.Look
	Name, Title string
	Panels      []Panel
	Tabbed      bool // it has several
}

// Panel is a list of a card.
type Panel struct {
	lists.List
	Tab, TabTitle, Address string
	Shown                  bool
	Absent                 string // why the list is not there; "": it is
}

// cards are the cards of a site's page, of the answers to Lists and ListsBefore.
func cards(v SiteView) (all []Card) {
	n := 0
	for _, c := range lists.CardsOf {
		card := Card{Look: v.At.Look, Name: c.Name, Title: locale.Say(c.Title), Tabbed: len(c.Sections) > 1}
		chosen := v.At.Values[c.Name]
		for i, s := range c.Sections {
			if v.Filtering != nil {
				s = filtered.UnderScope(s, v.Filtering.Scope)
			}
			tab := s.Tab
			if i == 0 {
				tab = ""
			}
			var before *query.TopAnswer
			if n < len(v.TopsBefore) {
				before = &v.TopsBefore[n]
			}
			p := Panel{List: lists.New(v.Tops[n], s, before, v.At), Tab: s.Tab, TabTitle: locale.Say(s.Title),
				Shown: chosen == s.Tab || chosen == "" && i == 0}
			p.PlaceNone(v.Tops[n], s, before, v.At)
			if n < len(v.Absent) {
				p.Absent = v.Absent[n]
			}
			if card.Tabbed {
				p.Address = v.At.With(c.Name, tab) + "#" + c.Name
			}
			card.Panels = append(card.Panels, p)
			n++
		}
		all = append(all, card)
	}
	return all
}
