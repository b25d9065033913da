package page

import (
	"maps"
	"net/url"
	"slices"
	"strconv"

	"github.com/footfall/footfall/query"
)

// Address is what a page shows, as its query string says it: a page that is reloaded, shared or gone back to shows the same.
type Address struct {
	Look
	Site   string
	Values map[string]string // from, to, period, tz, by, compare and figure, as far as they are given
	Where  []query.Condition // the filters
	Locked []query.Condition // those of Where that belong to the credential: addresses have no place for them
	Goals  map[string]string // names of the goals that filters are by, by id
	Funnel string            // the page is that of this funnel; "": of the site
	lacks  []string          // figures that are not known under the filters

	ofSessions bool // the page is one of sessions, with a range of its own
}

// Params are the query parameters of a site's page: its range, its graph, and the tab of each card.
var Params = slices.Concat([]string{"from", "to", "period", "tz", "by", "compare", "figure", LastDayParam, ShownParam},
	cardNames(), filterParams)

// LastDayParam is the last day of a range, as a form sends it. It leads to the address that has the day after it as its end.
const LastDayParam = "until"

// ShownParam has the range that is shown, as a query string. A form sends it beside another range: if that is wrong, this one is shown
// again.
const ShownParam = "shown"

// DefaultFrom is where the range of a page begins that names none: seven days, with today.
const DefaultFrom = "-7d"

// Values of compare beside those that the API has. Without one, a range is compared with the one before it.
const (
	NoComparison   = "off"  // with nothing
	YearComparison = "year" // with the same dates of the year before
)

// With returns the address of the page with other values, by name; a value "" leaves the parameter out.
func (a Address) With(namesAndValues ...string) string {
	values := url.Values{}
	for name, value := range a.Values {
		values.Set(name, value)
	}
	for i := 0; i < len(namesAndValues); i += 2 {
		if values.Del(namesAndValues[i]); namesAndValues[i+1] != "" {
			values.Set(namesAndValues[i], namesAndValues[i+1])
		}
	}
	return address(a.path(), a.filtered(values))
}

// path is the path of the page.
func (a Address) path() string {
	if a.Funnel != "" {
		return a.Base + FunnelPath(a.Site, a.Funnel)
	}
	return a.Base + SitePath(a.Site)
}

func address(path string, values url.Values) string {
	if len(values) == 0 {
		return path
	}
	return path + "?" + values.Encode()
}

// SitePath is the path of a site's page.
func SitePath(site string) string { return "/sites/" + url.PathEscape(Spelled(site)) }

// TopPath is the path of the whole list of a dimension.
func TopPath(site, dimension string) string {
	return SitePath(site) + "/top/" + url.PathEscape(dimension)
}

// SessionsPath is the path of the list of a site's sessions.
func SessionsPath(site string) string { return SitePath(site) + "/sessions" }

// SessionPath is the path of a session.
func SessionPath(site, session string) string {
	return SessionsPath(site) + "/" + url.PathEscape(Spelled(session))
}

// ranged are the values of the address that name its range.
func (a Address) ranged() url.Values {
	values := url.Values{}
	for _, name := range []string{"from", "to", "period", "tz"} {
		if a.Values[name] != "" {
			values.Set(name, a.Values[name])
		}
	}
	if values.Get("from")+values.Get("to")+values.Get("period") == "" {
		values.Set("from", DefaultFrom)
	}
	return a.filtered(values)
}

// compared are the values of the address that name its range and what it is compared with.
func (a Address) compared() url.Values {
	values := a.ranged()
	for _, name := range []string{"compare", MaxEventsParam} {
		if a.Values[name] != "" {
			values.Set(name, a.Values[name])
		}
	}
	return values
}

// Back is the address of the site's page about the same range.
func (a Address) Back() string { return address(a.Base+SitePath(a.Site), a.compared()) }

// Top is the address of the whole list of a dimension in the same range, by a figure.
func (a Address) Top(dimension, sort string) string {
	values := a.compared()
	values.Set("sort", sort)
	return address(a.Base+TopPath(a.Site, dimension), values)
}

// Sessions is the address of the list of sessions; times are in the same zone.
func (a Address) Sessions() string {
	values := a.zoned()
	if query.ScopeOf(a.Where) == query.ScopeSessions {
		values = a.filtered(values)
	}
	return address(a.Base+SessionsPath(a.Site), a.withBack(values))
}

// Session is the address of a session; times are in the same zone.
func (a Address) Session(id string) string {
	return address(a.Base+SessionPath(a.Site, id), a.withBack(a.zoned()))
}

// FunnelPath is the path of a funnel.
func FunnelPath(site, funnel string) string {
	return SitePath(site) + "/funnels/" + url.PathEscape(Spelled(funnel))
}

// AtFunnel is the address of a funnel in the same range.
func (a Address) AtFunnel(id string) string {
	return address(a.Base+FunnelPath(a.Site, id), a.ranged())
}

func (a Address) zoned() url.Values {
	values := url.Values{}
	if a.Values["tz"] != "" {
		values.Set("tz", a.Values["tz"])
	}
	return values
}

// API is the address of the API's answer to the same question about a part, such as stats or top/page, as CSV.
func (a Address) API(part string, more ...string) string {
	values := a.ranged()
	if max := a.Values[MaxEventsParam]; max != "" && len(a.Where) > 0 {
		values.Set(MaxEventsParam, max)
	}
	for i := 0; i < len(more); i += 2 {
		values.Set(more[i], more[i+1])
	}
	values.Set("format", "csv")
	values.Set("limit", strconv.Itoa(query.MaxLimit))
	return address(a.Base+"/api/v1"+SitePath(a.Site)+"/"+part, values)
}

// Realtime is the address of the API's answer about what is happening now.
func (a Address) Realtime() string { return a.Base + "/api/v1" + SitePath(a.Site) + "/realtime" }

func (a Address) figure() figure {
	if slices.Contains(a.lacks, a.Values["figure"]) {
		return tiled[0]
	}
	return figureOf(a.Values["figure"])
}

// A Choice is a link that changes what the page shows.
type Choice struct {
	Title, Address string
	Chosen         bool
	Key            string // that chooses it; "": none
	Hint           string // what it does; "": the title says it
}

// ranges are the links to other ranges.
func (a Address) ranges() (all []Choice) {
	now := a.ranged()
	now.Del("tz")
	now.Del(WhereParam)
	for _, r := range []struct{ title, name, value, key string }{{say("Today"), "period", "today", "t"},
		{say("Yesterday"), "period", "yesterday", "y"}, {say("7 days to today"), "from", "-7d", "w"},
		{say("28 days to today"), "from", "-28d", "m"}, {say("90 days to today"), "from", "-90d", "q"},
		{say("This month"), "period", "month", "h"}, {say("Last month"), "period", "last-month", "b"},
		{say("This year"), "period", "year", "a"}} {
		rest := []string{"from", "", "to", "", "period", "", "by", "", r.name, r.value}
		all = append(all, Choice{Title: r.title, Address: a.With(rest...), Chosen: len(now) == 1 && now.Get(r.name) == r.value, Key: r.key})
	}
	return all
}

// sizes are the links to other sizes of buckets.
func (a Address) sizes(now string, sizes []string) (all []Choice) {
	for _, by := range sizes {
		all = append(all, Choice{Title: say(by), Address: a.With("by", by), Chosen: by == now})
	}
	return all
}

// comparisons are the links to what the range can be compared with.
func (a Address) comparisons() (all []Choice) {
	for _, c := range []struct{ title, hint, value, key string }{{say("range before"), say("Compare with the range before"), "", "p"},
		{say("year before"), say("Compare with the year before"), YearComparison, "l"},
		{say("nothing"), say("Compare with nothing"), NoComparison, "n"}} {
		all = append(all, Choice{c.title, a.With("compare", c.value), a.Values["compare"] == c.value, c.key, c.hint})
	}
	return all
}

// comparedWith is the range that is compared with, as the form has it; "": it is none of its own.
func (a Address) comparedWith() string {
	value := a.Values["compare"]
	if slices.Contains([]string{NoComparison, YearComparison, query.AgainstPrevious}, value) {
		return ""
	}
	return value
}

// kept are the values that a form keeps but those of its own fields.
func (a Address) kept(fields ...string) (all []Choice) {
	for _, name := range slices.Sorted(maps.Keys(a.Values)) {
		if !slices.Contains(fields, name) && !slices.Contains(filterParams, name) && name != "cursor" {
			all = append(all, Choice{Title: name, Address: a.Values[name]})
		}
	}
	if where := a.where(); len(where) > 0 {
		all = append(all, Choice{Title: KeptParam, Address: url.Values{WhereParam: where}.Encode()})
	}
	return all
}
