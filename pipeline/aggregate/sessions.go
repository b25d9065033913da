package aggregate

import (
	"github.com/footfall/footfall/pipeline/aggregate/damage"
	"github.com/footfall/footfall/pipeline/aggregate/transition"
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sinks"
)

// sessionBytes is about what the request of a session's item takes.
const sessionBytes = 700

// want finds the record's session, and asks for it.
func (s *sessions) want(r *Input, id []byte, l Asker) {
	x := r.Site.session(id, s)
	if x.awake == nil && x.rest != "" {
		s.wake(x)
	}
	switch {
	case x.awake == nil:
		x.awake = s.memory.awake.take()
		s.fresh = append(s.fresh, x)
		s.ask(x, l)
		s.kept.Weigh(&x.bytes, x.room())
	case s.settings.Breakdowns > 0 && s.bookedUnread(x, r.hour): // Read in a step without breakdowns.
		s.fresh = append(s.fresh, x)
	}
	r.session = x
}

// bookedUnread reports whether a session has booked in an hour, other than h, whose breakdown has not been asked for.
func (s *sessions) bookedUnread(x *session, h *hour) bool {
	if x.Cur.Events == 0 || x.Cur.Booked == state.NotBooked {
		return false
	}
	return x.Cur.Hour != h.start && !x.site.hourAt(x.Cur.Hour).Breakdown.loaded() ||
		x.Cur.Open.Page != "" && x.Cur.Open.Hour() != h.start && !x.site.hourAt(x.Cur.Open.Hour()).Breakdown.loaded()
}

// bookedIn returns the hours in whose breakdowns a session has something: that of its start, and that of its open page, which may be the
// same or nil.
func (x *session) bookedIn() (start, open *hour) {
	start = x.site.hourAt(x.Cur.Hour)
	if x.Cur.Open.Page != "" {
		open = x.site.hourAt(x.Cur.Open.Hour())
	}
	return start, open
}

// ask reads a session's two states. Where the item carries the very step that is being accumulated, this
// is a redo, and the step began from the state before: taking the one after would count the step's records twice.
func (s *sessions) ask(x *session, l Asker) {
	s.spellKey(x)
	l.Ask(x.key, x)
}

// Fill implements Filler.
func (x *session) Fill(it sinks.Item) error {
	if it == nil {
		return nil
	}
	return x.site.sessions.fill(x, it)
}

func (s *sessions) fill(x *session, it sinks.Item) error {
	var wrong damage.Faults
	wrong.Mark(it, s.Mark)
	wrong.Kinds(sinks.EntitySession, s.TP, it)
	if err := wrong.State(x.key); err != nil {
		return err
	}
	mark := it[s.Mark].Int()
	s.checkMark(x.key, mark)
	cur, err := state.SessionOf(it)
	if err != nil {
		return sinks.Damaged(x.key, sinks.AttrCur, err)
	}
	if mark == s.step {
		cur, err = state.SessionBefore(it, &cur)
		x.redone = s.step
	}
	if err != nil {
		return sinks.Damaged(x.key, sinks.AttrPrev, err)
	}
	s.dims.share(cur.First)
	x.Cur, x.inTable, x.stale, x.swept = cur, cur.Events > 0 || it[sinks.AttrLost(s.TP)].Kind() == sinks.None, it.Expired(s.now/1000),
		it[sinks.AttrErased].Int()
	whose := state.IdentityOf(it)
	x.visitor, x.user = whose.Visitor, whose.User
	x.weighFirst()
	return nil
}

// loaded asks for the hours that sessions which were just read have booked in.
func (s *sessions) loaded(l Asker) {
	for _, b := range s.booked { // Their hours were asked for in the round before.
		b.noteLacking()
	}
	clear(s.booked)
	s.booked = s.booked[:0]
	for _, x := range s.fresh {
		if s.settings.Breakdowns == 0 || x.Cur.Events == 0 || x.Cur.Booked == state.NotBooked {
			continue
		}
		start, open := x.bookedIn()
		s.askBooked(x, start, l)
		if open != nil && open != start {
			s.askBooked(x, open, l)
		}
	}
	clear(s.fresh)
	s.fresh = s.fresh[:0]
}

// askBooked asks for the breakdown of an hour in which a session that was just read has booked.
func (s *sessions) askBooked(x *session, h *hour, l Asker) {
	b := bookedHour{x, h}
	if h.Breakdown.loaded() {
		b.noteLacking()
		return
	}
	s.breakdowns.ask(h, l)
	s.brought++
	s.booked = append(s.booked, b)
}

// noteLacking notes whether the hour may lack what the session has booked.
func (b bookedHour) noteLacking() {
	d := &b.hour.Breakdown
	d.mayLack = d.mayLack || d.absent || b.stale
}

// touch notes that the step changes a session's state, and how it was before.
func (s *sessions) touch(x *session) {
	if x.step == s.step {
		return
	}
	if x.Cur.Events > 0 { // What it has booked must stay in memory as long as it does.
		start, open := x.bookedIn()
		s.buckets.touchHour(start)
		if open != nil {
			s.buckets.touchHour(open)
		}
	}
	x.step = s.step
	t := s.touched.Add()
	t.session, t.before = x, x.Cur
	s.bytes += sessionBytes
	s.eraseKnown(x)
}

// add folds a record into its session. own are what its event says; nil: there are no breakdowns.
func (s *sessions) add(r *Input, own *values) {
	e, x := &r.Event, r.session
	s.touch(x)
	s.identify(x, e)
	if x.Cur.Events == 0 {
		x.unlisted = x.Cur.Erased
	}
	if x.earliest(e) {
		if own != nil {
			x.saysFirst(own)
		}
		x.Cur.Hour, x.Cur.Day = r.hour.start, x.site.day(e.Timestamp).start
	}
	transition.AddEvent(&x.Cur, e, s.position(r), r.Page, s.settings.Interactive(e.Type))
	s.list(x, e)
	s.goals.convert(r)
}

func (x *session) LastStep() int64 { return x.step }
func (x *session) Drop() (bytes int) {
	delete(x.site.Sessions, x.id)
	s := x.site.sessions
	if x.awake != nil {
		s.memory.awake.give(x.awake)
		x.awake = nil
		return int(x.bytes)
	}
	known := s.texts.bytes
	forgetRest(x.rest, &s.texts)
	return int(x.bytes) + known - s.texts.bytes
}

// applyErasure erases the record's session if the record, or an id that the session is known by, has a tombstone. It runs before the
// record is folded.
func (s *sessions) applyErasure(r *Input) {
	if r.session == nil || s.erasures(r.Site).None() {
		return
	}
	x := r.session
	s.touch(x)
	if r.erased > 0 && !x.Cur.Erased {
		x.midway = true
		s.erase(x, r.erased)
	}
}
