package page

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/query"
)

// Parameters of filters in the addresses of pages.
const (
	WhereParam     = "where"     // a filter, as the API has it; may be repeated
	MaxEventsParam = "maxEvents" // max. packed raw events read for the page
	// KeptParam has all filters as a query string. Forms send it, because no form field keeps every byte of a value.
	KeptParam = "filters"
	// The form of a new filter sends its parts.
	DimensionParam, OpParam, ValueParam = "filter", "op", "value"
)

// filterParams are the parameters of the filters of a page.
var filterParams = []string{WhereParam, MaxEventsParam, KeptParam, DimensionParam, OpParam, ValueParam}

// FilterEvents is how many packed raw events a page reads for its filters. MostFilterEvents is how many it reads if it is asked to.
const FilterEvents, MostFilterEvents = 200_000, 2_000_000

// Filtering says how the filters of a page were answered.
type Filtering struct {
	Scope   query.Scope
	Source  query.FilterSource // of the figures; "": there are none
	Cost    *query.FilterCost  // of raw events; nil: none were read, or it is not to be shown
	Missing int64              // raw events that figures lack
	Lacking uint64             // events that the figures may lack at most
	// Why raw events could not be read; "": they were. TooMany says that they can be if the page is asked to.
	Why     string
	TooMany bool
	Since   time.Time         // from when on the filters can be answered; zero: nothing has expired, or it is not known
	Alone   []query.Condition // of several filters, those that breakdowns can answer alone
	// The range of the page, in the zone of its days. To is zero if it is not over.
	From, To time.Time
	// NotCompared is why the earlier range was not read; "": it was, or was not asked for. Dear says that it can be if the page is asked to.
	NotCompared string
	Dear        bool
	Compared    bool // the cost is that of both ranges
}

// where are the filters of an address, as its parameters have them.
func (a Address) where() (texts []string) {
	for _, c := range a.Where {
		if !slices.Contains(a.Locked, c) {
			texts = append(texts, c.String())
		}
	}
	return texts
}

// filtered adds the filters to the values of an address.
func (a Address) filtered(values url.Values) url.Values {
	if where := a.where(); len(where) > 0 {
		values[WhereParam] = where
	}
	return values
}

// Under returns the address with other filters, and those that are locked. They may cost more or less to answer.
func (a Address) Under(where []query.Condition) Address {
	values := make(map[string]string, len(a.Values))
	for name, value := range a.Values {
		if !slices.Contains(filterParams, name) && name != "cursor" {
			values[name] = value
		}
	}
	own := slices.DeleteFunc(slices.Clone(where), func(c query.Condition) bool { return slices.Contains(a.Locked, c) })
	a.Where, a.Values = slices.Concat(a.Locked, own), values
	return a
}

// adding is the address of the site's page with one more filter, by a value or by that there is none; "": it has that filter, or as many as
// it can have.
func (a Address) adding(dimension, value string) string {
	c := query.Condition{Dimension: dimension, Op: query.Is, Value: value}
	if len(a.Where) >= query.MaxConditions || slices.Contains(a.Where, c) {
		return ""
	}
	return a.Under(append(slices.Clone(a.Where), c)).With("sort", "", "search", "")
}

// Filter is a filter in the bar.
type Filter struct {
	Dimension, Op, Value string
	Remove               string // the address without it; of those that can be had alone: with it alone
}

// Says is the filter in words.
func (f Filter) Says() string { return f.Dimension + " " + f.Op + " " + f.Value }

var operators = []struct {
	op    query.Op
	words string
}{{query.Is, "is"}, {query.IsNot, "is not"}, {query.Contains, "contains"}, {query.Begins, "begins with"}}

// Operators are the values of OpParam.
func Operators() (all []string) {
	for _, o := range operators {
		all = append(all, string(o.op))
	}
	return all
}

func (a Address) filterOf(c query.Condition) Filter {
	f := Filter{Dimension: dimensionTitle(c.Dimension), Value: text(c.Value)}
	if c.Value == "" {
		f.Value = noneText(c.Dimension)
	}
	if c.Dimension == "country" && c.Value != "" && (c.Op == query.Is || c.Op == query.IsNot) {
		f.Value = countryText(c.Value)
	}
	if name := a.Goals[c.Value]; c.Dimension == query.GoalDimension && name != "" {
		f.Value = text(name)
	}
	for _, o := range operators {
		if o.op == c.Op {
			f.Op = say(o.words)
		}
	}
	return f
}

// saysAll are the filters in words.
func (a Address) saysAll() (all []string) {
	for _, c := range a.Where {
		all = append(all, a.filterOf(c).Says())
	}
	return all
}

// A titled is a dimension of filters with its title.
type titled struct{ dimension, title string }

// dimensionTitles are the dimensions of filters, in the order in which the form offers them: last those without a place of their own.
var dimensionTitles = func() []titled {
	all := placed
	for _, d := range figures.Dimensions {
		if !slices.ContainsFunc(all, func(one titled) bool { return one.dimension == d.Name }) {
			all = append(all, titled{d.Name, d.Title})
		}
	}
	return all
}()

var placed = []titled{{"page", "Page"}, {query.EntryDimension, "Entry page"},
	{query.ExitDimension, "Exit page"}, {query.GoalDimension, "Goal"}, {"referrer", "Source"}, {"channel", "Channel"},
	{"utm_campaign", "Campaign"}, {"utm_source", "UTM source"}, {"utm_medium", "UTM medium"}, {"utm_content", "UTM content"},
	{"utm_term", "UTM term"}, {"country", "Country"}, {"region", "Region"}, {"city", "City"}, {"device", "Device"}, {"browser", "Browser"},
	{"os", "System"}, {"hostname", "Hostname"}, {"event", "Event"}, {query.TypeDimension, "Type"}}

func dimensionTitle(dimension string) string {
	for _, d := range dimensionTitles {
		if d.dimension == dimension {
			return say(d.title)
		}
	}
	return text(strings.TrimPrefix(dimension, query.PropertyPrefix))
}

// Bar is what a page shows of its filters.
type Bar struct {
	Look       Look
	Filters    []Filter
	Locked     []Filter // that nobody can remove
	RemoveAll  string
	Scope      string
	Said       []string // of the cost, and what the figures lack
	Apart      string   // why nothing is compared; "": that is not to be said
	Compare    string   // the address that has it compared; "": there is none
	Refused    string   // why raw events were not read; "": they were, or need not be
	Read       string   // the address that has them read; "": there is none
	Later      *Choice  // the part of the range that can be had; nil: it is not known
	Alone      []Filter
	Dimensions []Choice // that the form offers
	Operators  []Choice
	Kept       []Choice // that the form keeps
	Path       string
	Full       bool // no more filters can be added
	// Values is the address of the site in the API, and ValuesOf the query string of its lists of values: the script has the form suggest
	// values from there. "": it suggests none.
	Values, ValuesOf string
}

// filteredBy reports whether a filter is by one of these dimensions.
func (a Address) filteredBy(dimensions ...string) bool {
	return slices.ContainsFunc(a.Where, func(c query.Condition) bool { return slices.Contains(dimensions, c.Dimension) })
}

// suggestedValues is how many values the form of a new filter suggests at most.
const suggestedValues = 100

// suggestions is where the values that the form of a new filter suggests come from: those of the range of the page, without its filters,
// since that costs least. Who has a link, or figures under filters alone, is suggested none.
func (a Address) suggestions() (path, values string) {
	if a.Base != "" || len(a.Locked) > 0 {
		return "", ""
	}
	a.Where = nil
	of := a.ranged()
	of.Set("limit", strconv.Itoa(suggestedValues))
	return "/api/v1" + SitePath(a.Site) + "/", of.Encode()
}

// bar is the bar of a page. link makes the address of the page under filters.
func bar(at Address, f *Filtering, site *query.Site, path string, link func(Address) string) Bar {
	b := Bar{Look: at.Look, Path: path, Kept: at.kept(), Full: len(at.Where) >= query.MaxConditions}
	b.Values, b.ValuesOf = at.suggestions()
	for i, c := range at.Where {
		filter := at.filterOf(c)
		if slices.Contains(at.Locked, c) {
			b.Locked = append(b.Locked, filter)
			continue
		}
		filter.Remove = link(at.Under(slices.Delete(slices.Clone(at.Where), i, i+1)))
		b.Filters = append(b.Filters, filter)
	}
	for _, d := range dimensionTitles {
		b.Dimensions = append(b.Dimensions, Choice{Title: say(d.title), Address: d.dimension})
	}
	if site != nil {
		for _, p := range site.Properties {
			b.Dimensions = append(b.Dimensions, Choice{Title: text(p.Key), Address: query.PropertyPrefix + text(p.Key)})
		}
	}
	for _, o := range operators {
		b.Operators = append(b.Operators, Choice{Title: say(o.words), Address: string(o.op)})
	}
	if f == nil {
		return b
	}
	if len(b.Filters) > 1 {
		b.RemoveAll = link(at.Under(nil))
	}
	switch {
	case len(at.Where) == 0: // A dimension without breakdowns.
	case f.Scope == query.ScopeEvents:
		b.Scope = say("Scope: events that pass. Figures of sessions are not known.")
	case at.filteredBy(query.GoalDimension):
		b.Scope = say("Scope: sessions that pass, with their events that pass. A session reaches a goal within the range.")
	case at.filteredBy(query.EntryDimension, query.ExitDimension):
		b.Scope = say("Scope: sessions whose entry or exit page and first event pass, with their events that pass.")
	default:
		b.Scope = say("Scope: sessions whose first event passes, with their events that pass.")
	}
	b.say(at, f, link)
	return b
}

// say says what the answer has cost, or would.
func (b *Bar) say(at Address, f *Filtering, link func(Address) string) {
	c := f.Cost
	switch {
	case f.Why != "":
		b.Refused = f.Why
		if f.Source == query.FromBreakdowns {
			b.Refused = say("The totals are from breakdowns. The lists need raw events.") + " " + b.Refused
		}
		for _, alone := range f.Alone {
			if left := at.Under([]query.Condition{alone}).Where; len(left) > 1 {
				continue // Those that are locked stay.
			}
			filter := at.filterOf(alone)
			filter.Remove = link(at.Under([]query.Condition{alone}))
			b.Alone = append(b.Alone, filter)
		}
		if f.TooMany {
			b.Read = link(at.reading(MostFilterEvents))
		}
		b.Later = f.later(at, link)
	case c != nil:
		read, units, before := count(c.EventsRead), count(int64(c.ReadUnits+0.5)), count(int64(c.ReadUnitsEstimated))
		computed := say("Computed from %s raw events for %s read units; %s were estimated before.", read, units, before)
		if f.Compared {
			computed = say("Computed from %s raw events of both ranges for %s read units; %s were estimated before.", read, units, before)
		}
		b.Said = append(b.Said, computed)
	case f.Source == query.FromEvents:
		b.Said = append(b.Said, say("Computed from raw events."))
	}
	if f.Missing > 0 {
		b.Said = append(b.Said, say("%s raw events are missing.", count(f.Missing)))
	}
	if b.Apart = f.NotCompared; f.Dear {
		b.Compare = link(at.reading(MostFilterEvents))
	}
	if f.Lacking > 0 {
		b.Said = append(b.Said, say("The totals may lack up to %s events.", count(int64(f.Lacking))))
	}
}

// Expired says that raw events of a range are no longer there. days is for how many they are kept; 0: not known.
func Expired(days int64) string {
	if days == 0 {
		return say("Some or all of the raw events of this range, which these figures need, have expired.")
	}
	return sayCount(days, "Raw events, which these figures need, are kept for %s day: some or all of this range is older.",
		"Raw events, which these figures need, are kept for %s days: some or all of this range is older.", days)
}

// later is the range that the filters can be answered of: whole days to the end of the page's range, or until now if all of it has expired.
func (f *Filtering) later(at Address, link func(Address) string) *Choice {
	if f.Since.IsZero() {
		return nil
	}
	day := midnight(f.Since.In(f.From.Location()))
	if day.Before(f.Since) {
		day = day.AddDate(0, 0, 1)
	}
	part := at.Under(at.Where)
	for _, name := range []string{"period", "to", "by"} {
		delete(part.Values, name)
	}
	part.Values["from"] = day.Format(time.DateOnly)
	title := say("Show from %s on", spell(day, "2 Jan 2006"))
	if day.Before(f.To) {
		if part.Values["to"] = f.To.Format(time.DateOnly); !f.To.Equal(midnight(f.To)) {
			part.Values["to"] = f.To.Format(time.RFC3339)
		}
		title = say("Show %s", rangeText(day, f.To))
	}
	return &Choice{Title: title, Address: link(part)}
}

// NoDataBefore says that all of the earlier range lies before the site's first day with data.
func NoDataBefore(first time.Time) string {
	return say("Nothing is compared: the site has no data before %s.", spell(first, "2 Jan 2006"))
}

// DearComparison says what raw events of a range and the earlier one would cost.
func DearComparison(c query.FilterCost) string {
	return say("Nothing is compared: reading both ranges would cost about %s read units, more than this page reads.",
		count(int64(c.ReadUnitsEstimated)))
}

// reading is the address that has so many packed raw events read at most.
func (a Address) reading(most int) Address {
	a = a.Under(a.Where)
	a.Values[MaxEventsParam] = strconv.Itoa(most)
	return a
}

// TooDear says what raw events would cost. most is how many packed ones are read.
func TooDear(c query.FilterCost, most int) string {
	return say("Reading the %s raw events of this range would cost about %s read units. This page reads at most what %s packed ones "+
		"cost.", count(c.EventsEstimated), count(int64(c.ReadUnitsEstimated)), count(int64(most)))
}
