package page

import (
	"slices"
	"strings"
	"time"

	"github.com/footfall/footfall/internal/page/links"
	"github.com/footfall/footfall/internal/page/lists"
	"github.com/footfall/footfall/internal/page/locale"
	"github.com/footfall/footfall/query"
)

// TopView is what the page of a dimension shows.
type TopView struct {
	At     links.Address // its values are those of TopParams
	Answer query.TopAnswer
	Before *query.TopAnswer // of the range that this one is compared with; nil: it is not compared
	Units  float64
	Read   time.Time // when all of it was read

	Filtering *Filtering // how the filters, or a dimension without breakdowns, were answered; nil: there are none
	Goals     []query.Goal
	Segments  []string // that the page can be in
}

// A topColumn is a figure of the page of a dimension.
type topColumn struct {
	title, sort string // sort: as the API names it; "": rows cannot be sorted by it
	of          func(c *query.TopCounts) string
	page        bool   // only pages have it
	session     bool   // nothing of sessions belongs to a property
	converts    bool   // shown where any row has conversions
	valued      bool   // shown where any row has values
	defined     string // the name of the figure, which its definition has, if it is not sort
}

var topColumns = []topColumn{
	{title: "Share", defined: "share", of: func(c *query.TopCounts) string { return lists.ShareOf(c.Share) }},
	{title: "Visitors", sort: "uniqueVisitors",
		of: func(c *query.TopCounts) string { return locale.Estimate(c.UniqueVisitors, c.VisitorsError) }},
	{title: "Page views", sort: "pageViews", of: func(c *query.TopCounts) string { return locale.Count(c.PageViews) }},
	{title: "Events", sort: "events", of: func(c *query.TopCounts) string { return locale.Count(c.Events) }},
	{title: "Sessions", sort: "sessions", session: true, of: func(c *query.TopCounts) string { return locale.Count(c.Sessions) }},
	{title: "Bounce rate", sort: "bounceRate", session: true,
		of: func(c *query.TopCounts) string { return optional(c.BounceRate, locale.Percent) }},
	{title: "Avg. duration", sort: "avgDurationMs", session: true,
		of: func(c *query.TopCounts) string { return optionalSpan(c.AvgDurationMs) }},
	{title: "Entries", sort: "entries", page: true, of: func(c *query.TopCounts) string { return locale.Count(c.Entries) }},
	{title: "Exits", sort: "exits", page: true, of: func(c *query.TopCounts) string { return locale.Count(c.Exits) }},
	{title: "Exit rate", sort: "exitRate", page: true,
		of: func(c *query.TopCounts) string { return optional(c.ExitRate, locale.Percent) }},
	{title: "Time on page", sort: "avgTimeOnPageMs", page: true,
		of: func(c *query.TopCounts) string { return optionalSpan(c.AvgTimeOnPageMs) }},
	{title: "Scroll depth", sort: "avgScrollDepth", page: true,
		of: func(c *query.TopCounts) string { return optional(c.AvgScrollDepth, locale.Percent) }},
	{title: "Conversions", sort: "conversions", converts: true, of: func(c *query.TopCounts) string { return locale.Count(c.Conversions) }},
	{title: "Conv. rate", sort: "conversionRate", converts: true,
		of: func(c *query.TopCounts) string { return optional(c.ConversionRate, locale.Percent) }},
	{title: "Conv. value", sort: "conversionValue", converts: true,
		of: func(c *query.TopCounts) string { return locale.Decimal(c.ConversionValue) }},
	{title: "Values", defined: "values", valued: true, of: func(c *query.TopCounts) string { return locale.Count(c.Values) }},
	{title: "Value sum", sort: "valueSum", valued: true, of: func(c *query.TopCounts) string { return locale.Decimal(c.ValueSum) }},
}

// page is the address of the page with other values; the range stays.
func (v TopView) page(namesAndValues ...string) string {
	values := v.At.Compared()
	for i := 0; i < len(namesAndValues); i += 2 {
		if namesAndValues[i+1] != "" {
			values.Set(namesAndValues[i], namesAndValues[i+1])
		}
	}
	return links.To(v.At.Base+links.TopPath(v.At.Site, v.Answer.Dimension), values)
}

// columns are those that an answer has.
func (v TopView) shown() (all []topColumn) {
	a, f := v.Answer, v.Filtering
	dimension := query.Condition{Dimension: a.Dimension}
	ofEvents := query.ScopeOf(append([]query.Condition{dimension}, v.At.Where...)) == query.ScopeEvents
	converts := slices.ContainsFunc(a.Rows, func(r query.TopRow) bool { return r.Conversions > 0 })
	valued := slices.ContainsFunc(a.Rows, func(r query.TopRow) bool { return r.Values > 0 })
	for _, c := range topColumns {
		if f != nil && (c.page || c.session && ofEvents) {
			continue
		}
		if c.page && a.Dimension != "page" || c.converts && !converts || c.valued && !valued ||
			c.session && strings.HasPrefix(a.Dimension, query.PropertyPrefix) {
			continue
		}
		all = append(all, c)
	}
	return sortedFirst(all, a.Sort)
}

// sortedFirst has the column that rows are sorted by come first, with its share and change: where the page is narrow, it is seen.
func sortedFirst(all []topColumn, sort string) []topColumn {
	i := slices.IndexFunc(all, func(c topColumn) bool { return c.sort == sort })
	if i < 0 {
		return all
	}
	first := all[i]
	return slices.Insert(slices.Delete(all, i, i+1), 0, first)
}

func optional(r *float64, spell func(float64) string) string {
	if r == nil {
		return locale.Unknown
	}
	return spell(*r)
}

func optionalSpan(ms *int64) string {
	if ms == nil {
		return locale.Unknown
	}
	return locale.Span(*ms)
}

// Column is a column of the page of a dimension.
type Column struct {
	links.Choice
	Definition string // its address; "": it has none of its own
}
