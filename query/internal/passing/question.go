package passing

import (
	"context"
	"errors"
	"fmt"

	"github.com/footfall/footfall/internal/urlquery"
	"github.com/footfall/footfall/query/filters"
	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/query/internal/rawevents"
	"github.com/footfall/footfall/query/internal/sitetable"
	"github.com/footfall/footfall/query/ranges"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// Events takes events of a range that pass filters.
type Events interface {
	// Next takes the next event, in their order. If filters are by what whole sessions have, and the event's is not decided about, passes is
	// false and the event passes all other filters: Decide is called with the number that Next returns, in any order.
	Next(it sinks.Item, passes bool) (n int64)
	// Decide says whether an event passes that Next took undecided.
	Decide(n int64, passes bool)
	Waits() int // how many events are kept
}

// A Question is what of a range is to pass which filters.
type Question struct {
	Table  sitetable.Table
	Span   calendar.Span
	Params filters.Params
	Scope  filters.Scope
	Rows   []Dimension // whose values are the rows of the answer
	// Whole returns where something counts that has a value in a row by the entry or exit page, by its index; nil: nowhere. Other rows are
	// those of Into. It is set if there are such rows.
	Whole func(row int, value string) *Sums
	// Missed is called with each session of the range that passes all filters but those of the form goal=ID, which it does not: with its
	// values in the dimensions of rows. nil: it is not called.
	Missed func(values []string)
	Bound  func() error // called now and then; its error ends the question; nil: there is no bound
	// Refused is called for rows that raw events do not say, with why, instead of refusing the question. nil: the question is refused.
	Refused func(row int, why error)
	Passing Events    // gets the events of the range that pass; nil: nothing does
	Bots    *int64    // counts the events of bots in the range; nil: nothing does
	Goals   *GoalScan // finds conversions; nil: they are not asked for
}

// NewQuestion asks what of a span passes filters, which were checked.
func NewQuestion(t sitetable.Table, s calendar.Span, p filters.Params) Question {
	return Question{Table: t, Span: s, Params: p, Scope: filters.ScopeOf(p.Where)}
}

// Report begins the report of how the filters are answered.
func (q *Question) Report(source filters.Source) filters.Report {
	r := filters.Report{Where: []string{}, Scope: q.Scope, Source: source}
	for _, c := range q.Params.Where {
		r.Where = append(r.Where, c.String())
	}
	return r
}

// A Range is a range whose raw events are to be read.
type Range struct {
	Question Question
	Into     Into
	// LeftOut is called with why the range was not read, instead of refusing all. What Into has got by then is to be dropped. nil: all is
	// refused. The first range has none.
	LeftOut func(why error)
	Done    func() // called when the range was read, before the next one is. nil: it is not called
}

// ReadEvents reads the raw events of the range and its margin.
func (q *Question) ReadEvents(ctx context.Context, into Into) (filters.Report, error) {
	return ReadRanges(ctx, Range{Question: *q, Into: into})
}

// ReadRanges reads the raw events of ranges with the same filters, and their margins. The cost is that of all.
func ReadRanges(ctx context.Context, all ...Range) (filters.Report, error) {
	q := all[0].Question
	report := q.Report(filters.FromEvents)
	err := scanRanges(ctx, &report, all)
	if unanswerable(err) {
		err = &filters.Error{Site: q.Table.Site, Where: q.Params.Where, Err: err, Cost: report.Cost}
	}
	return report, err
}

// unanswerable reports whether an error says that raw events cannot answer.
func unanswerable(err error) bool {
	_, raw := errors.AsType[*ranges.RawEventsError](err)
	_, param := errors.AsType[*ranges.ParamError](err)
	_, goal := errors.AsType[*filters.GoalError](err)
	return raw || param && !goal
}

// leave leaves out a range that cannot be read for this reason, which cost is known of. It returns the error if it must be read.
func (f *Range) leave(err error, cost filters.Cost) error {
	if f.LeftOut == nil || !unanswerable(err) {
		return err
	}
	f.LeftOut(&filters.Error{Site: f.Question.Table.Site, Where: f.Question.Params.Where, Err: err, Cost: &cost})
	return nil
}

func scanRanges(ctx context.Context, report *filters.Report, all []Range) error {
	report.Cost = new(filters.Cost)
	if err := all[0].Question.checkGoals(ctx); err != nil {
		return err
	}
	var kept []Range
	var readings []*rawevents.Reading
	for _, of := range all {
		reading, err := rawevents.NewReading(ctx, of.Question.Table, of.Question.Span)
		if err != nil {
			if err = of.leave(err, *report.Cost); err != nil {
				return err
			}
			continue
		}
		kept, readings = append(kept, of), append(readings, reading)
		addCost(report.Cost, reading.Cost)
	}
	if all[0].Question.Params.EstimateOnly {
		return nil
	}
	for i, of := range kept {
		if err := of.Question.checkSource(readings[i].Settings.Counting); err != nil {
			return err
		}
	}
	err := afford(all[0].Question.Params, *report.Cost, readings)
	for last := len(kept) - 1; err != nil && last > 0; last-- {
		if err = kept[last].leave(err, *report.Cost); err != nil {
			return err
		}
		leaveOutCost(report.Cost, readings[last].Cost)
		kept, readings = kept[:last], readings[:last]
		err = afford(all[0].Question.Params, *report.Cost, readings)
	}
	if err != nil {
		return err
	}
	for i, of := range kept {
		missing := report.EventsMissing
		err := of.Question.read(ctx, report, readings[i], of.Into)
		if err != nil {
			report.EventsMissing = missing
			if err = of.leave(err, *report.Cost); err != nil {
				return err
			}
			continue
		}
		if of.Done != nil {
			of.Done()
		}
	}
	return nil
}

// afford refuses readings that cost more than the question allows.
func afford(p filters.Params, cost filters.Cost, readings []*rawevents.Reading) error {
	packed := int64(0)
	for _, r := range readings {
		packed += r.Packed()
	}
	if err := checkCost(cost, packed, p.MaxEvents, len(readings)); err != nil || p.OnEstimate == nil {
		return err
	}
	return p.OnEstimate(cost)
}

// addCost adds the cost of another range.
func addCost(c *filters.Cost, o filters.Cost) {
	c.EventsEstimated += o.EventsEstimated
	c.ReadUnitsEstimated += o.ReadUnitsEstimated
	c.EventsRead += o.EventsRead
	c.ReadUnits += o.ReadUnits
}

// leaveOutCost takes away the cost of a range whose events are not read. What finding that out has consumed remains.
func leaveOutCost(c *filters.Cost, o filters.Cost) {
	c.EventsEstimated -= o.EventsEstimated
	c.ReadUnitsEstimated -= o.ReadUnitsEstimated - o.ReadUnits
}

// checkCost refuses a range, or two that are compared, that cost more than the bound, given as how many packed events they cost.
func checkCost(c filters.Cost, packed int64, most, n int) error {
	if packed <= int64(most) {
		return nil
	}
	what := "the range and its margins"
	if n > 1 {
		what = "the range, the one that it is compared with and their margins"
	}
	return &ranges.ParamError{Param: "max-events", Value: fmt.Sprint(most),
		Remedy: fmt.Sprintf("%s have %d raw events, which cost about %.0f read units, as %d packed "+
			"events: ask for a shorter range, or raise the bound", what, c.EventsEstimated, c.ReadUnitsEstimated, packed)}
}

// read reads the raw events of a reading.
func (q *Question) read(ctx context.Context, report *filters.Report, reading *rawevents.Reading, into Into) error {
	scan, err := q.newScan(ctx, reading.Settings.Counting, into)
	if err != nil {
		return err
	}
	walk, err := rawevents.NewWalk(ctx, q.Table, reading.Span, 0)
	if err != nil {
		return err
	}
	scan.tally = reading.Tally
	if err := scan.all(ctx, walk); err != nil {
		return err
	}
	reading.Tally = scan.tally
	report.EventsMissing += scan.tally.Missing()
	report.Cost.EventsRead += int64(walk.Read)
	report.Cost.ReadUnits += walk.Units()
	return reading.Missing(ctx, walk)
}

// checkSource refuses filters by campaigns and channels if raw events keep no query parameters that say them.
func (q *Question) checkSource(c rawevents.Counting) error {
	kept, err := urlquery.Parse(q.Table.Clock.Rules.QueryParametersOr(c.QueryParameters))
	if err != nil {
		return nil // Settings of a test or of another release: it is not known what is kept.
	}
	for _, condition := range q.Params.Where {
		if err := q.checkKept(kept, DimensionOf(condition.Dimension)); err != nil {
			return err
		}
	}
	for i, d := range q.Rows {
		err := q.checkKept(kept, d)
		if err != nil && q.Refused == nil {
			return err
		}
		if err != nil {
			q.Refused(i, err)
		}
	}
	return nil
}

// checkKept refuses a dimension if the query parameters that say it are not kept.
func (q *Question) checkKept(kept urlquery.Kept, d Dimension) error {
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
	return &ranges.RawEventsError{Site: q.Table.Site, Why: fmt.Sprintf("they keep no query parameter %s (privacy.queryParameters), and %v is "+
		"known by it", name, d.d)}
}
