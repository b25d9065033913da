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
}

// Params are the query parameters of a site's page.
var Params = []string{"from", "to", "period", "tz", "by", "compare", "figure"}

// DefaultFrom is where the range of a page begins that names none: seven days, with today.
const DefaultFrom = "-7d"

// NoComparison is the value of compare that leaves the earlier range out. It is compared by default.
const NoComparison = "off"

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
	return address(a.Base+SitePath(a.Site), values)
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
	return values
}

// Top is the address of the whole list of a dimension in the same range, by a figure.
func (a Address) Top(dimension, sort string) string {
	values := a.ranged()
	values.Set("sort", sort)
	return address(a.Base+TopPath(a.Site, dimension), values)
}

// API is the address of the API's answer to the same question about a part, such as stats or top/page, as CSV.
func (a Address) API(part string, more ...string) string {
	values := a.ranged()
	for i := 0; i < len(more); i += 2 {
		values.Set(more[i], more[i+1])
	}
	values.Set("format", "csv")
	values.Set("limit", strconv.Itoa(query.MaxLimit))
	return address(a.Base+"/api/v1"+SitePath(a.Site)+"/"+part, values)
}

func (a Address) figure() figure { return figureOf(a.Values["figure"]) }

// A Choice is a link that changes what the page shows.
type Choice struct {
	Title, Address string
	Chosen         bool
}

// ranges are the links to other ranges.
func (a Address) ranges() (all []Choice) {
	now := a.ranged()
	now.Del("tz")
	for _, r := range []struct{ title, name, value string }{{"Today", "period", "today"}, {"Yesterday", "period", "yesterday"},
		{"7 days to today", "from", "-7d"}, {"28 days to today", "from", "-28d"}, {"90 days to today", "from", "-90d"},
		{"This month", "period", "month"}, {"Last month", "period", "last-month"}, {"This year", "period", "year"}} {
		rest := []string{"from", "", "to", "", "period", "", "by", "", r.name, r.value}
		all = append(all, Choice{r.title, a.With(rest...), len(now) == 1 && now.Get(r.name) == r.value})
	}
	return all
}

// sizes are the links to other sizes of buckets.
func (a Address) sizes(now string, sizes []string) (all []Choice) {
	for _, by := range sizes {
		all = append(all, Choice{by, a.With("by", by), by == now})
	}
	return all
}

// comparison is the link that adds the earlier range or leaves it out.
func (a Address) comparison() Choice {
	if a.Values["compare"] == NoComparison {
		return Choice{"Compare", a.With("compare", ""), false}
	}
	return Choice{"Compare", a.With("compare", NoComparison), true}
}

// hidden are the values that a form about the range keeps.
func (a Address) hidden() (all []Choice) {
	for _, name := range slices.Sorted(maps.Keys(a.Values)) {
		if slices.Contains([]string{"compare", "figure"}, name) {
			all = append(all, Choice{Title: name, Address: a.Values[name]})
		}
	}
	return all
}
