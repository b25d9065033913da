package passing

import (
	"context"
	"fmt"
	"slices"

	"github.com/footfall/footfall/query/filters"
	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/query/internal/rawevents"
	"github.com/footfall/footfall/query/ranges"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// A filterScan counts the raw events and sessions of a range that pass filters.
type filterScan struct {
	conditions []filters.Condition
	dimensions []Dimension // of the conditions
	locked     []bool      // which of the conditions are of filters.Params.Locked
	scope      filters.Scope
	span       calendar.Span // of the range
	within     bool          // as in filters.Params
	rows       []Dimension   // whose values are the rows of the answer

	values   *eventValues
	hasher   sketch.Hasher
	sessions *filterSessions // nil: no figure and no filter depends on sessions
	into     Into
	asked    *Question
	passing  Events // and bots: as in Question
	bots     *int64
	goals    *GoalScan // nil: neither conversions nor filters by goals are asked for
	tally    rawevents.Tally
	read     int       // raw events
	row      []string  // of valuesOf
	landings *landings // nil: no filter is by what whole sessions have
	pages    bool      // filters or rows are by the entry or exit page
	// wholeRows are the indexes of rows by the entry or exit page.
	wholeRows []int
	paths     *Paths // nil: they are not asked for
	texts     texts
}

// newScan makes a scan of the range for filters.
func (q *Question) newScan(ctx context.Context, c rawevents.Counting, into Into) (*filterScan, error) {
	f := &filterScan{conditions: q.Params.Where, scope: q.Scope, span: q.Span, within: q.Params.Within, rows: q.Rows,
		values: newEventValues(q.Table), into: into, asked: q, passing: q.Passing, bots: q.Bots, goals: q.Goals,
		paths: q.Paths, texts: make(texts)}
	f.conditions = slices.Clone(f.conditions)
	for i, c := range q.Params.Where {
		f.dimensions = append(f.dimensions, DimensionOf(c.Dimension))
		f.conditions[i].Values = Counted(c)
		f.locked = append(f.locked, c.In(q.Params.Locked))
	}
	bySource := slices.ContainsFunc(slices.Concat(f.dimensions, f.rows), Dimension.ofSource)
	f.landings = newLandings(f.dimensions)
	for i, d := range f.rows {
		if d.OfWhole() {
			f.wholeRows = append(f.wholeRows, i)
		}
	}
	f.pages = f.wholeRows != nil || slices.ContainsFunc(f.dimensions, Dimension.OfPages)
	if f.goals == nil && slices.ContainsFunc(q.Params.Where, filters.Condition.OfGoal) {
		var err error
		if f.goals, err = NewGoalScan(ctx, q.Table, q.Span); err != nil {
			return nil, err
		}
	}
	if f.scope == filters.ScopeSessions || bySource || f.landings != nil || f.wholeRows != nil || f.goals != nil || f.paths != nil {
		f.sessions = newFilterSessions(c)
		f.sessions.end = f.end
	}
	if f.goals != nil {
		f.goals.choose(q.Params)
	}
	settings, ok, err := sinks.LoadTableSettings(ctx, q.Table.Table, q.Table.Keys)
	if err != nil {
		return nil, fmt.Errorf("read the table's settings: %w", err)
	}
	if ok {
		f.values.classifyAs(settings.Format)
	}
	if ok && len(settings.HashKey) == sketch.HashKeyBytes { // Otherwise the key is not in the table: visitors are counted by another.
		f.hasher, err = sketch.NewHasher(settings.HashKey)
	}
	return f, err
}

// all reads the raw events of a walk over the span and its margin.
func (f *filterScan) all(ctx context.Context, walk *rawevents.Walk) error {
	for it, err := range walk.All(ctx) {
		if err != nil {
			return err
		}
		if f.read++; f.read%1024 == 0 {
			if err := f.proceed(ctx); err != nil {
				return err
			}
		}
		f.tally.Add(it)
		if it[sinks.AttrExcluded].Int() == 1 || f.within && it["timestamp"].Int() >= f.span.To {
			continue
		}
		if err := f.add(it); err != nil {
			return err
		}
	}
	if f.sessions != nil {
		f.sessions.endAll()
	}
	return f.proceed(ctx)
}

// end decides about a session that has no further events.
func (f *filterScan) end(s *filterSession) {
	f.settle(s)
	f.endWhole(s)
	if f.goals != nil {
		f.goals.end(s)
	}
	if f.paths != nil {
		f.paths.end(s)
	}
}

// proceed returns why the scan must end; nil: it need not.
func (f *filterScan) proceed(ctx context.Context) error {
	if err := context.Cause(ctx); err != nil || f.asked.Bound == nil {
		return err
	}
	return f.asked.Bound()
}

// add takes in a raw event that is not of an excluded page.
func (f *filterScan) add(it sinks.Item) error {
	at := it["timestamp"].Int()
	if it[sinks.AttrBot].Kind() != sinks.None {
		if f.bots != nil && f.span.Has(at) {
			*f.bots++
		}
		if f.sessions != nil {
			f.sessions.touch(it, at)
		}
		return nil
	}
	var s *filterSession
	if f.sessions != nil {
		var opened bool
		if s, opened = f.sessions.find(it, at); s != nil {
			if opened {
				f.open(s, it, at)
			}
			if f.sessions.full() {
				return &ranges.ParamError{Param: "where", Remedy: fmt.Sprintf("the range has more than %d sessions at once, "+
					"which do not fit in memory: ask for a shorter one", maxFilterSessions)}
			}
			f.sessions.add(s, it, at, opened)
			f.view(s, it)
			if f.goals != nil {
				f.goals.reach(s, it, at, f.passes(it, s))
			}
			f.follow(s, it, at)
		}
	}
	if f.span.Has(at) && f.passes(it, s) {
		if s != nil && s.landing != nil {
			return f.wait(s.landing, it, at, f.valuesOf(it, s))
		}
		if f.passing != nil {
			f.passing.Next(it, true)
			if err := f.room(); err != nil {
				return err
			}
		}
		f.count(s, at, f.valuesOf(it, s), countedOf(it, f.hasher))
	}
	return nil
}

// valuesOf returns the values of an event in the dimensions of rows, until it is called again. s is its session; nil: it has none.
func (f *filterScan) valuesOf(it sinks.Item, s *filterSession) []string {
	f.row = f.row[:0]
	for i, d := range f.rows {
		if s != nil && d.ofSource() {
			f.row = append(f.row, s.values[i])
			continue
		}
		f.row = append(f.row, f.values.own(it, d))
	}
	return f.row
}

// open decides about a session by its earliest event.
func (f *filterScan) open(s *filterSession, it sinks.Item, at int64) {
	s.selected, s.source = f.scope == filters.ScopeSessions, true
	for i, c := range f.conditions {
		d := f.dimensions[i]
		if c.OfEvents() || d.OfWhole() || !s.source && !s.selected || c.Matches(f.values.own(it, d)) {
			continue
		}
		s.selected = false
		s.source = s.source && !d.ofSource()
	}
	if f.pages {
		s.pages = new(sessionPages)
	}
	if f.wholeRows != nil {
		s.passed = new(passedSums)
	}
	if f.paths != nil && s.selected && f.span.Has(at) {
		s.path = new(sessionPath)
	}
	own := f.valuesOf(it, nil)
	if slices.ContainsFunc(f.rows, Dimension.ofSource) {
		s.values = slices.Clone(own)
	}
	switch {
	case f.landings != nil:
		s.landing = &landing{opening: f.texts.keepAll(own)}
	case s.selected && f.span.Has(at):
		s.counted = f.into(at, own)
	}
}

// passes reports whether an event passes all filters. s is its session; nil: it has none.
func (f *filterScan) passes(it sinks.Item, s *filterSession) bool {
	if s != nil && !s.source {
		return false
	}
	for i, c := range f.conditions {
		d := f.dimensions[i]
		if (d.ofSource() || d.OfWhole()) && s != nil {
			continue // The session says it.
		}
		if !c.Matches(f.values.own(it, d)) {
			return false
		}
	}
	return true
}
