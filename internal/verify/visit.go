package verify

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sinks"
)

// maxVisits is how many visits of a visitor are remembered.
const maxVisits = 8

// visitor is what one partition has of a visitor whose events have no sessionId: the visits, by their last records.
type visitor struct {
	visits []state.Visit
	erased int64 // up to which event time the visitor was erased when they began; 0: not erased
}

// Clone returns a copy that shares nothing that changes; of nil, nil.
func (x *visitor) Clone() *visitor {
	if x == nil {
		return nil
	}
	return &visitor{slices.Clone(x.visits), x.erased}
}

// last is the greatest event time of the visits.
func (x *visitor) last() (t int64) {
	for _, v := range x.visits {
		t = max(t, v.Last)
	}
	return t
}

// sessionOf returns the id of the session that a record belongs to: the producer's, or that of its visit; "" for none.
func (s *statsRecount) sessionOf(site *siteRecount, r *record) string {
	e := r.event
	switch {
	case e.SessionID != nil:
		return string(e.SessionID)
	case r.settings.VisitGapMs == 0:
		return ""
	}
	who, until := string(e.VisitorID), int64(0)
	if r.alias != "" {
		who = r.alias
	} else {
		until = s.v.forgotten(r)
	}
	if site.visitors[who] == nil {
		s.v.ledger.grow(site.name, weighVisitor)
	}
	c := change(&s.step, site.visitors, who)
	if c.end == nil || c.end.erased < until {
		c.end = &visitor{erased: until}
	}
	id := sinks.VisitID{Visitor: sinks.VisitorHash(who), TP: s.chain.tp}
	id.Position = c.end.take(r)
	return id.String()
}

// take adds an event to the visits and returns the position of the first record of its own.
func (x *visitor) take(r *record) int64 {
	t := r.event.Timestamp
	var open []*state.Visit // that the event may belong to
	for i := range x.visits {
		v := &x.visits[i]
		from, to := min(v.Start, t), max(v.Last, t)
		apart := max(v.Start-from, to-v.Last)
		if apart <= r.settings.VisitGapMs && to-from <= r.settings.VisitLongestMs {
			open = append(open, v)
		}
	}
	if len(open) > 0 {
		own := slices.MaxFunc(open, func(a, b *state.Visit) int {
			return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Pos, b.Pos))
		})
		joined := state.Visit{Pos: own.Pos, Start: min(own.Start, t), Last: max(own.Last, t)}
		x.visits = append(slices.DeleteFunc(x.visits, func(v state.Visit) bool { return v.Pos == joined.Pos }), joined)
		return joined.Pos
	}
	x.visits = append(x.visits, state.Visit{Pos: r.position, Start: t, Last: t})
	x.visits = x.visits[max(0, len(x.visits)-maxVisits):]
	return r.position
}

// visitor returns the recount's cell of a visitor; nil when the log does not have the visitor.
func (c *chain) visitor(s subject) *cell[*visitor] { return c.stats.site(s.site).visitors[s.id] }

func (v *judges) compareVisitor(cmp *comparison, s subject, x partOfChain[*visitor]) {
	cmp.text(sinks.AttrSiteID, s.site)
	cmp.text(sinks.AttrVisitorID, s.id)
	cmp.number(sinks.AttrEndedAt, x.want.last())
	v.visits(cmp, s, sinks.AttrCur, x.want)
	cmp.ignore(sinks.AttrPrev)
	if cmp.item[sinks.AttrMark(checkpoint.LaneStats, s.tp)].Int() == x.head.Step {
		before := x.states.at(atBegin)
		if x.want.erased > 0 && (before == nil || before.erased < x.want.erased) { // The step started them again.
			before = &visitor{erased: x.want.erased}
		}
		v.visits(cmp, s, sinks.AttrPrev, before)
	} else if _, err := state.DecodeVisitor(cmp.item[sinks.AttrPrev].Bytes()); err != nil {
		cmp.differ(sinks.AttrPrev, err.Error(), "visits before an earlier step")
	}
}

// visits compares the visits of a visitor. Those whose retention has passed need not be there: the item may have been
// deleted, and started again.
func (v *judges) visits(c *comparison, s subject, attr string, x *visitor) {
	c.ignore(attr)
	got, err := state.DecodeVisitor(c.item[attr].Bytes())
	kept := func(all []state.Visit) []state.Visit {
		return slices.DeleteFunc(slices.Clone(all), func(o state.Visit) bool {
			gone, _ := v.expiry(s.site, sinks.AttrSessionDays, o.Last)
			return gone
		})
	}
	var want []state.Visit
	if x != nil {
		want = kept(x.visits)
		if got.Erased != x.erased {
			c.differ(attr, fmt.Sprintf("erased up to %d", got.Erased), fmt.Sprintf("erased up to %d", x.erased))
		}
	}
	switch have := kept(got.Visits()); {
	case err != nil:
		c.differ(attr, err.Error(), fmt.Sprintf("%+v", want))
	case !slices.Equal(have, want):
		c.differ(attr, fmt.Sprintf("%+v", have), fmt.Sprintf("%+v", want))
	}
}
