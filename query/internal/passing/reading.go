package passing

import (
	"context"
	"errors"

	"github.com/footfall/footfall/query/filters"
	"github.com/footfall/footfall/query/internal/rawevents"
	"github.com/footfall/footfall/query/ranges"
)

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
