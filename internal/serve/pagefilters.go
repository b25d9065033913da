package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/footfall/footfall/internal/access"
	"github.com/footfall/footfall/internal/page"
	"github.com/footfall/footfall/internal/page/filtered"
	"github.com/footfall/footfall/internal/page/links"
	"github.com/footfall/footfall/internal/page/locale"
	"github.com/footfall/footfall/internal/serve/permit"
	"github.com/footfall/footfall/internal/serve/problem"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/query/filters"
)

// valuesOf are the values that a form's field has: several between commas, as in --where, and countries also by name. A text that --where
// does not take is one value.
func valuesOf(text, dimension string, op query.Op, language string) []string {
	if dimension == "country" && (op == query.Is || op == query.IsNot) {
		var codes []string
		for name := range strings.SplitSeq(text, ",") {
			if name = strings.TrimSpace(name); name != "" {
				codes = append(codes, cmp.Or(locale.CountryCode(name, language), name))
			}
		}
		if codes != nil {
			return codes
		}
	}
	if c, err := query.ParseCondition(dimension + string(op) + text); err == nil && c.Dimension == dimension && c.Op == op {
		return c.Values
	}
	return []string{text}
}

// filtersOf takes the filters of a page out of the values of its address. A form's filters and days lead to the address that has them as
// all others do, so that each page has one address. The filters of the grant are on every page, and in no address.
func filtersOf(ctx context.Context, r request, at links.Address) (links.Address, error) {
	delete(r.values, links.ShownParam)
	isRange, err := rangeOfForm(r.values)
	if err != nil {
		return at, err
	}
	texts := r.URL.Query()[links.WhereParam]
	delete(r.values, links.WhereParam)
	kept, isKept := r.values[links.KeptParam]
	dimension, isNew := r.values[links.DimensionParam]
	if isKept {
		values, err := url.ParseQuery(kept)
		if err != nil {
			return at, problem.AtFault(links.KeptParam, kept, "not a query string: leave it out")
		}
		texts = append(texts, values[links.WhereParam]...)
	}
	where, err := query.ParseConditions(texts)
	if err != nil {
		return at, err
	}
	if isNew {
		op := query.Op(cmp.Or(r.values[links.OpParam], string(query.Is)))
		c := query.Condition{Dimension: dimension, Op: op, Values: valuesOf(r.values[links.ValueParam], dimension, op, at.Language)}
		if where, err = withCondition(where, c); err != nil {
			return at, err
		}
	}
	if at.Locked, err = permit.Locked(ctx); err != nil {
		return at, err
	}
	at.Where = slices.Concat(at.Locked, at.Segmented, at.Own(where))
	for _, name := range []string{links.KeptParam, links.DimensionParam, links.OpParam, links.ValueParam} {
		delete(r.values, name)
	}
	if n := len(at.Where); n > query.MaxConditions {
		return at, problem.AtFault(links.WhereParam, "", fmt.Sprintf("%d filters: give %d at most", n, query.MaxConditions))
	}
	if isKept || isNew || isRange {
		values := url.Values{}
		for name, value := range r.values {
			values.Set(name, value)
		}
		to := at.Filtered(values)
		if through := r.URL.Query()[links.ThroughParam]; len(through) > 0 {
			to[links.ThroughParam] = through
		}
		return at, &redirect{at.Base + r.URL.EscapedPath() + "?" + to.Encode()}
	}
	return at, nil
}

// withCondition adds a filter of one value, unless it is there.
func withCondition(where []query.Condition, c query.Condition) ([]query.Condition, error) {
	if !slices.ContainsFunc(page.Operators(), func(op string) bool { return op == string(c.Op) }) {
		return nil, problem.AtFault(links.OpParam, string(c.Op), "choose =, !=, ~= or ^=")
	}
	parsed, err := query.ParseCondition(c.String())
	if err == nil {
		err = query.CheckValues([]query.Condition{parsed}) // An empty field of the form is a mistake.
	}
	if err != nil {
		return nil, err
	}
	if !parsed.Equal(c) {
		return nil, problem.AtFault(links.DimensionParam, c.Dimension, "it has an operator: choose a dimension without one")
	}
	if c.In(where) {
		return where, nil
	}
	return links.Joined(where, c), nil
}

// filterBound is how many packed raw events a page reads for its filters, up to most. A limited credential does not choose it: bounds that
// are just enough would say how many events there are without its filters.
func filterBound(ctx context.Context, values map[string]string, most int) (int, error) {
	text := values[links.MaxEventsParam]
	if text == "" {
		return page.FilterEvents, nil
	}
	n, err := wholeNumber(links.MaxEventsParam, text, most)
	if err != nil {
		return 0, err
	}
	if !permit.OwnsAll(ctx) {
		n = page.FilterEvents
		delete(values, links.MaxEventsParam)
	}
	return n, nil
}

// wholeNumber reads a parameter of a page: 1 to most.
func wholeNumber(param, text string, most int) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > most {
		return 0, problem.AtFault(param, text, fmt.Sprintf("write a whole number from 1 to %d", most))
	}
	return n, nil
}

// filteredPages reads what pages show under filters.
type filteredPages struct{ *server }

// by asks for what passes the filters of a page. Where raw events are needed and cannot be read, the answer says why, and ok is
// false.
func (fs filteredPages) by(ctx context.Context, at links.Address, ask func(query.FilterParams) (query.FilterReport, error)) (
	f *page.Filtering, ok bool, err error) {
	most := page.MostEvents(at)
	bound, err := filterBound(ctx, at.Values, most)
	if err != nil {
		return nil, false, err
	}
	p := query.FilterParams{Where: at.Where, Locked: at.Locked, Saved: at.Segmented,
		Within: access.Of(ctx).Limits.Ranged(), Exact: true, MaxEvents: bound,
		OnEstimate: func(c query.FilterCost) error {
			if c.ReadUnitsEstimated <= fs.limits.ReadUnits {
				return nil
			}
			return &query.ParamError{Param: "where", Remedy: fmt.Sprintf("reading the %d raw events of the range would cost about %.0f read units, "+
				"and this server reads at most %.0f for a page: choose a shorter range",
				c.EventsEstimated, c.ReadUnitsEstimated, fs.limits.ReadUnits)}
		}}
	report, err := ask(p)
	f = &page.Filtering{Scope: query.ScopeOf(at.Where), Source: report.Source}
	refused, isRefused := errors.AsType[*query.FilterError](err)
	goal, isGoal := errors.AsType[*query.GoalFilterError](err)
	switch {
	case isGoal && !permit.OwnsAll(ctx):
		f.Source, f.Why = "", locale.Say("The filter by a goal cannot be applied: the site has no active goal of this id.")
	case isGoal:
		f.Source, f.Why = "", locale.Say("The filter by a goal cannot be applied: %s.", locale.Text(goal.Remedy()))
	case isRefused:
		if f.Source = ""; !permit.Operates(ctx) {
			refused.Err = permit.WithoutPartitionsIn(refused.Err)
		}
		refuse(f, refused, bound, most, !permit.OwnsAll(ctx))
	case err != nil:
		return nil, false, err
	default:
		f.Cost, f.Missing = report.Cost, report.EventsMissing
	}
	if !permit.OwnsAll(ctx) {
		f.Cost, f.Missing = nil, 0
	}
	return f, err == nil, nil
}

// refuse says why raw events were not read for filters. A limited viewer hears nothing of what else the table has.
func refuse(f *page.Filtering, refused *query.FilterError, bound, most int, limited bool) {
	if len(refused.Where) > 1 {
		f.Alone = refused.Alone()
	}
	wrong, isParam := errors.AsType[*query.ParamError](refused.Err)
	raw, isRaw := errors.AsType[*query.RawEventsError](refused.Err)
	switch {
	case limited && isParam:
		f.Why = locale.Say("The raw events of this range are too many for this page: choose a shorter range.")
	case limited:
		f.Why = locale.Say("Raw events are not there for this range, or do not say it.")
	case tooDear(refused) && refused.Cost != nil:
		f.Why = page.TooDear(*refused.Cost, bound)
		f.TooMany = bound < most
	case isParam:
		f.Why = "Raw events were not read: " + wrong.Remedy + "."
	case isRaw && !raw.Since.IsZero():
		f.Why, f.Since = page.Expired(raw.Days), raw.Since.Add(query.FilterMargin)
	case isRaw && raw.Off:
		f.Why = "These filters need raw events, which are not stored for all of this range (rawEvents: off)."
	case isRaw:
		f.Why = "Raw events do not say this: " + raw.Why + "."
	default:
		f.Why = "Raw events cannot be read: " + refused.Err.Error() + "."
	}
}

// tooDear reports whether raw events are more than the page was to read.
func tooDear(refused *query.FilterError) bool {
	wrong, ok := errors.AsType[*query.ParamError](refused.Err)
	return ok && wrong.Param == "max-events"
}

// apart says why the earlier range was not read for filters, and the range itself was.
// dataFrom is the site's first day with data, if all of the earlier range lies before.
func apart(f *page.Filtering, refused *query.FilterError, dataFrom *time.Time, bound int, limited bool) {
	raw, isRaw := errors.AsType[*query.RawEventsError](refused.Err)
	switch {
	case limited:
		f.NotCompared = locale.Say("Nothing is compared: the earlier range cannot be read for this page.")
	case dataFrom != nil:
		f.NotCompared = page.NoDataBefore(*dataFrom)
	case isRaw && !raw.Since.IsZero():
		f.NotCompared = locale.Say("Nothing is compared: the raw events of the earlier range have expired.")
	case isRaw:
		f.NotCompared = locale.Say("Nothing is compared: the earlier range lacks raw events.")
	case refused.Cost != nil:
		f.NotCompared = page.DearComparison(*refused.Cost)
		f.Dear = tooDear(refused) && bound < page.MostFilterEvents
	}
}

// apart says why an answer is not compared, if it was to be.
func (fs filteredPages) apart(ctx context.Context, at links.Address, f *page.Filtering, a query.FilteredListsAnswer) error {
	if a.Stats.Previous != nil || a.NotCompared == nil {
		return nil
	}
	bound, err := filterBound(ctx, at.Values, page.MostFilterEvents)
	if err == nil {
		apart(f, a.NotCompared, a.DataFrom, bound, !permit.OwnsAll(ctx))
	}
	return err
}

// site is figures, without a comparison where nothing can be before.
func (fs filteredPages) site(ctx context.Context, v *page.SiteView, in *StatsInput) error {
	err := fs.figures(ctx, v, in)
	if in.nothingBefore(err) {
		in.Compare = ""
		err = fs.figures(ctx, v, in)
	}
	return err
}

// figures reads the figures and lists of a site's page under filters.
func (fs filteredPages) figures(ctx context.Context, v *page.SiteView, in *StatsInput) error {
	span, err := in.read(ctx, fs.reader, in.reading(api{server: fs.server}))
	if err != nil {
		return err
	}
	p := query.FilteredListsParams{FilteredStatsParams: query.FilteredStatsParams{Site: in.Site, From: span.From, To: span.To, Unit: span.Unit,
		Zone: span.zone, By: query.By(in.By), Fill: true, Compare: in.Compare != "", Against: in.Compare}, Lists: filtered.Lists(v.At.Where),
		Goals: true}
	var a query.FilteredListsAnswer
	f, ok, err := fs.by(ctx, v.At, func(filters query.FilterParams) (query.FilterReport, error) {
		p.FilterParams = filters
		a, err = fs.reader.FilteredLists(ctx, p)
		return a.Stats.Filter, err
	})
	if err != nil {
		return err
	}
	f.Compared = a.Stats.Previous != nil
	if !ok {
		stats, answered, err := fs.fromBreakdowns(ctx, p.FilteredStatsParams)
		if err == nil && !answered {
			stats, err = fs.rangeAlone(ctx, p.FilteredStatsParams)
		}
		if err != nil {
			return err
		}
		a.Stats, f.Source, f.Lacking = stats, stats.Filter.Source, lackingOf(stats)
	}
	if a.Stats, err = permit.Hold(ctx, a.Stats); err != nil {
		return err
	}
	for i := range a.Lists {
		if a.Lists[i].FilteredTopAnswer, err = permit.Hold(ctx, a.Lists[i].FilteredTopAnswer); err != nil {
			return err
		}
	}
	v.Stats, v.Filtering = filtered.Stats(a.Stats), f
	v.FilteredGoals = a.Goals
	v.Tops, v.Absent = filtered.Tops(a.Lists, permit.WhyNoList(ctx))
	if fs.comparable(v.Stats) {
		v.TopsBefore, v.FilteredGoalsBefore = filtered.TopsBefore(a.Lists), a.GoalsBefore
	}
	if f.From = v.Stats.From; !v.Stats.InProgress {
		f.To = v.Stats.To
	}
	if err := fs.apart(ctx, v.At, f, a); err != nil {
		return err
	}
	v.Realtime = query.RealtimeAnswer{SwitchedOff: true}
	return absent(v.Stats)
}

// fromBreakdowns answers filters without raw events; ok is false if breakdowns cannot.
func (fs filteredPages) fromBreakdowns(ctx context.Context, p query.FilteredStatsParams) (a query.FilteredStatsAnswer, ok bool, err error) {
	if len(p.Where) > 1 || p.Where[0].Dimension == query.GoalDimension {
		return a, false, nil
	}
	p.Exact, p.OnEstimate = false, func(query.FilterCost) error { return errNoBreakdown }
	a, err = fs.reader.FilteredStats(ctx, p)
	if _, refused := errors.AsType[*query.FilterError](err); refused || errors.Is(err, errNoBreakdown) {
		return a, false, nil
	}
	return a, err == nil, err
}

// lackingOf is how many events figures from breakdowns may lack.
func lackingOf(a query.FilteredStatsAnswer) uint64 {
	if a.Totals == nil {
		return 0
	}
	return a.Totals.Uncertain
}

// rangeAlone is an answer without figures.
func (fs filteredPages) rangeAlone(ctx context.Context, p query.FilteredStatsParams) (query.FilteredStatsAnswer, error) {
	stats, err := fs.reader.Stats(ctx, query.StatsParams{Site: p.Site, From: p.From, To: p.To, Unit: p.Unit, Zone: p.Zone, By: p.By,
		Paging: query.Paging{Limit: 1}})
	return query.FilteredStatsAnswer{Site: p.Site, Known: stats.Known, By: stats.By, Zone: stats.Zone, From: stats.From, To: stats.To,
		InProgress: stats.InProgress, Coverage: stats.Coverage, Filter: query.FilterReport{Where: filters.Texts(p.Where)}}, err
}

var errNoBreakdown = errors.New("breakdowns do not answer these filters")
