package aggregate

import (
	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/aggregate/damage"
	"github.com/footfall/footfall/pipeline/aggregate/plan"
	"github.com/footfall/footfall/pipeline/aggregate/transition"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sinks"
)

// A site may have its new visitors counted. A visitor is new in the hour and the day of their earliest event, and new again after so many
// days without an event as the site says: the horizon. Which hour counts a visitor is decided by the visitor's arrival, in the order of
// positions. An event in an earlier hour moves the arrival there. Later events of a day that the arrival has already change nothing, so an
// item is written once for each visitor and day. It has the weeks in which the visitor came: the first event of a week is counted on its
// day. Horizons are whole days of the site, so that an expired item decides what none would.
//
// Events that are excluded, over budget or of bots touch no arrival.

// arrivals are the arrivals of the accumulating step.
type arrivals struct {
	*accumulating
	buckets *buckets
	touched []touchedArrival // in the order of first touch
	changes int              // of arrivals, by the step
}

// arrivalBytes is about what the request of an arrival's item takes.
const arrivalBytes = 400

// want asks for the arrival of the record's visitor.
func (as *arrivals) want(r *Input, l Asker) {
	hash := as.hashOf(r)
	x := r.Site.arrivals[hash]
	if x == nil {
		x = &arrival{site: r.Site, hash: hash}
		if r.Site.arrivals == nil {
			r.Site.arrivals = make(map[sites.PersonHash]*arrival)
		}
		r.Site.arrivals[hash] = x
		as.kept.Take(arrivalRoom)
		as.ask(x, l)
	}
	r.arrival = x
}

func (as *arrivals) hashOf(r *Input) sites.PersonHash {
	tag, id := r.Event.Visitor()
	hash := sites.HashVisitor(as.Hash, r.Event.SiteID, tag, id)
	if r.alias != "" {
		return sites.HashErased(as.Hash, r.Event.SiteID, hash)
	}
	return hash
}

// key is that of the arrival's item. It is long, and not kept.
func (as *accumulating) arrivalKey(x *arrival) sinks.Key {
	return as.Keys.Arrival(x.site.ID, x.hash.String(), as.TP, as.SessionShards)
}

// ask reads an arrival's two states. A redo of the item's own step began from the one before: it repeats what the step has booked.
func (as *arrivals) ask(x *arrival, l Asker) {
	key := as.arrivalKey(x)
	l.Ask(key, FillFunc(func(it sinks.Item) error {
		if it == nil {
			return nil
		}
		var wrong damage.Faults
		wrong.Arrival(it, as.TP, as.Mark)
		if err := wrong.State(key); err != nil {
			return err
		}
		mark := it[as.Mark].Int()
		as.checkMark(key, mark)
		cur, prev := state.ReadArrival(it)
		if mark == as.step {
			cur = prev
		}
		x.cur = cur
		return nil
	}))
}

// touch notes that the step has the record's arrival, and how it was before. A bot's event touches it, too: what was asked for must be
// let go some time.
func (as *arrivals) touch(r *Input) {
	x := r.arrival
	if x == nil || x.step == as.step {
		return
	}
	x.step = as.step
	as.startOver(x)
	as.touched = append(as.touched, touchedArrival{x, x.cur})
}

// startOver forgets the arrival of a visitor whose data were erased: once for each tombstone, as with visits.
func (as *arrivals) startOver(x *arrival) {
	known := as.erasures(x.site)
	if known.None() {
		return
	}
	if until := known.Until(sites.Visitor, x.hash); until > x.cur.Erased {
		x.cur = state.Arrival{Erased: until}
	}
}

// add counts the record's visitor in the hour and day of its event, if the visitor is new there.
func (as *arrivals) add(r *Input) {
	x := r.arrival
	if x == nil {
		return
	}
	was, now, day := x.cur, x.cur, r.Site.day(r.Event.Timestamp).start
	transition.Arrive(&now, r.hour.start, day, r.Site.Ruled.DaysOf(sinks.AttrVisitorDays, sinks.DefaultVisitorDays))
	if as.settings.Has(sinks.FormatOfReturns) {
		transition.Return(&now, was, day, func(day int64, weeks int, n int64) {
			d := x.site.dayAt(day)
			as.buckets.touchDay(d)
			d.sums.Returns.Add(weeks, n)
		})
	}
	if now == was {
		return
	}
	x.cur = now
	as.changes++
	as.bytes += arrivalBytes
	if now.Hour == was.Hour {
		return
	}
	if moved := was.Hour > now.Hour; moved {
		as.buckets.addNew(x.site, &was, -1)
	}
	as.buckets.addNew(x.site, &now, 1)
}

// addNew adds a visitor to the new ones of the hour and the day of an arrival, or takes it away.
func (b *buckets) addNew(s *Site, x *state.Arrival, sign int64) {
	h, d := s.hourAt(x.Hour), s.dayAt(x.Day)
	b.touchHour(h)
	b.touchDay(d)
	h.sums.Counts[figures.NewVisitors] += sign
	d.sums.Counts[figures.NewVisitors] += sign
}

// arrival writes a visitor's arrival, unless no event of the step has changed it.
func (c *statsCut) arrival(t *touchedArrival) {
	x := t.arrival
	if x.cur == t.before {
		return
	}
	ttl := c.arrivalExpires(x)
	if ttl.Passed(c.now) {
		c.expired(sinks.EntityArrival)
		return
	}
	set := c.attrs.Room(len(sinks.ArrivalAttrs) + len(sinks.ReturnAttrs) + 2 + plan.GuardAttrs) // with siteId and time to live
	set = append(set, sinks.Attr{Name: sinks.AttrSiteID, Value: sinks.Str(x.site.ID)})
	set = x.cur.Attrs(&t.before, c.settings.Has(sinks.FormatOfReturns), set)
	c.p.Writes = append(c.p.Writes, plan.Guarded(sinks.EntityArrival, c.arrivalKey(x), c.guard, nil, ttl.Attr(set)))
}

// arrivalExpires is when an arrival's item expires: once no accepted event can be within the horizon. Sessions are kept for longer than
// events are late, and a day of any zone ends within two days of the beginning of its date in UTC.
func (c *statsCut) arrivalExpires(x *arrival) plan.Expiry {
	days := c.days(x.site, sinks.AttrVisitorDays, sinks.DefaultVisitorDays)
	late := c.days(x.site, sinks.AttrSessionDays, c.settings.Retention.SessionDays)
	if days == checkpoint.Never || late == checkpoint.Never {
		return plan.Expires(0, checkpoint.Never)
	}
	return plan.Expires(x.cur.LastDay+2*event.DayMs, days+late)
}

func (x *arrival) LastStep() int64 { return x.step }
func (x *arrival) Drop() (bytes int) {
	delete(x.site.arrivals, x.hash)
	return arrivalRoom
}
