package page

import (
	"slices"
	"strings"
	"time"

	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/internal/page/links"
	"github.com/footfall/footfall/internal/page/lists"
	"github.com/footfall/footfall/internal/page/locale"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/query/filters"
)

// FilterEvents is how many packed raw events a page reads for its filters. MostFilterEvents is how many it reads if it is asked to.
const FilterEvents, MostFilterEvents = 200_000, 2_000_000

// MostEvents is how many packed raw events a page reads under filters if it is asked to.
func MostEvents(at links.Address) int {
	if at.Funnel != "" {
		return MostFunnelEvents
	}
	return MostFilterEvents
}

// Filter is a filter in the bar.
type Filter struct {
	Dimension, Op, Value string        // all values, of several
	Values               []FilterValue // each value
	Remove               string        // the address without it; of those that can be had alone: with it alone
}

// FilterValue is a value of a filter.
type FilterValue struct {
	Text   string
	Remove string // the address without it; "": it is the only one
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

func filterOf(a links.Address, c query.Condition) Filter {
	f := Filter{Dimension: dimensionTitle(c.Dimension)}
	var texts []string
	for _, value := range c.Values {
		text := valueText(a, c, value)
		f.Values, texts = append(f.Values, FilterValue{Text: text}), append(texts, text)
	}
	f.Value = strings.Join(texts, " "+locale.Say("or")+" ")
	for _, o := range operators {
		if o.op == c.Op {
			f.Op = locale.Say(o.words)
		}
	}
	return f
}

// valueText is how the bar shows a value of a filter.
func valueText(a links.Address, c query.Condition, value string) string {
	name := a.Goals[value]
	switch {
	case value == "":
		return lists.NoneText(c.Dimension)
	case c.Dimension == "country" && (c.Op == query.Is || c.Op == query.IsNot):
		return locale.Country(value)
	case lists.IsHost(c.Dimension):
		return locale.Host(value)
	case c.Dimension == query.GoalDimension && name != "":
		return locale.Text(name)
	}
	return locale.Text(value)
}

// saysAll are the filters in words.
func saysAll(a links.Address) (all []string) {
	for _, c := range a.Where {
		all = append(all, filterOf(a, c).Says())
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
			return locale.Say(d.title)
		}
	}
	return locale.Text(strings.TrimPrefix(dimension, query.PropertyPrefix))
}

// Bar is what a page shows of its filters.
type Bar struct {
	Look       links.Look
	Filters    []Filter
	Locked     []Filter // that cannot be removed
	Segment    SegmentChip
	Segments   []links.Choice // that can be chosen
	RemoveAll  string
	None       string // that nothing passes; "": something does, or it is not known
	Unfiltered string // the address without filters; "": all are locked
	Scope      string
	Said       []string      // of the cost, and what the figures lack
	Apart      string        // why nothing is compared; "": that is not to be said
	Compare    string        // the address that has it compared; "": there is none
	Refused    string        // why raw events were not read; "": they were, or need not be
	Read       string        // the address that has them read; "": there is none
	Later      *links.Choice // the part of the range that can be had; nil: it is not known
	Alone      []Filter
	Dimensions []links.Choice // that the form offers
	Operators  []links.Choice
	Kept       []links.Choice // that the form keeps
	Path       string
	Full       bool // no more filters can be added
	// Command saves the filters as a segment; "": there are none, or it is not for who asks.
	Command string
	// Values is the address of the site in the API, and ValuesOf the query string of its lists of values: the script has the form suggest
	// values from there. "": it suggests none.
	Values, ValuesOf string
}

// SegmentChip is the segment of a page in the bar.
type SegmentChip struct {
	Name, Says string // "": the page is in none; what its filters say
	Remove     string // the address without it
}

// bar is the bar of a page. link makes the address of the page under filters.
func bar(at links.Address, f *Filtering, site *query.Site, segments []string, path string, link func(links.Address) string) Bar {
	b := Bar{Look: at.Look, Path: path, Kept: at.Kept(), Full: len(at.Where) >= query.MaxConditions}
	b.addSegments(at, segments, link)
	b.Values, b.ValuesOf = at.Suggestions()
	for i, c := range at.Where {
		filter := filterOf(at, c)
		if c.In(at.Locked) {
			b.Locked = append(b.Locked, filter)
			continue
		}
		if c.In(at.Segmented) {
			continue
		}
		filter.Remove = link(at.Under(slices.Delete(slices.Clone(at.Where), i, i+1)))
		for j := range filter.Values {
			if len(c.Values) > 1 {
				rest := slices.Clone(at.Where)
				rest[i].Values = slices.Delete(slices.Clone(c.Values), j, j+1)
				filter.Values[j].Remove = link(at.Under(rest))
			}
		}
		b.Filters = append(b.Filters, filter)
	}
	for _, d := range dimensionTitles {
		b.Dimensions = append(b.Dimensions, links.Choice{Title: locale.Say(d.title), Address: d.dimension})
	}
	if site != nil {
		for _, p := range site.Properties {
			b.Dimensions = append(b.Dimensions, links.Choice{Title: locale.Text(p.Key), Address: query.PropertyPrefix + locale.Text(p.Key)})
		}
	}
	for _, o := range operators {
		b.Operators = append(b.Operators, links.Choice{Title: locale.Say(o.words), Address: string(o.op)})
	}
	if f == nil {
		return b
	}
	if len(b.Filters) > 0 || at.Segment != "" {
		b.Unfiltered = link(at.InSegment("").Under(nil))
	}
	if len(b.Filters) > 1 || len(b.Filters) > 0 && at.Segment != "" {
		b.RemoveAll = b.Unfiltered
	}
	switch {
	case !f.None || len(at.Where) == 0:
	case f.Scope == query.ScopeEvents:
		b.None = locale.Say("No event passes the filters in this range.")
	default:
		b.None = locale.Say("No session passes the filters in this range.")
	}
	b.Command = segmentCommand(at, len(b.Filters))
	b.Scope = scopeOf(at, f)
	b.say(at, f, link)
	return b
}

// sessionBar is the bar of a page whose filters select sessions.
func sessionBar(at links.Address, f *Filtering, segments []string, path string) Bar {
	b := bar(at, f, nil, segments, at.Base+path, func(a links.Address) string { return a.With() })
	b.Dimensions = slices.DeleteFunc(b.Dimensions, func(c links.Choice) bool {
		return query.Condition{Dimension: c.Address}.OfEvents()
	})
	return b
}

// segmentCommand is the command that saves the filters of a page, with those of its segment. Who has a link, or figures under filters
// alone, has no commands.
func segmentCommand(at links.Address, own int) string {
	if own == 0 || at.Base != "" || len(at.Locked) > 0 {
		return ""
	}
	command := "footfall segment create " + shellWord(at.Site) + " NAME"
	for _, text := range filters.Texts(at.Where) {
		if locale.Text(text) != text { // The page spells a hidden character: the command would have another value.
			return ""
		}
		command += " --where " + shellWord(text)
	}
	return command
}

// addSegments adds the segments of the site to choose from, and the page's own.
func (b *Bar) addSegments(at links.Address, segments []string, link func(links.Address) string) {
	for _, name := range segments {
		b.Segments = append(b.Segments, links.Choice{Title: name, Address: link(at.InSegment(name)), Chosen: name == at.Segment})
	}
	if at.Segment != "" {
		own := at
		own.Where = at.Segmented
		b.Segment = SegmentChip{at.Segment, strings.Join(saysAll(own), ", "), link(at.InSegment(""))}
	}
}

// scopeOf says what the figures under the filters are of.
func scopeOf(at links.Address, f *Filtering) string {
	switch {
	case len(at.Where) == 0: // A dimension without breakdowns.
		return ""
	case f.Scope == query.ScopeEvents:
		return locale.Say("Scope: events that pass. Figures of sessions are not known.")
	case at.FilteredBy(query.GoalDimension):
		return locale.Say("Scope: sessions that pass, with their events that pass. A session reaches a goal within the range.")
	case at.FilteredBy(query.EntryDimension, query.ExitDimension):
		return locale.Say("Scope: sessions whose entry or exit page and first event pass, with their events that pass.")
	}
	return locale.Say("Scope: sessions whose first event passes, with their events that pass.")
}

// say says what the answer has cost, or would.
func (b *Bar) say(at links.Address, f *Filtering, link func(links.Address) string) {
	c := f.Cost
	switch {
	case f.Why != "":
		b.Refused = f.Why
		if f.Source == query.FromBreakdowns {
			b.Refused = locale.Say("The totals are from breakdowns. The lists need raw events.") + " " + b.Refused
		}
		for _, alone := range f.Alone {
			one := at.InSegment("").Under([]query.Condition{alone})
			if len(one.Where) > 1 {
				continue // Those that are locked stay.
			}
			filter := filterOf(at, alone)
			filter.Remove = link(one)
			b.Alone = append(b.Alone, filter)
		}
		if f.TooMany {
			b.Read = link(at.Reading(MostEvents(at)))
		}
		b.Later = f.later(at, link)
	case c != nil:
		read, units, before := locale.Count(c.EventsRead), locale.Count(int64(c.ReadUnits+0.5)), locale.Count(int64(c.ReadUnitsEstimated))
		computed := locale.Say("Computed from %s raw {event|events} for %s read {unit|units}; %s {was|were} estimated before.",
			read, units, before)
		if f.Compared {
			computed = locale.Say("Computed from %s raw {event|events} of both ranges for %s read {unit|units}; %s {was|were} estimated before.",
				read, units, before)
		}
		b.Said = append(b.Said, computed)
	case f.Source == query.FromEvents:
		b.Said = append(b.Said, locale.Say("Computed from raw events."))
	}
	if f.Missing > 0 {
		b.Said = append(b.Said, locale.Say("%s raw {event is|events are} missing.", locale.Count(f.Missing)))
	}
	if b.Apart = f.NotCompared; f.Dear {
		b.Compare = link(at.Reading(MostFilterEvents))
	}
	if f.Lacking > 0 {
		b.Said = append(b.Said, locale.Say("The totals may lack up to %s {event|events}.", locale.Count(int64(f.Lacking))))
	}
}

// Expired says that raw events of a range are no longer there. days is for how many they are kept; 0: not known.
func Expired(days int64) string {
	if days == 0 {
		return locale.Say("Some or all of the raw events of this range, which these figures need, have expired.")
	}
	return locale.Say("Raw events, which these figures need, are kept for %s {day|days}: some or all of this range is older.", days)
}

// later is the range that the filters can be answered of: whole days to the end of the page's range, or until now if all of it has expired.
func (f *Filtering) later(at links.Address, link func(links.Address) string) *links.Choice {
	if f.Since.IsZero() {
		return nil
	}
	day := locale.Midnight(f.Since.In(f.From.Location()))
	if day.Before(f.Since) {
		day = day.AddDate(0, 0, 1)
	}
	part := at.Under(at.Where)
	for _, name := range []string{"period", "to", "by"} {
		delete(part.Values, name)
	}
	part.Values["from"] = day.Format(time.DateOnly)
	title := locale.Say("Show from %s on", locale.Spell(day, "2 Jan 2006"))
	if day.Before(f.To) {
		if part.Values["to"] = f.To.Format(time.DateOnly); !f.To.Equal(locale.Midnight(f.To)) {
			part.Values["to"] = f.To.Format(time.RFC3339)
		}
		title = locale.Say("Show %s", locale.Range(day, f.To))
	}
	return &links.Choice{Title: title, Address: link(part)}
}

// NoDataBefore says that all of the earlier range lies before the site's first day with data.
func NoDataBefore(first time.Time) string {
	return locale.Say("Nothing is compared: the site has no data before %s.", locale.Spell(first, "2 Jan 2006"))
}

// DearComparison says what raw events of a range and the earlier one would cost.
func DearComparison(c query.FilterCost) string {
	return locale.Say("Nothing is compared: reading both ranges would cost about %s read {unit|units}, more than this page reads.",
		locale.Count(int64(c.ReadUnitsEstimated)))
}

// TooDear says what raw events would cost. most is how many packed ones are read.
func TooDear(c query.FilterCost, most int) string {
	return locale.Say("Reading the %s raw {event|events} of this range would cost about %s read {unit|units}. This page reads at most what "+
		"%s packed {one costs|ones cost}.", locale.Count(c.EventsEstimated), locale.Count(int64(c.ReadUnitsEstimated)), locale.Count(int64(most)))
}
