package aggregate

import (
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/aggregate/damage"
	"github.com/footfall/footfall/pipeline/aggregate/plan"
	"github.com/footfall/footfall/pipeline/aggregate/transition"
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sinks"
)

// A visitor's events without a sessionId belong to visits, which are sessions like any other: they have the same items and
// the same figures. Which visit an event belongs to is decided by the visitor's state, in the order of positions, between
// two rounds of loading: the first brings the visitors' states, the next the sessions that they name.

// sessionless is an accepted record that waits for its visit.
type sessionless struct {
	event   *Input
	visitor *visitor
	pos     int64 // in the stats lane
}

// visits finds the visits of events without sessionId.
type visits struct {
	*accumulating
	sessions *sessions
	touched  []touchedVisitor // in the order of first touch
	waiting  []sessionless    // records of the present chunk whose visits are not known yet
	id       []byte           // of the record before; the room serves the next
}

// visitorBytes is about how much the request of a visitor's item takes.
const visitorBytes = 400

// want asks for the state of the record's visitor.
func (vs *visits) want(r *Input, l Asker) {
	id := r.Event.VisitorID
	if r.alias != "" {
		id = []byte(r.alias)
	}
	v := r.Site.visitors[string(id)]
	if v == nil {
		v = &visitor{site: r.Site, id: string(id), hash: sinks.VisitorHash(string(id))}
		if r.Site.visitors == nil {
			r.Site.visitors = make(map[string]*visitor)
		}
		r.Site.visitors[v.id] = v
		vs.ask(v, l)
		vs.kept.Weigh(&v.bytes, v.room())
	}
	vs.waiting = append(vs.waiting, sessionless{r, v, vs.position(r)})
}

// ask reads a visitor's two states. As with sessions, a redo of the item's own step began from the one before: by the
// one after, a record that opened a visit would find it open, and extend it.
func (vs *visits) ask(v *visitor, l Asker) {
	v.key = vs.Keys.VisitorState(v.site.ID, v.id, vs.TP, vs.SessionShards)
	l.Ask(v.key, FillFunc(func(it sinks.Item) error {
		if it == nil {
			return nil
		}
		var wrong damage.Faults
		wrong.Mark(it, vs.Mark)
		wrong.Kinds(sinks.EntityVisitor, vs.TP, it)
		if err := wrong.State(v.key); err != nil {
			return err
		}
		attr := sinks.AttrCur
		mark := it[vs.Mark].Int()
		vs.checkMark(v.key, mark)
		if mark == vs.step {
			attr = sinks.AttrPrev
		}
		cur, err := state.DecodeVisitor(it[attr].Bytes())
		if err != nil {
			return sinks.Damaged(v.key, attr, err)
		}
		v.cur, v.inTable = cur, true
		return nil
	}))
}

// find decides to which visits the chunk's records belong, once their visitors' states are there, and asks for the
// sessions that those are.
func (vs *visits) find(l Asker) {
	for _, s := range vs.waiting {
		v := s.visitor
		if v.step != vs.step {
			v.step = vs.step
			vs.forget(v)
			vs.touched = append(vs.touched, touchedVisitor{v, v.cur})
			vs.bytes += visitorBytes
		}
		visit := sinks.VisitID{Visitor: v.hash, TP: vs.TP}
		visit.Position = transition.JoinVisit(&v.cur, s.event.Event.Timestamp, s.pos, vs.settings.VisitGapMs, vs.settings.VisitLongestMs)
		vs.id = visit.Append(vs.id[:0])
		vs.sessions.want(s.event, vs.id, l)
	}
	clear(vs.waiting) // They hold states.
	vs.waiting = vs.waiting[:0]
}

// visitor writes a visitor's visits, unless no event of the step has changed them.
func (c *statsCut) visitor(t *touchedVisitor) {
	v := t.visitor
	if v.cur == t.before {
		return
	}
	days := c.days(v.site, sinks.AttrSessionDays, c.settings.Retention.SessionDays)
	ttl := plan.Expires(v.cur.Last(), days)
	if ttl.Passed(c.now) {
		c.expired(sinks.EntityVisitor)
		return
	}
	if plan.Expires(t.before.Last(), days).Passed(c.now) {
		v.inTable = false // The store may have deleted it.
	}
	set := append(c.attrs.Room(maxVisitorAttrs),
		sinks.Attr{Name: sinks.AttrEndedAt, Value: sinks.Int(v.cur.Last())},
		sinks.Attr{Name: sinks.AttrCur, Value: sinks.Bytes(v.cur.AppendBinary(nil))},
		sinks.Attr{Name: sinks.AttrPrev, Value: sinks.Bytes(t.before.AppendBinary(nil))})
	if !v.inTable {
		v.inTable = true
		set = append(set, sinks.Attr{Name: sinks.AttrSiteID, Value: sinks.Str(v.site.ID)},
			sinks.Attr{Name: sinks.AttrVisitorID, Value: sinks.Str(v.id)})
	}
	c.p.Writes = append(c.p.Writes, plan.Guarded(sinks.EntityVisitor, v.key, c.guard, nil, ttl.Attr(set)))
}

// maxVisitorAttrs is how many attributes an update of a visitor sets at most.
const maxVisitorAttrs = 9

func (v *visitor) LastStep() int64 { return v.step }
func (v *visitor) Drop() (bytes int) {
	delete(v.site.visitors, v.id)
	return int(v.bytes)
}

// forget restarts the visits of a visitor whose data were erased: once for each tombstone, whether or not the item that had them is
// gone by now.
func (vs *visits) forget(v *visitor) {
	known := vs.erasures(v.site)
	if known.None() {
		return
	}
	until := known.Until(sites.Visitor, sites.HashPerson(vs.Hash, sites.Visitor, []byte(v.site.ID), []byte(v.id)))
	if until > v.cur.Erased {
		v.cur, v.inTable = state.Visitor{Erased: until}, false
	}
}
