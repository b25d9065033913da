package query

import (
	"context"
	"errors"
	"fmt"

	"github.com/footfall/footfall/internal/urlquery"
	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/query/internal/sitetable"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// FilterParams are filters, and how they may be answered.
type FilterParams struct {
	Where []Condition // all of them; one at least, but for FilteredTop
	// Exact computes from raw events also what breakdowns can answer.
	Exact     bool
	MaxEvents int // max. packed raw events read, at least 1; 0: DefaultMaxFilterEvents
	// EstimateOnly has the answer say what reading raw events will cost, and nothing else.
	EstimateOnly bool
	// OnEstimate is called with the estimated cost before raw events are read. Its error ends the question. nil: it is not called.
	OnEstimate func(FilterCost) error
	// Locked are those of Where that the user cannot remove. Rows and other filters hide an entry or exit page whose view does not pass
	// them by its own values: the session counts as one without such a page.
	Locked []Condition
	// Within is set for users who may see nothing beyond the range: conversions after it do not count.
	Within bool

	all bool // there may be no filters
}

// check checks the filters and the bound.
func (p *FilterParams) check() error {
	if p.MaxEvents < 0 {
		return &ParamError{Param: "max-events", Value: fmt.Sprint(p.MaxEvents), Remedy: "choose 1 or more"}
	}
	if p.MaxEvents == 0 {
		p.MaxEvents = DefaultMaxFilterEvents
	}
	if p.all && len(p.Where) == 0 {
		return nil
	}
	return checkConditions(p.Where)
}

// passingEvents takes events of a range that pass filters.
type passingEvents interface {
	// next takes the next event, in their order. If filters are by what whole sessions have, and the event's is not decided about, passes is
	// false and the event passes all other filters: decide is called with the number that next returns, in any order.
	next(it sinks.Item, passes bool) (n int64)
	decide(n int64, passes bool)
	waits() int // how many events are kept
}

// A filterQuestion is what of a range is to pass which filters.
type filterQuestion struct {
	t     sitetable.Table
	span  calendar.Span
	p     FilterParams
	scope Scope
	rows  []filterDimension // whose values are the rows of the answer
	// whole returns where something counts that has a value in a row by the entry or exit page, by its index; nil: nowhere. Other rows are
	// those of filterInto. It is set if there are such rows.
	whole func(row int, value string) *filterSums
	// missed is called with each session of the range that passes all filters but those of the form goal=ID, which it does not: with its
	// values in the dimensions of rows. nil: it is not called.
	missed func(values []string)
	bound  func() error // called now and then; its error ends the question; nil: there is no bound
	// refused is called for rows that raw events do not say, with why, instead of refusing the question. nil: the question is refused.
	refused func(row int, why error)
	passing passingEvents // gets the events of the range that pass; nil: nothing does
	bots    *int64        // counts the events of bots in the range; nil: nothing does
	goals   *goalScan     // finds conversions; nil: they are not asked for
}

func newFilterQuestion(t sitetable.Table, s calendar.Span, p FilterParams) filterQuestion {
	return filterQuestion{t: t, span: s, p: p, scope: ScopeOf(p.Where)}
}

func (q *filterQuestion) report(source FilterSource) FilterReport {
	r := FilterReport{Where: []string{}, Scope: q.scope, Source: source}
	for _, c := range q.p.Where {
		r.Where = append(r.Where, c.String())
	}
	return r
}

// stored returns the dimension whose breakdowns answer the filters, if they do.
func (q *filterQuestion) stored() (d topDimension, ok bool) {
	if q.p.Exact || len(q.p.Where) != 1 || !q.p.Where[0].single() {
		return d, false
	}
	d, err := parseTopDimension(q.p.Where[0].Dimension)
	return d, err == nil && d.checkChosen(q.t.Clock.Rules) == nil
}

// figuresOf returns the figures of the value that is asked for. ok is false if it has none.
func (q *filterQuestion) figuresOf(t *topSum) (f FilteredFigures, ok bool) {
	counts := sketch.Counts{Visitors: sketch.NewRow()}
	f.Uncertain = t.merge.Floor()
	for _, row := range t.merge.Rows() {
		if row.Value == q.p.Where[0].Value {
			counts, f.Uncertain, ok = row.Counts, row.Error, true
		}
	}
	uncertain := f.Uncertain
	f = rowFigures(&counts, t.by.d, q.scope)
	f.Uncertain = uncertain
	if q.scope == ScopeSessions {
		f.UncertainSessions = t.merge.Other().Sessions
	}
	return f, ok
}

// A filterRange is a range whose raw events are to be read.
type filterRange struct {
	q    filterQuestion
	into filterInto
	// leftOut is called with why the range was not read, instead of refusing all. What into has got by then is to be dropped. nil: all is
	// refused. The first range has none.
	leftOut func(why error)
	done    func() // called when the range was read, before the next one is. nil: it is not called
}

// readEvents reads the raw events of the range and its margin.
func (q *filterQuestion) readEvents(ctx context.Context, into filterInto) (FilterReport, error) {
	return readRanges(ctx, filterRange{q: *q, into: into})
}

// readRanges reads the raw events of ranges with the same filters, and their margins. The cost is that of all.
func readRanges(ctx context.Context, ranges ...filterRange) (FilterReport, error) {
	q := ranges[0].q
	report := q.report(FromEvents)
	err := scanRanges(ctx, &report, ranges)
	if unanswerable(err) {
		err = &FilterError{q.t.Site, q.p.Where, err, report.Cost}
	}
	return report, err
}

// unanswerable reports whether an error says that raw events cannot answer.
func unanswerable(err error) bool {
	_, raw := errors.AsType[*RawEventsError](err)
	_, param := errors.AsType[*ParamError](err)
	_, goal := errors.AsType[*GoalFilterError](err)
	return raw || param && !goal
}

// leave leaves out a range that cannot be read for this reason, which cost is known of. It returns the error if it must be read.
func (f *filterRange) leave(err error, cost FilterCost) error {
	if f.leftOut == nil || !unanswerable(err) {
		return err
	}
	f.leftOut(&FilterError{f.q.t.Site, f.q.p.Where, err, &cost})
	return nil
}

func scanRanges(ctx context.Context, report *FilterReport, ranges []filterRange) error {
	report.Cost = new(FilterCost)
	if err := ranges[0].q.checkGoals(ctx); err != nil {
		return err
	}
	var kept []filterRange
	var readings []*filterReading
	for _, of := range ranges {
		reading, err := newFilterReading(ctx, of.q.t, of.q.span)
		if err != nil {
			if err = of.leave(err, *report.Cost); err != nil {
				return err
			}
			continue
		}
		kept, readings = append(kept, of), append(readings, reading)
		report.Cost.add(reading.cost)
	}
	if ranges[0].q.p.EstimateOnly {
		return nil
	}
	for i, of := range kept {
		if err := of.q.checkSource(readings[i].settings.counting); err != nil {
			return err
		}
	}
	err := afford(ranges[0].q.p, *report.Cost, readings)
	for last := len(kept) - 1; err != nil && last > 0; last-- {
		if err = kept[last].leave(err, *report.Cost); err != nil {
			return err
		}
		report.Cost.withoutEvents(readings[last].cost)
		kept, readings = kept[:last], readings[:last]
		err = afford(ranges[0].q.p, *report.Cost, readings)
	}
	if err != nil {
		return err
	}
	for i, of := range kept {
		missing := report.EventsMissing
		err := of.q.read(ctx, report, readings[i], of.into)
		if err != nil {
			report.EventsMissing = missing
			if err = of.leave(err, *report.Cost); err != nil {
				return err
			}
			continue
		}
		if of.done != nil {
			of.done()
		}
	}
	return nil
}

// afford refuses readings that cost more than the question allows.
func afford(p FilterParams, cost FilterCost, readings []*filterReading) error {
	packed := int64(0)
	for _, r := range readings {
		packed += r.packed()
	}
	if err := cost.check(packed, p.MaxEvents, len(readings)); err != nil || p.OnEstimate == nil {
		return err
	}
	return p.OnEstimate(cost)
}

// read reads the raw events of a reading.
func (q *filterQuestion) read(ctx context.Context, report *FilterReport, reading *filterReading, into filterInto) error {
	scan, err := q.newScan(ctx, reading.settings.counting, into)
	if err != nil {
		return err
	}
	walk, err := newRawWalk(ctx, q.t, reading.span, 0)
	if err != nil {
		return err
	}
	scan.tally = reading.tally
	if err := scan.all(ctx, walk); err != nil {
		return err
	}
	reading.tally = scan.tally
	report.EventsMissing += scan.tally.missing()
	report.Cost.EventsRead += int64(walk.read)
	report.Cost.ReadUnits += walk.m.Units()
	return reading.missing(ctx, walk)
}

// checkSource refuses filters by campaigns and channels if raw events keep no query parameters that say them.
func (q *filterQuestion) checkSource(c rawCounting) error {
	kept, err := urlquery.Parse(q.t.Clock.Rules.QueryParametersOr(c.QueryParameters))
	if err != nil {
		return nil // Settings of a test or of another release: it is not known what is kept.
	}
	for _, condition := range q.p.Where {
		if err := q.checkKept(kept, filterDimensionOf(condition.Dimension)); err != nil {
			return err
		}
	}
	for i, d := range q.rows {
		err := q.checkKept(kept, d)
		if err != nil && q.refused == nil {
			return err
		}
		if err != nil {
			q.refused(i, err)
		}
	}
	return nil
}

// checkKept refuses a dimension if the query parameters that say it are not kept.
func (q *filterQuestion) checkKept(kept urlquery.Kept, d filterDimension) error {
	if !d.ofSource() || d.d == sketch.Referrer {
		return nil
	}
	name := "utm_source"
	if d.d != sketch.Channel {
		name = d.d.String()
	}
	url := []byte("/?" + name + "=x")
	if string(kept.Cut(url)) == string(url) {
		return nil
	}
	return &RawEventsError{Site: q.t.Site, Why: fmt.Sprintf("they keep no query parameter %s (privacy.queryParameters), and %v is "+
		"known by it", name, d.d)}
}
