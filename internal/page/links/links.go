package links

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/footfall/footfall/internal/page/locale"
	"github.com/footfall/footfall/query"
)

// Address is what a page shows, as its query string says it: a page that is reloaded, shared or gone back to shows the same.
type Address struct {
	Look
	Site   string
	Values map[string]string // from, to, period, tz, by, compare and figure, as far as they are given
	Where  []query.Condition // the filters
	Locked []query.Condition // the credential's, which Where has, too: addresses have no place for them
	// Segment is the segment that the page is in; "": none. Segmented are its filters, which Where has, too: addresses have its name.
	Segment       string
	Segmented     []query.Condition
	BackSegmented []query.Condition // the filters of BackSegment
	Goals         map[string]string // names of the goals that filters are by, by id
	Funnel        string            // the page is about this funnel; "": about the site
	Lacks         []string          // figures that are not known under the filters
	List          string            // the page is the whole list of this dimension; "": about the site

	OfPaths bool     // the page is about paths
	Through []string // the pages that its steps go through

	OfSessions bool // the page is one of sessions, with a range of its own
}

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
	if len(a.Through) > 0 {
		values[ThroughParam] = a.Through
	}
	return To(a.path(), a.Filtered(values))
}

// path is the path of the page.
func (a Address) path() string {
	if a.Funnel != "" {
		return a.Base + FunnelPath(a.Site, a.Funnel)
	}
	if a.List != "" {
		return a.Base + TopPath(a.Site, a.List)
	}
	if a.OfPaths {
		return a.Base + PathsPath(a.Site)
	}
	return a.Base + SitePath(a.Site)
}

// To is the address of a path with values; without values, it is the path.
func To(path string, values url.Values) string {
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

// Ranged are the values of the address that name its range.
func (a Address) Ranged() url.Values {
	values := url.Values{}
	for _, name := range []string{"from", "to", "period", "tz"} {
		if a.Values[name] != "" {
			values.Set(name, a.Values[name])
		}
	}
	if values.Get("from")+values.Get("to")+values.Get("period") == "" {
		values.Set("from", DefaultFrom)
	}
	return a.Filtered(values)
}

// Compared are the values of the address that name its range and what it is compared with.
func (a Address) Compared() url.Values {
	values := a.Ranged()
	for _, name := range []string{"compare", MaxEventsParam} {
		if a.Values[name] != "" {
			values.Set(name, a.Values[name])
		}
	}
	return values
}

// Back is the address of the site's page about the same range.
func (a Address) Back() string { return To(a.Base+SitePath(a.Site), a.Compared()) }

// Top is the address of the whole list of a dimension in the same range, by a figure.
func (a Address) Top(dimension, sort string) string {
	values := a.Compared()
	values.Set("sort", sort)
	return To(a.Base+TopPath(a.Site, dimension), values)
}

// Sessions is the address of the list of sessions; times are in the same zone.
func (a Address) Sessions() string {
	values := a.Zoned()
	if query.ScopeOf(a.Where) == query.ScopeSessions {
		values = a.Filtered(values)
	}
	return To(a.Base+SessionsPath(a.Site), a.WithBack(values))
}

// Session is the address of a session; times are in the same zone.
func (a Address) Session(id string) string {
	return To(a.Base+SessionPath(a.Site, id), a.WithBack(a.Zoned()))
}

// FunnelPath is the path of a funnel.
func FunnelPath(site, funnel string) string {
	return SitePath(site) + "/funnels/" + url.PathEscape(Spelled(funnel))
}

// AtFunnel is the address of a funnel in the same range.
func (a Address) AtFunnel(id string) string {
	return To(a.Base+FunnelPath(a.Site, id), a.Ranged())
}

// Zoned are the values of the address that name its zone.
func (a Address) Zoned() url.Values {
	values := url.Values{}
	if a.Values["tz"] != "" {
		values.Set("tz", a.Values["tz"])
	}
	return values
}

// API is the address of the API's answer to the same question about a part, such as stats or top/page, as CSV.
func (a Address) API(part string, more ...string) string {
	values := a.Ranged()
	if max := a.Values[MaxEventsParam]; max != "" && len(a.Where) > 0 {
		values.Set(MaxEventsParam, max)
	}
	for i := 0; i < len(more); i += 2 {
		values.Set(more[i], more[i+1])
	}
	values.Set("format", "csv")
	values.Set("limit", strconv.Itoa(query.MaxLimit))
	return To(a.Base+"/api/v1"+SitePath(a.Site)+"/"+part, values)
}

// RetentionCSV is the address of the retention in a range as CSV; zero: it ends now.
func RetentionCSV(a Address, from, to time.Time) string {
	values := url.Values{"from": {from.Format(time.RFC3339)}, "format": {"csv"}}
	if !to.IsZero() {
		values.Set("to", to.Format(time.RFC3339))
	}
	return To(a.Base+"/api/v1"+SitePath(a.Site)+"/retention", values)
}

// Realtime is the address of the API's answer about what is happening now.
func (a Address) Realtime() string { return a.Base + "/api/v1" + SitePath(a.Site) + "/realtime" }

// Stream is the address of the stream of these answers.
func Stream(a Address) string { return a.Realtime() + "/stream" }

// A Choice is a link that changes what the page shows.
type Choice struct {
	Title, Address string
	Chosen         bool
	Key            string // that chooses it; "": none
	Hint           string // what it does; "": the title says it
}

// Ranges are the links to other ranges.
func (a Address) Ranges() (all []Choice) {
	now := a.Ranged()
	now.Del("tz")
	now.Del(WhereParam)
	now.Del(SegmentParam)
	for _, r := range []struct{ title, name, value, key string }{{locale.Say("Today"), "period", "today", "t"},
		{locale.Say("Yesterday"), "period", "yesterday", "y"}, {locale.Say("7 days to today"), "from", "-7d", "w"},
		{locale.Say("28 days to today"), "from", "-28d", "m"}, {locale.Say("90 days to today"), "from", "-90d", "q"},
		{locale.Say("This week"), "period", "week", "k"}, {locale.Say("Last week"), "period", "last-week", "j"},
		{locale.Say("This month"), "period", "month", "h"}, {locale.Say("Last month"), "period", "last-month", "b"},
		{locale.Say("This year"), "period", "year", "a"}} {
		rest := []string{"from", "", "to", "", "period", "", "by", "", r.name, r.value}
		all = append(all, Choice{Title: r.title, Address: a.With(rest...), Chosen: len(now) == 1 && now.Get(r.name) == r.value, Key: r.key})
	}
	return all
}

// Sizes are the links to other sizes of buckets.
func (a Address) Sizes(now string, sizes []string) (all []Choice) {
	for _, by := range sizes {
		all = append(all, Choice{Title: locale.Say(by), Address: a.With("by", by), Chosen: by == now})
	}
	return all
}

// Comparisons are the links to what the range can be compared with.
func (a Address) Comparisons() (all []Choice) {
	for _, c := range []struct{ title, hint, value, key string }{
		{locale.Say("range before"), locale.Say("Compare with the range before"), "", "p"},
		{locale.Say("year before"), locale.Say("Compare with the year before"), YearComparison, "l"},
		{locale.Say("nothing"), locale.Say("Compare with nothing"), NoComparison, "n"}} {
		all = append(all, Choice{c.title, a.With("compare", c.value), a.Values["compare"] == c.value, c.key, c.hint})
	}
	return all
}

// ComparedWith is the range that is compared with, as the form has it; "": it is none of its own.
func (a Address) ComparedWith() string {
	value := a.Values["compare"]
	if slices.Contains([]string{NoComparison, YearComparison, query.AgainstPrevious}, value) {
		return ""
	}
	return value
}

// Kept are the values that a form keeps but those of its own fields.
func (a Address) Kept(fields ...string) (all []Choice) {
	for _, name := range slices.Sorted(maps.Keys(a.Values)) {
		if !slices.Contains(fields, name) && !slices.Contains(FilterParams, name) && name != "cursor" {
			all = append(all, Choice{Title: name, Address: a.Values[name]})
		}
	}
	if a.Segment != "" {
		all = append(all, Choice{Title: SegmentParam, Address: a.Segment})
	}
	for _, page := range a.Through {
		all = append(all, Choice{Title: ThroughParam, Address: page})
	}
	if where := a.where(); len(where) > 0 {
		all = append(all, Choice{Title: KeptParam, Address: url.Values{WhereParam: where}.Encode()})
	}
	return all
}

// Shown is the range of the address, as ShownParam has it.
func (a Address) Shown() string {
	values := url.Values{}
	for _, name := range slices.Sorted(maps.Keys(a.Values)) {
		if slices.Contains([]string{"from", "to", "period", "tz", "by"}, name) && a.Values[name] != "" {
			values.Set(name, a.Values[name])
		}
	}
	return values.Encode()
}

// NowPath is the path of the list of pages that are viewed now.
func NowPath(site string) string { return SitePath(site) + "/now" }

// OfSite is the address of the site's page.
func (a Address) OfSite() Address {
	a.Funnel, a.OfPaths, a.Through = "", false, nil
	return a
}

// Now is the address of the list of pages that are viewed now.
func (a Address) Now() string { return To(a.Base+NowPath(a.Site), a.Compared()) }
