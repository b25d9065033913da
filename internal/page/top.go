package page

import (
	"io"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/footfall/footfall/internal/page/filtered"
	"github.com/footfall/footfall/internal/page/links"
	"github.com/footfall/footfall/internal/page/lists"
	"github.com/footfall/footfall/internal/page/locale"
	"github.com/footfall/footfall/query"
)

// TopParams are the query parameters of the page of a dimension.
var TopParams = append([]string{"from", "to", "period", "tz", links.LastDayParam, "compare", "sort", links.MinCountParam, "search",
	"cursor"}, links.FilterParams...)

// TopRows is how many values a page of the list has, and TopSearched among how many of the greatest values a search looks.
const TopRows, TopSearched = 100, query.MaxLimit

// topData is a TopView as its template has it.
type topData struct {
	Look                                       links.Look
	Title, Site, Back, Range, CSV, First, Next string
	Search, Path                               string
	Kept                                       []links.Choice // what a search keeps
	Columns                                    []Column
	Rows, Rest                                 []WideRow
	Compared                                   bool
	Against                                    string // the range that changes are since; "": there is none, or it is not known
	Found                                      string // how many values a search has found; "": there is none
	Notes                                      []string
	Bar                                        Bar
	Picker                                     Picker
	Filtering                                  *Filtering
	Converted                                  string         // names the goals of the conversions; "": not shown
	ByGoal                                     []links.Choice // the same list under filters by a goal
	Least                                      *leastForm     // nil: rows are sorted by a sum
}

// leastForm is the form of the least number of sessions or page views of rows.
type leastForm struct {
	Of, Least string // what is counted, and the number; "": there is none
	Max       int
	Kept      []links.Choice
	All       string // address of the list with all rows; "": it has them
}

// Top writes the page of a dimension.
func Top(w io.Writer, v TopView) error {
	a := v.Answer
	if !slices.Contains(lists.Changing, a.Sort) {
		v.Before = nil
	}
	asked := []string{"sort", a.Sort}
	if a.MinCount > 0 {
		asked = append(asked, links.MinCountParam, v.least())
	}
	d := topData{Look: v.At.Look, Title: titleOf(a.Dimension), Site: locale.Text(v.At.Site), Range: locale.Range(a.From, locale.SoFar(a.To,
		v.Read)),
		Back: v.At.Back(), CSV: v.At.API("top/"+url.PathEscape(a.Dimension), asked...), Search: v.At.Values["search"],
		Compared: v.Before != nil, Path: v.At.Base + links.TopPath(v.At.Site, a.Dimension)}
	if v.Before != nil && !v.Before.From.IsZero() {
		d.Against = locale.Say("compared with %s", locale.Range(v.Before.From, v.Before.To))
	}
	shown := v.shown()
	d.Columns = v.columns(shown)
	d.Kept, d.Picker = v.At.Kept("search", "cursor"), v.picker()
	d.Bar = bar(v.At, v.Filtering, nil, v.Segments, d.Path, func(a links.Address) string {
		return TopView{At: a, Answer: v.Answer}.page("sort", a.Values["sort"], links.MinCountParam, v.least())
	})
	d.Filtering, d.Least = v.Filtering, v.leastForm(shown)
	d.Converted, d.ByGoal = v.byGoal(shown)
	earlier := lists.ByValue(v.Before)
	rows := v.found()
	for i, r := range rows {
		if i == TopRows {
			break
		}
		row := wideRow(lists.RowText(a.Dimension, r.Value), &r.TopCounts, shown)
		row.Code = lists.CodeOf(a.Dimension, r.Value)
		row.Bound, row.Filter = lists.Bound(r, a.Sort), v.At.Adding(lists.Filter(a.Dimension, a.Sort), r.Value)
		row.Change, row.Trend = lists.ChangeOf(lists.Listed(r.TopCounts, a.Sort), r.Value, a.Sort, v.Before, earlier)
		d.Rows = append(d.Rows, row)
	}
	d.Notes = v.notes(d.Search != "")
	if d.Search != "" {
		d.Found = foundText(len(rows), a)
		return render(w, v.At.Look, "top.html", d)
	}
	if a.Other.Events+a.Other.Sessions > 0 {
		d.Rest = append(d.Rest, wideRow(locale.Say(lists.OthersRow), &a.Other, shown))
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
		d.Next = v.page("sort", v.At.Values["sort"], links.MinCountParam, v.least(), "cursor", a.Cursor)
	}
	if v.At.Values["cursor"] != "" {
		d.First = v.page("sort", v.At.Values["sort"], links.MinCountParam, v.least())
	}
	return render(w, v.At.Look, "top.html", d)
}

// picker chooses another range of the list, from its first page on.
func (v TopView) picker() Picker {
	at := v.At
	at.List, at.Values = v.Answer.Dimension, maps.Clone(at.Values)
	if delete(at.Values, "cursor"); at.Values["sort"] != "" {
		at.Values["sort"] = v.Answer.Sort
	}
	p := pickerOf(at, v.Answer.From, v.Answer.To, v.Read)
	p.Paged = true
	return p
}

// notes are the notes below the rows, or below those that were searched for.
func (v TopView) notes(searched bool) []string {
	notes := topNotes(v.Answer)
	a := v.Answer
	whole := a.Other.Events+a.Other.Sessions == 0 && a.Cursor == "" && a.MinCount == 0
	if v.Filtering != nil || searched || whole {
		notes = notes[1:] // It is about the rows that have no place in the list.
	}
	if len(v.At.Where) > 0 {
		notes = append([]string{locale.Say(notUnderFilters)}, notes...)
	}
	return notes
}

// least is the least number of sessions or page views of rows, as addresses have it; "": there is none.
func (v TopView) least() string { return v.At.Values[links.MinCountParam] }

func (v TopView) leastForm(shown []topColumn) *leastForm {
	if !slices.Contains(query.TopRates, v.Answer.Sort) {
		return nil
	}
	f := &leastForm{Of: locale.Say("Sessions"), Least: v.least(), Max: query.MaxMinCount, Kept: v.At.Kept(links.MinCountParam)}
	if shown[0].page { // Rows are sorted by the first column.
		f.Of = locale.Say("Page views")
	}
	if v.least() != "" {
		f.All = v.page("sort", v.Answer.Sort, "search", v.At.Values["search"])
	}
	return f
}

// columns are the columns with the addresses that sort by them.
func (v TopView) columns(shown []topColumn) (all []Column) {
	for _, c := range shown {
		link, defined := "", c.defined
		hidden := c.sort == "conversionRate" && slices.ContainsFunc(v.At.Locked, isGoal) // There is no rate.
		if c.sort != "" && !hidden && (v.Filtering == nil || filtered.Sortable(c.sort)) {
			least := v.least()
			if !slices.Contains(query.TopRates, c.sort) {
				least = ""
			}
			link = v.page("sort", c.sort, "search", v.At.Values["search"], links.MinCountParam, least)
		}
		if defined == "" {
			defined = c.sort
		}
		all = append(all, Column{links.Choice{Title: locale.Say(c.title), Address: link, Chosen: c.sort == v.Answer.Sort}, v.At.Defined(defined)})
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
			strings.Contains(strings.ToLower(locale.Spelled(lists.RowText(v.Answer.Dimension, r.Value), v.At.Language)), search) {
			rows = append(rows, r)
		}
	}
	return rows
}

// foundText says what a search has found.
func foundText(n int, a query.TopAnswer) string {
	said := locale.Say("%s {value|values}", locale.Count(int64(n)))
	if n > TopRows {
		said += ", " + locale.Say("of which the first %s are shown", locale.Count(TopRows))
	}
	if a.Cursor != "" {
		said += ", " + locale.Say("among the %s greatest of %s", locale.Count(int64(len(a.Rows))), locale.Count(int64(a.Values)))
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
	visitors := locale.Unknown
	r.Value, r.Filter = lists.NoneText(a.Dimension), v.At.Adding(lists.Filter(a.Dimension, a.Sort), "")
	f, ok := lists.NoneOf(a, a.Sort)
	if ok && a.Dimension != "event" && v.At.Values["cursor"] == "" && (f.Share != nil || f.Unit == "") {
		if r.Change, r.Trend = lists.NoneChange(f, v.Before, a.Sort); f.Unit != "" {
			visitors, c.Share, r.Note = locale.Count(int64(f.X))+" "+f.Unit, f.Share, locale.Say(lists.NoneNote)
		}
		if at := slices.IndexFunc(a.Rows, func(row query.TopRow) bool {
			return row.Share != nil && f.Share != nil && *row.Share < *f.Share
		}); at >= 0 {
			place = at
		}
	}
	for _, column := range shown {
		cell := column.of(c)
		switch {
		case column.sort == "uniqueVisitors":
			cell = visitors
		case column.page, column.valued:
			cell = locale.Unknown
		}
		r.Cells = append(r.Cells, cell)
	}
	return r, place
}

// titles are the titles of dimensions.
func titles() map[string]string {
	all := map[string]string{"utm_source": "UTM sources", "utm_medium": "UTM media", "utm_content": "UTM contents", "utm_term": "UTM terms",
		"region": "Regions", "hostname": "Hostnames"}
	for _, s := range lists.Sections() {
		all[s.Dimension] = s.Title
	}
	all["page"], all[query.EntryDimension], all[query.ExitDimension] = "Pages", "Entries", "Exits"
	return all
}

// titleOf is the title of a dimension.
func titleOf(dimension string) string {
	if title, ok := titles()[dimension]; ok {
		return locale.Say(title)
	}
	return locale.Text(dimension)
}

// topNotes say what must be known about the figures of a list.
func topNotes(a query.TopAnswer) []string {
	notes := []string{locale.Say("%s {value has|values have} a row in this range. (others) are those after this page, and what any "+
		"value did while it had no row.", locale.Count(int64(a.Values)))}
	if a.MinCount > 0 {
		notes[0] = locale.Say("%s {value has|values have} as many. (others) are those after this page or with fewer, and what any value did "+
			"while it had no row.", locale.Count(int64(a.Values)))
	}
	worst := a.Other.VisitorsError
	for _, r := range a.Rows {
		worst = max(worst, r.VisitorsError)
	}
	for _, n := range []struct {
		holds bool
		note  string
	}{{a.NotBrokenDown > 0, locale.Say("%s {event is|events are} in no list.", locale.Count(a.NotBrokenDown))},
		{a.AbsentAtMost > 0, locale.Say("A value without a row has at most %s {event|events}.", locale.Count(int64(a.AbsentAtMost)))},
		{a.Lacks.Sessions > 0, locale.Say("Sessions of a row may lack up to %s, which are in (others).", locale.Count(a.Lacks.Sessions))},
		{worst > 0, locale.Say("Numbers with a ~ are estimates with a relative standard error of %s.", locale.Percent(worst))}} {
		if n.holds {
			notes = append(notes, n.note)
		}
	}
	return notes
}
