package serve

import (
	"context"
	"slices"
	"strconv"

	"github.com/footfall/footfall/internal/page"
	"github.com/footfall/footfall/internal/page/filtered"
	"github.com/footfall/footfall/internal/serve/permit"
	"github.com/footfall/footfall/internal/serve/problem"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/query/filters"
	"github.com/footfall/footfall/sketch"
)

// top reads the list from raw events, under filters or without any. Its cursor is how many rows come before the page: raw events
// are read for each.
func (fs filteredPages) top(ctx context.Context, v *page.TopView, p query.TopParams, of span) error {
	first := 0
	if p.Cursor != "" {
		n, err := strconv.Atoi(p.Cursor)
		if err != nil || n < 1 || n > query.MaxLimit {
			return problem.AtFault("cursor", p.Cursor, "not a cursor of a filtered list: leave it out")
		}
		first = n
	}
	asked := p.Sort
	p.Sort = filtered.Sort(p.Sort, query.ScopeOf(append(slices.Clone(v.At.Where), query.Condition{Dimension: p.Dimension})))
	if p.Sort == "conversionRate" && permit.RatesHidden(ctx) {
		p.Sort = ""
	}
	if p.Sort == "" && asked != "" { // The figure is not known, nor how many have it.
		p.MinCount = 0
	}
	in := &StatsInput{Compare: comparison(ctx, v.At.Values["compare"])}
	f, a, err := fs.list(ctx, v, p, of, in)
	if in.nothingBefore(err) {
		in.Compare = ""
		f, a, err = fs.list(ctx, v, p, of, in)
	}
	if err != nil {
		return err
	}
	if f.Why != "" {
		a.Filter.Where = filters.Texts(v.At.Where)
		a.From, a.To = p.From, p.To
	}
	if f.From = p.From; !p.To.After(fs.now()) {
		f.To = p.To
	}
	if a, err = permit.Hold(ctx, a); err != nil {
		return err
	}
	v.Filtering = f
	if f.Why != "" { // The answer has the range alone.
		dimension := p.Dimension
		p.Limit, p.MinCount, p.Cursor, p.Sort, p.Dimension = 1, 0, "", "", sketch.Page.String()
		v.Answer, err = fs.reader.Top(ctx, p)
		p.Dimension = dimension
		v.Answer = query.TopAnswer{Site: p.Site, Known: v.Answer.Known, Dimension: p.Dimension, From: v.Answer.From, To: v.Answer.To,
			Sort: v.Answer.Sort}
		return err
	}
	v.Answer = filtered.Top(a)
	rows := v.Answer.Rows[min(first, len(v.Answer.Rows)):]
	if len(rows) > p.Limit {
		rows, v.Answer.Cursor = rows[:p.Limit], strconv.Itoa(first+p.Limit)
	}
	v.Answer.Rows = rows
	return nil
}

// list reads the values of a dimension, and under filters their figures in the range that the page's is compared with, if it is.
func (fs filteredPages) list(ctx context.Context, v *page.TopView, p query.TopParams, of span, in *StatsInput) (
	f *page.Filtering, a query.FilteredTopAnswer, err error) {
	v.Before = nil
	if in.Compare == "" || len(v.At.Where) == 0 {
		f, _, err = fs.by(ctx, v.At, func(filters query.FilterParams) (_ query.FilterReport, err error) {
			a, err = fs.reader.FilteredTop(ctx, query.FilteredTopParams{Site: p.Site, Dimension: p.Dimension, From: p.From, To: p.To, Zone: p.Zone,
				Sort: p.Sort, Limit: query.MaxLimit, MinCount: p.MinCount, FilterParams: filters})
			return a.Filter, err
		})
		return f, a, err
	}
	var lists query.FilteredListsAnswer
	f, ok, err := fs.by(ctx, v.At, func(filters query.FilterParams) (_ query.FilterReport, err error) {
		lists, err = fs.reader.FilteredLists(ctx, query.FilteredListsParams{FilteredStatsParams: query.FilteredStatsParams{Site: p.Site,
			From: p.From, To: p.To, Unit: of.Unit, Zone: p.Zone, Compare: true, Against: in.Compare, FilterParams: filters},
			Lists: []query.TopList{{Dimension: p.Dimension, Sort: p.Sort, Limit: query.MaxLimit, MinCount: p.MinCount}}})
		if err == nil && len(lists.Lists) == 1 && lists.Lists[0].Refused != nil {
			err = &query.FilterError{Site: p.Site, Where: filters.Where, Err: lists.Lists[0].Refused, Cost: lists.Stats.Filter.Cost}
		}
		return lists.Stats.Filter, err
	})
	if err != nil || !ok {
		return f, a, err
	}
	if len(lists.Lists) == 0 { // The site is not known.
		return f, query.FilteredTopAnswer{Site: p.Site, Dimension: p.Dimension, From: p.From, To: p.To, Filter: lists.Stats.Filter}, nil
	}
	f.Compared = lists.Stats.Previous != nil
	if before := filtered.TopsBefore(lists.Lists); len(before) == 1 && fs.comparable(filtered.Stats(lists.Stats)) {
		v.Before = &before[0]
	}
	return f, lists.Lists[0].FilteredTopAnswer, fs.apart(ctx, v.At, f, lists)
}
