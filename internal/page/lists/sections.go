package lists

import (
	"slices"

	"github.com/footfall/footfall/internal/page/links"
	"github.com/footfall/footfall/query"
)

// A Section is a list of values: a tab of a card.
type Section struct{ Tab, Title, Dimension, Sort, Column string }

// Filter returns the dimension that a click on a row filters by, in a list of a dimension that is sorted by a figure.
func Filter(dimension, sort string) string {
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
	Name, Title string // name: of the parameter that names the tab
	Sections    []Section
}

// CardsOf are the cards in their order. The first tab is shown unless the address names another. All lists are read together.
var CardsOf = []cardOf{
	{"sources", "Sources", []Section{
		{"sources", "Sources", "referrer", "uniqueVisitors", "Visitors"},
		{"channels", "Channels", "channel", "uniqueVisitors", "Visitors"},
		{"campaigns", "Campaigns", "utm_campaign", "uniqueVisitors", "Visitors"}}},
	{"pages", "Pages", []Section{
		{"pages", "Views", "page", "pageViews", "Views"},
		{"entries", "Entries", "page", "entries", "Entries"},
		{"exits", "Exits", "page", "exits", "Exits"}}},
	{"places", "Places", []Section{
		{"countries", "Countries", "country", "uniqueVisitors", "Visitors"},
		{"regions", "Regions", "region", "uniqueVisitors", "Visitors"},
		{"cities", "Cities", "city", "uniqueVisitors", "Visitors"}}},
	{"devices", "Devices", []Section{
		{"devices", "Devices", "device", "uniqueVisitors", "Visitors"},
		{"browsers", "Browsers", "browser", "uniqueVisitors", "Visitors"},
		{"systems", "Systems", "os", "uniqueVisitors", "Visitors"}}},
	{"events", "Events", []Section{{"events", "Events", "event", "events", "Events"}}},
}

// cardNames are the parameters that name the tabs of cards with several.
func cardNames() (names []string) {
	for _, c := range CardsOf {
		if len(c.Sections) > 1 {
			names = append(names, c.Name)
		}
	}
	return names
}

// Params are the query parameters of a site's page: its range, its graph, and the tab of each card.
var Params = slices.Concat([]string{"from", "to", "period", "tz", "by", "compare", "figure", links.LastDayParam, links.ShownParam},
	cardNames(), links.FilterParams)

// Tabs are the values of a parameter that names a tab; nil: it is no such parameter.
func Tabs(parameter string) (tabs []string) {
	for _, c := range CardsOf {
		if c.Name == parameter && len(c.Sections) > 1 {
			for _, s := range c.Sections {
				tabs = append(tabs, s.Tab)
			}
		}
	}
	return tabs
}

// Sections are the lists of all cards in their order.
func Sections() (all []Section) {
	for _, c := range CardsOf {
		all = append(all, c.Sections...)
	}
	return all
}

// SectionRows is how many values a list of a site's page shows.
const SectionRows = 8

// beforeRows is how many values of the earlier range are looked at for those that a list shows. More would cost memory alone.
const beforeRows = 1000

// Lists are the questions of a site's page about its values, for [query.Reader.Tops].
func Lists() []query.TopList { return lists(SectionRows) }

// ListsBefore are the same questions about the range that the page's is compared with.
func ListsBefore() []query.TopList { return lists(beforeRows) }

func lists(rows int) (all []query.TopList) {
	for _, s := range Sections() {
		all = append(all, query.TopList{Dimension: s.Dimension, Sort: s.Sort, Limit: rows})
	}
	return all
}
