package page

import "github.com/footfall/footfall/query"

// A section is a list of values: a tab of a card.
type section struct{ tab, title, dimension, sort, column string }

// filter returns the dimension that a click on a row filters by, in a list of a dimension that is sorted by a figure.
func filter(dimension, sort string) string {
	switch sort {
	case "entries":
		return query.EntryDimension
	case "exits":
		return query.ExitDimension
	}
	return dimension
}

// A cardOf is a card of lists, one of which is shown at a time.
type cardOf struct {
	name, title string // name: of the parameter that names the tab
	sections    []section
}

// cardsOf are the cards in their order. The first tab is shown unless the address names another. All lists are read together.
var cardsOf = []cardOf{
	{"sources", "Sources", []section{
		{"sources", "Sources", "referrer", "uniqueVisitors", "Visitors"},
		{"channels", "Channels", "channel", "uniqueVisitors", "Visitors"},
		{"campaigns", "Campaigns", "utm_campaign", "uniqueVisitors", "Visitors"}}},
	{"pages", "Pages", []section{
		{"pages", "Views", "page", "pageViews", "Views"},
		{"entries", "Entries", "page", "entries", "Entries"},
		{"exits", "Exits", "page", "exits", "Exits"}}},
	{"places", "Places", []section{
		{"countries", "Countries", "country", "uniqueVisitors", "Visitors"},
		{"regions", "Regions", "region", "uniqueVisitors", "Visitors"},
		{"cities", "Cities", "city", "uniqueVisitors", "Visitors"}}},
	{"devices", "Devices", []section{
		{"devices", "Devices", "device", "uniqueVisitors", "Visitors"},
		{"browsers", "Browsers", "browser", "uniqueVisitors", "Visitors"},
		{"systems", "Systems", "os", "uniqueVisitors", "Visitors"}}},
	{"events", "Events", []section{{"events", "Events", "event", "events", "Events"}}},
}

// cardNames are the parameters that name the tabs of cards with several.
func cardNames() (names []string) {
	for _, c := range cardsOf {
		if len(c.sections) > 1 {
			names = append(names, c.name)
		}
	}
	return names
}

// Tabs are the values of a parameter that names a tab; nil: it is no such parameter.
func Tabs(parameter string) (tabs []string) {
	for _, c := range cardsOf {
		if c.name == parameter && len(c.sections) > 1 {
			for _, s := range c.sections {
				tabs = append(tabs, s.tab)
			}
		}
	}
	return tabs
}

// sections are the lists of all cards in their order.
func sections() (all []section) {
	for _, c := range cardsOf {
		all = append(all, c.sections...)
	}
	return all
}

// sectionRows is how many values a list of a site's page shows.
const sectionRows = 8

// beforeRows is how many values of the earlier range are looked at for those that a list shows. More would cost memory alone.
const beforeRows = 1000

// Lists are the questions of a site's page about its values, for [query.Reader.Tops].
func Lists() []query.TopList { return lists(sectionRows) }

// ListsBefore are the same questions about the range that the page's is compared with.
func ListsBefore() []query.TopList { return lists(beforeRows) }

func lists(rows int) (all []query.TopList) {
	for _, s := range sections() {
		all = append(all, query.TopList{Dimension: s.dimension, Sort: s.sort, Limit: rows})
	}
	return all
}

// Card is a card of lists.
type Card struct {
	Look        Look
	Name, Title string
	Panels      []Panel
	Tabbed      bool // it has several
}

// Panel is a list of a card.
type Panel struct {
	List
	Tab, TabTitle, Address string
	Shown                  bool
	Absent                 string // why the list is not there; "": it is
}

// cards are the cards of a site's page, of the answers to Lists and ListsBefore.
func cards(v SiteView) (all []Card) {
	n := 0
	for _, c := range cardsOf {
		card := Card{Look: v.At.Look, Name: c.name, Title: say(c.title), Tabbed: len(c.sections) > 1}
		chosen := v.At.Values[c.name]
		for i, s := range c.sections {
			if v.Filtering != nil {
				s = s.under(v.Filtering.Scope)
			}
			tab := s.tab
			if i == 0 {
				tab = ""
			}
			var before *query.TopAnswer
			if n < len(v.TopsBefore) {
				before = &v.TopsBefore[n]
			}
			p := Panel{List: listOf(v.Tops[n], s, before, v.At), Tab: s.tab, TabTitle: say(s.title),
				Shown: chosen == s.tab || chosen == "" && i == 0}
			p.placeNone(v.Tops[n], s, before, v.At)
			if n < len(v.Absent) {
				p.Absent = v.Absent[n]
			}
			if card.Tabbed {
				p.Address = v.At.With(c.name, tab) + "#" + c.name
			}
			card.Panels = append(card.Panels, p)
			n++
		}
		all = append(all, card)
	}
	return all
}
