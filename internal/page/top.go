package page

import (
	"io"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/footfall/footfall/query"
)

// TopParams are the query parameters of the page of a dimension.
var TopParams = append([]string{"from", "to", "period", "tz", "compare", "sort", "search", "cursor"}, filterParams...)

// TopRows is how many values a page of the list has, and TopSearched among how many of the greatest values a search looks.
const TopRows, TopSearched = 100, query.MaxLimit

// TopView is what the page of a dimension shows.
type TopView struct {
	At     Address // its values are those of TopParams
	Answer query.TopAnswer
	Before *query.TopAnswer // of the range that this one is compared with; nil: it is not compared
	Units  float64
	Read   time.Time // when all of it was read

	Filtering *Filtering // how the filters, or a dimension without breakdowns, were answered; nil: there are none
	Goals     []query.Goal
}

// A topColumn is a figure of the page of a dimension.
type topColumn struct {
	title, sort string // sort: as the API names it; "": rows cannot be sorted by it
	of          func(c *query.TopCounts) string
	page        bool   // only pages have it
	session     bool   // nothing of sessions belongs to a property
	converts    bool   // shown where any row has conversions
	defined     string // the name of the figure, which its definition has, if it is not sort
}

var topColumns = []topColumn{
	{title: "Share", defined: "share", of: func(c *query.TopCounts) string { return shareOf(c.Share) }},
	{title: "Visitors", sort: "uniqueVisitors", of: func(c *query.TopCounts) string { return estimate(c.UniqueVisitors, c.VisitorsError) }},
	{title: "Page views", sort: "pageViews", of: func(c *query.TopCounts) string { return count(c.PageViews) }},
	{title: "Events", sort: "events", of: func(c *query.TopCounts) string { return count(c.Events) }},
	{title: "Sessions", sort: "sessions", session: true, of: func(c *query.TopCounts) string { return count(c.Sessions) }},
	{title: "Bounce rate", sort: "bounceRate", session: true,
		of: func(c *query.TopCounts) string { return optional(c.BounceRate, percent) }},
	{title: "Avg. duration", sort: "avgDurationMs", session: true,
		of: func(c *query.TopCounts) string { return optionalSpan(c.AvgDurationMs) }},
	{title: "Entries", sort: "entries", page: true, of: func(c *query.TopCounts) string { return count(c.Entries) }},
	{title: "Exits", sort: "exits", page: true, of: func(c *query.TopCounts) string { return count(c.Exits) }},
	{title: "Exit rate", sort: "exitRate", page: true,
		of: func(c *query.TopCounts) string { return optional(c.ExitRate, percent) }},
	{title: "Time on page", sort: "avgTimeOnPageMs", page: true,
		of: func(c *query.TopCounts) string { return optionalSpan(c.AvgTimeOnPageMs) }},
	{title: "Scroll depth", sort: "avgScrollDepth", page: true,
		of: func(c *query.TopCounts) string { return optional(c.AvgScrollDepth, percent) }},
	{title: "Conversions", sort: "conversions", converts: true, of: func(c *query.TopCounts) string { return count(c.Conversions) }},
	{title: "Conv. rate", sort: "conversionRate", converts: true,
		of: func(c *query.TopCounts) string { return optional(c.ConversionRate, percent) }},
	{title: "Value", sort: "conversionValue", converts: true, of: func(c *query.TopCounts) string { return decimal(c.ConversionValue) }},
}

func optional(r *float64, spell func(float64) string) string {
	if r == nil {
		return unknown
	}
	return spell(*r)
}

func optionalSpan(ms *int64) string {
	if ms == nil {
		return unknown
	}
	return span(*ms)
}

// columns are those that an answer has.
func (v TopView) shown() (all []topColumn) {
	a, f := v.Answer, v.Filtering
	dimension := query.Condition{Dimension: a.Dimension}
	ofEvents := query.ScopeOf(append([]query.Condition{dimension}, v.At.Where...)) == query.ScopeEvents
	converts := slices.ContainsFunc(a.Rows, func(r query.TopRow) bool { return r.Conversions > 0 })
	for _, c := range topColumns {
		if f != nil && (c.page || c.session && ofEvents) {
			continue
		}
		if c.page && a.Dimension != "page" || c.converts && !converts ||
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

// WideRow is a value with all its figures.
type WideRow struct {
	Value, Bound  string
	Note          string // why a figure counts something else than those of the other rows; "": it does not
	Code          string // of the value, if Value is its name; "": Value is the value itself
	Filter        string // address of the site's page with the value as a filter; "": there is none
	Change, Trend string // of the figure that rows are sorted by
	Cells         []string
}

// rowCells is a row, and whether it has a change: it comes after the figure that rows are sorted by and its share.
type rowCells struct {
	WideRow
	Compared bool
}

func cellsOf(r WideRow, compared bool) rowCells { return rowCells{r, compared} }

// Column is a column of the page of a dimension.
type Column struct {
	Choice
	Definition string // its address; "": it has none of its own
}

// topData is a TopView as its template has it.
type topData struct {
	Look                                       Look
	Title, Site, Back, Range, CSV, First, Next string
	Search, Path                               string
	Kept                                       []Choice // what a search keeps
	Columns                                    []Column
	Rows, Rest                                 []WideRow
	Compared                                   bool
	Against                                    string // the range that changes are since; "": there is none, or it is not known
	Found                                      string // how many values a search has found; "": there is none
	Notes                                      []string
	Bar                                        Bar
	Filtering                                  *Filtering
	Converted                                  string   // names the goals of the conversions; "": not shown
	ByGoal                                     []Choice // the same list under filters by a goal
}

// Top writes the page of a dimension.
func Top(w io.Writer, v TopView) error {
	a := v.Answer
	if !slices.Contains(summed, a.Sort) {
		v.Before = nil
	}
	d := topData{Look: v.At.Look, Title: titleOf(a.Dimension), Site: text(v.At.Site), Range: rangeText(a.From, soFar(a.To, v.Read)),
		Back: v.At.Back(), CSV: v.At.API("top/"+url.PathEscape(a.Dimension), "sort", a.Sort), Search: v.At.Values["search"],
		Compared: v.Before != nil, Path: v.At.Base + TopPath(v.At.Site, a.Dimension)}
	if v.Before != nil && !v.Before.From.IsZero() {
		d.Against = say("compared with %s", rangeText(v.Before.From, v.Before.To))
	}
	shown := v.shown()
	d.Columns = v.columns(shown)
	d.Kept = v.At.kept("search", "cursor")
	d.Bar = bar(v.At, v.Filtering, nil, d.Path, func(a Address) string {
		return TopView{At: a, Answer: v.Answer}.page("sort", a.Values["sort"])
	})
	d.Filtering = v.Filtering
	d.Converted, d.ByGoal = v.byGoal(shown)
	earlier := byValue(v.Before)
	rows := v.found()
	for i, r := range rows {
		if i == TopRows {
			break
		}
		row := wideRow(rowText(a.Dimension, r.Value), &r.TopCounts, shown)
		row.Code = codeOf(a.Dimension, r.Value)
		row.Bound, row.Filter = bound(r, a.Sort), v.At.adding(filter(a.Dimension, a.Sort), r.Value)
		row.Change, row.Trend = changeOf(listed(r.TopCounts, a.Sort), r.Value, a.Sort, v.Before, earlier)
		d.Rows = append(d.Rows, row)
	}
	d.Notes = topNotes(a)
	if v.Filtering != nil || d.Search != "" {
		d.Notes = d.Notes[1:] // It is about the rows that have no place in the list.
	}
	if len(v.At.Where) > 0 {
		d.Notes = append([]string{say(notUnderFilters)}, d.Notes...)
	}
	if d.Search != "" {
		d.Found = foundText(len(rows), a)
		return render(w, v.At.Look, "top.html", d)
	}
	if a.Other.Events+a.Other.Sessions > 0 {
		d.Rest = append(d.Rest, wideRow(say(othersRow), &a.Other, shown))
	}
	if a.None != nil && a.None.Events+a.None.Sessions > 0 {
		row, place := v.withoutValue(shown)
		if place < len(d.Rows) {
			d.Rows = slices.Insert(d.Rows, place, row)
		} else {
			d.Rest = append(d.Rest, row)
		}
	}
	if a.Cursor != "" {
		d.Next = v.page("sort", v.At.Values["sort"], "cursor", a.Cursor)
	}
	if v.At.Values["cursor"] != "" {
		d.First = v.page("sort", v.At.Values["sort"])
	}
	return render(w, v.At.Look, "top.html", d)
}

// columns are the columns with the addresses that sort by them.
func (v TopView) columns(shown []topColumn) (all []Column) {
	for _, c := range shown {
		link, defined := "", c.defined
		if c.sort != "" && (v.Filtering == nil || filteredSort(c.sort)) {
			link = v.page("sort", c.sort, "search", v.At.Values["search"])
		}
		if defined == "" {
			defined = c.sort
		}
		all = append(all, Column{Choice{Title: say(c.title), Address: link, Chosen: c.sort == v.Answer.Sort}, v.At.Defined(defined)})
	}
	return all
}

// found are the rows that have the text that is searched for, in upper or lower case.
func (v TopView) found() (rows []query.TopRow) {
	search := strings.ToLower(v.At.Values["search"])
	if search == "" {
		return v.Answer.Rows
	}
	for _, r := range v.Answer.Rows {
		if strings.Contains(strings.ToLower(r.Value), search) ||
			strings.Contains(strings.ToLower(spelled(rowText(v.Answer.Dimension, r.Value), v.At.Language)), search) {
			rows = append(rows, r)
		}
	}
	return rows
}

// foundText says what a search has found.
func foundText(n int, a query.TopAnswer) string {
	said := sayCount(int64(n), "%s value", "%s values", count(int64(n)))
	if n > TopRows {
		said += ", " + say("of which the first %s are shown", count(TopRows))
	}
	if a.Cursor != "" {
		said += ", " + say("among the %s greatest of %s", count(int64(len(a.Rows))), count(int64(a.Values)))
	}
	return said
}

func wideRow(value string, c *query.TopCounts, shown []topColumn) WideRow {
	r := WideRow{Value: value}
	for _, column := range shown {
		r.Cells = append(r.Cells, column.of(c))
	}
	return r
}

// withoutValue is the row of events without a value, and its place among the rows of the first page, as in placeNone: after the last one,
// it is below them. Such events have no visitors of their own, nor what only values have.
func (v TopView) withoutValue(shown []topColumn) (r WideRow, place int) {
	a := v.Answer
	n, place := a.None, len(a.Rows)
	c := &query.TopCounts{Share: n.Share, Events: n.Events, PageViews: n.PageViews, Sessions: n.Sessions, BounceRate: n.BounceRate,
		AvgDurationMs: n.AvgDurationMs, TopConversions: n.TopConversions}
	visitors := unknown
	r.Value, r.Filter = noneText(a.Dimension), v.At.adding(filter(a.Dimension, a.Sort), "")
	f, ok := noneOf(a, a.Sort)
	if ok && a.Dimension != "event" && v.At.Values["cursor"] == "" && f.share != nil {
		if r.Change, r.Trend = noneChange(f, v.Before, a.Sort); f.unit != "" {
			visitors, c.Share, r.Note = count(int64(f.x))+" "+f.unit, f.share, say(noneNote)
		}
		if at := slices.IndexFunc(a.Rows, func(row query.TopRow) bool { return row.Share != nil && *row.Share < *f.share }); at >= 0 {
			place = at
		}
	}
	for _, column := range shown {
		cell := column.of(c)
		switch {
		case column.sort == "uniqueVisitors":
			cell = visitors
		case column.page:
			cell = unknown
		}
		r.Cells = append(r.Cells, cell)
	}
	return r, place
}

// page is the address of the page with other values; the range stays.
func (v TopView) page(namesAndValues ...string) string {
	values := v.At.compared()
	for i := 0; i < len(namesAndValues); i += 2 {
		if namesAndValues[i+1] != "" {
			values.Set(namesAndValues[i], namesAndValues[i+1])
		}
	}
	return address(v.At.Base+TopPath(v.At.Site, v.Answer.Dimension), values)
}

// titles are the titles of dimensions.
func titles() map[string]string {
	all := map[string]string{"utm_source": "UTM sources", "utm_medium": "UTM media", "utm_content": "UTM contents", "utm_term": "UTM terms",
		"region": "Regions", "hostname": "Hostnames"}
	for _, s := range sections() {
		all[s.dimension] = s.title
	}
	all["page"], all[query.EntryDimension], all[query.ExitDimension] = "Pages", "Entries", "Exits"
	return all
}

// titleOf is the title of a dimension.
func titleOf(dimension string) string {
	if title, ok := titles()[dimension]; ok {
		return say(title)
	}
	return text(dimension)
}

// topNotes say what must be known about the figures of a list.
func topNotes(a query.TopAnswer) []string {
	notes := []string{say("%s values have a row in this range. (others) are those after this page, and what any value did while it "+
		"had no row.", count(int64(a.Values)))}
	worst := a.Other.VisitorsError
	for _, r := range a.Rows {
		worst = max(worst, r.VisitorsError)
	}
	for _, n := range []struct {
		holds bool
		note  string
	}{{a.NotBrokenDown > 0, say("%s events are in no list.", count(a.NotBrokenDown))},
		{a.AbsentAtMost > 0, say("A value without a row has at most %s events.", count(int64(a.AbsentAtMost)))},
		{a.Lacks.Sessions > 0, say("Sessions of a row may lack up to %s, which are in (others).", count(a.Lacks.Sessions))},
		{worst > 0, say("Numbers with a ~ are estimates with a relative standard error of %s.", percent(worst))}} {
		if n.holds {
			notes = append(notes, n.note)
		}
	}
	return notes
}
