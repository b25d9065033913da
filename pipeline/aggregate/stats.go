package aggregate

import (
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/aggregate/internal/arena"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// Stats is the fold of the stats lane. Each part has the states of one kind that the accumulating step touches, and calls only parts
// that are listed before it.
type Stats struct {
	accumulating            // place, settings and rules of the step
	buckets      buckets    // hours and days: sums, visitors
	journals     journals   // of hours that are not rewritten at each step
	breakdowns   breakdowns // of hours, by page, referrer, browser, ...
	ledger       ledger     // what sessions have in breakdowns
	budgets      budgets    // of sites
	goals        goals      // that sessions reach
	sessions     sessions
	visits       visits   // sessions of events without sessionId
	arrivals     arrivals // of visitors, where new ones are counted
	idle         int64    // the step in which idle sites were forgotten last, to give up memory
}

func NewStats(at Place, o StatsOptions) *Stats {
	f := &Stats{accumulating: accumulating{Place: at, StatsOptions: o, kept: arena.Cohorts{Keep: at.Keep, Max: at.Max},
		keys: sinks.NewSpeller(at.Keys, at.TP)}}
	a := &f.accumulating
	f.buckets.accumulating = a
	f.journals.accumulating = a
	f.breakdowns = breakdowns{accumulating: a, buckets: &f.buckets, journals: &f.journals, texts: make(Pages)}
	f.ledger = ledger{accumulating: a, breakdowns: &f.breakdowns}
	f.budgets.accumulating = a
	f.goals = goals{accumulating: a, buckets: &f.buckets}
	f.sessions = sessions{accumulating: a, buckets: &f.buckets, breakdowns: &f.breakdowns, ledger: &f.ledger, goals: &f.goals,
		dims: &dimensioner{&a.Place, make(Pages)}, memory: newSessionMemory()}
	f.visits = visits{accumulating: a, sessions: &f.sessions}
	f.arrivals = arrivals{accumulating: a, buckets: &f.buckets}
	return f
}

func (f *Stats) Begin(step int64, s *checkpoint.Settings) {
	f.step = step
	f.under(s)
	f.breakdowns.begin()
}

func (f *Stats) At(now int64) { f.now = now }

func (f *Stats) Under(v sites.View) { f.rules = v }

// Prepare asks for the spending of the record's site, if the site has a budget.
func (f *Stats) Prepare(r *Input, l Asker) {
	s := f.Sites.Of(r)
	if f.rule(s); f.budgets.of(s) > 0 {
		f.budgets.touch(s, l)
	}
}

func (f *Stats) Want(r *Input, l Asker) {
	e := &r.Event
	s := f.Sites.Of(r)
	f.rule(s)
	f.cover(r)
	h := s.hour(e.Timestamp)
	r.hour, r.session, r.arrival, r.Bot, r.Over = h, nil, nil, NotBot, false
	r.Foreign, r.Excluded = f.foreign(e, s.Ruled.Rules), s.Ruled.excludes(r)
	if r.Excluded { // It touches sums alone, too.
		return
	}
	r.Bot = f.listed(r, s, s.Ruled.Rules)
	if r.Bot != NotBot { // It changes only counters, which need not be loaded.
		return
	}
	f.buckets.want(h, l)
	if f.budgets.of(s) > 0 && !f.budgets.spend(s.budget, r) {
		r.Over = true
		return
	}
	if !h.Breakdown.loaded() && f.settings.Breakdowns > 0 {
		f.breakdowns.ask(h, l)
	}
	if s.Ruled.CountsNewVisitors() {
		f.arrivals.want(r, l)
	}
	switch {
	case e.SessionID != nil:
		f.sessions.want(r, e.SessionID, l)
	case f.settings.VisitGapMs > 0:
		f.visits.want(r, l)
	}
}

// Loaded asks for the hours that sessions which were just read have booked in, and for the sessions that are the visits of
// visitors who were just read.
func (f *Stats) Loaded(l Asker) error {
	if err := f.journals.read(l); err != nil {
		return err
	}
	f.sessions.loaded(l)
	f.visits.find(l)
	return nil
}

func (f *Stats) Add(r *Input) {
	if r.Excluded {
		f.buckets.addExcluded(r)
		return
	}
	f.arrivals.touch(r)
	f.sessions.applyErasure(r)
	if f.sessions.isBot(r) {
		f.buckets.addBot(r)
		return
	}
	f.buckets.add(r)
	f.arrivals.add(r)
	switch {
	case r.Over:
	case f.settings.Breakdowns > 0:
		f.addBrokenDown(r)
	case r.session != nil:
		f.sessions.add(r, nil)
		r.session.Cur.Booked, r.session.Cur.Open = state.NotBooked, state.OpenPage{}
	}
}

// addBrokenDown folds a record into its session and the breakdowns.
//
// What changes of its session is booked later, for all records of the step that have changed it: when its hour is cut or trimmed, or when
// a session of the hour moves or is erased. The rows end up the same: evictions depend on numbers of events alone. What is booked
// to a row that was evicted goes to other, as the row's figures did. Sizes do depend on bookings, so all are there before a breakdown is
// trimmed.
func (f *Stats) addBrokenDown(r *Input) {
	if f.breakdowns.uncounted > mostUncounted {
		f.breakdowns.countAll(f.buckets.hours)
	}
	x := r.session
	like := x.like()
	own := f.sessions.dims.own(r, f.Sites.Of(r), &like)
	if x == nil || x.Cur.Booked == state.NotBooked || x.earliest(&r.Event) {
		f.sessions.dims.origin(&r.Event, f.Sites.Of(r), &own)
	}
	if x == nil {
		f.breakdowns.feed(r, &own)
		f.ledger.bound(r.hour)
		return
	}
	h := f.ledger.unbook(r)
	f.sessions.add(r, &own)
	moved := h != nil && h.start != x.Cur.Hour
	f.breakdowns.feed(r, &own)
	readIn := attention{&f.breakdowns}.addReading(r, own[sketch.Page])
	if moved || h != nil && h.Breakdown.mayLack { // What is booked of an hour that lacks some may fail, each record's for itself.
		f.ledger.book(h)
	}
	f.ledger.bound(r.hour)
	if h != nil && h != r.hour {
		f.ledger.bound(h)
	}
	if readIn != nil && readIn != r.hour && readIn != h {
		f.ledger.bound(readIn)
	}
}

func (f *Stats) Size() (items, bytes int) {
	items = len(f.buckets.hours) + len(f.buckets.days) + f.sessions.touched.Len() + len(f.visits.touched) + len(f.goals.noted)
	return items + f.sessions.listed.items + f.arrivals.changes + len(f.budgets.touched), f.bytes
}
