package aggregate

import (
	"fmt"

	"github.com/footfall/footfall/pipeline/aggregate/internal/additions"
	"github.com/footfall/footfall/pipeline/aggregate/plan"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/sinks"
)

// InlineVisitors is how many visitors a part may have to ride in the hour's stats item: 16 hashes take about
// 150 bytes and leave the item within one write unit.
const InlineVisitors = 16

// cut writes all hours, and the journal of the step.
func (c *hoursCut) cut() {
	for _, h := range c.hours {
		c.hour(h)
	}
	c.entries()
}

// hour writes what the step has changed of an hour: its sums with this partition's visitors, and its breakdown or what the journal
// gets of it.
//
// What the breakdown lacks is counted and booked now, so that its rows are in the processor's caches when they are encoded.
func (c *hoursCut) hour(h *hour) {
	c.ledger.breakdowns.countLast(h)
	c.ledger.book(h)
	ttl := plan.Expires(h.start+event.HourMs, c.days(h.Site, sinks.AttrHourDays, c.settings.Retention.HourDays))
	add, news, dirty, unlogged := c.additions(&h.sums), h.visitors.news, h.Breakdown.dirty, h.visitors.unlogged
	extremes := h.extremes
	h.sums, h.visitors.news, h.Breakdown.dirty, h.visitors.unlogged, h.extremes.News = additions.Sums{}, false, false, false, false
	if dirty || news {
		c.weighHour(h)
	}
	if ttl.Passed(c.now) {
		c.expired(sinks.EntityStats)
		return
	}
	journaled, whole := false, h.Breakdown.skip == c.step // A redo that finds its own mark finds the entries in the item as well.
	if dirty {
		if journaled = c.journal(h, ttl); !journaled {
			c.breakdown(h, ttl)
			whole = true
		}
	}
	if whole {
		news = news || h.visitors.journaled
		c.merge(h)
	}
	set := c.attrs.Room(maxHourAttrs)
	if news {
		set = c.visitors(h, ttl, journaled && !unlogged, set)
	}
	set = extremes.Attrs(c.TP, set)
	if len(add)+len(set) == 0 && !journaled {
		return // Corrections that cancel out.
	}
	key := c.keys.HourStats(h.Site.ID, &h.Site.names, h.start)
	c.p.Writes = append(c.p.Writes, plan.Guarded(sinks.EntityStats, key, c.guard, add, ttl.Attr(set)))
}

// maxHourAttrs is how many attributes an update of an hour's stats sets at most: its visitors, its extremes, its time to live.
const maxHourAttrs = 4 + plan.GuardAttrs

// visitors writes this partition's part of an hour's visitors: few of them are attributes of the hour's stats, which it appends;
// more have an item of their own, unless the journal has those that the step added.
func (c *hoursCut) visitors(h *hour, ttl plan.Expiry, journaled bool, set []sinks.Attr) []sinks.Attr {
	part := c.sketches.Append(h.visitors.Uniques)
	c.p.Parts += len(part)
	if n := h.visitors.Entries(); n >= 0 && n <= InlineVisitors {
		return append(set, sinks.Attr{Name: c.uniques, Value: sinks.Bytes(part)})
	}
	if journaled && h.visitors.parted {
		h.visitors.journaled = true
		return set
	}
	h.visitors.parted = true
	c.p.Writes = append(c.p.Writes, plan.Guarded(sinks.EntityUniques, c.keys.Uniques(h.Site.ID, &h.Site.names, h.start), c.guard, nil,
		c.part(part, ttl)))
	return set
}

// part returns the attributes of an item that has nothing but a part.
func (c *statsCut) part(part []byte, ttl plan.Expiry) []sinks.Attr {
	return ttl.Attr(append(c.attrs.Room(2+plan.GuardAttrs), sinks.Attr{Name: sinks.AttrPart, Value: sinks.Bytes(part)}))
}

// breakdown writes the hour's breakdown.
func (c *hoursCut) breakdown(h *hour, ttl plan.Expiry) {
	if h.Breakdown.short != "" {
		panic(h.Breakdown.short)
	}
	if h.Breakdown.Full() {
		c.p.Counts.BreakdownsFull++
	}
	packed, err := c.pack.PackShared(h.Breakdown.Breakdown)
	if err != nil {
		panic(fmt.Sprintf("our own breakdown does not encode: %v", err))
	}
	part := c.sketches.Copy(packed)
	c.p.Parts += len(part)
	h.Breakdown.packed, h.Breakdown.ttl = len(part), ttl
	if r := c.Journal; r.Share > 0 {
		h.journal.busy = h.journal.fed*typicalLog > h.Breakdown.packed/r.Share
	}
	c.p.Writes = append(c.p.Writes, plan.Guarded(sinks.EntityBreakdown, c.keys.Breakdown(h.Site.ID, &h.Site.names, h.start), c.guard, nil,
		c.part(part, ttl)))
}

// day writes what the step adds to a day.
func (c *statsCut) day(d *day) {
	ttl := plan.Expires(d.start+event.DayMs, c.days(d.site, sinks.AttrDayDays, c.settings.Retention.DayDays))
	add := c.additions(&d.sums)
	delete(d.site.days, d.start) // A day has no state beyond its step.
	d.site.last.day = nil
	if ttl.Passed(c.now) {
		c.expired(sinks.EntityStats)
		return
	}
	c.p.Days = append(c.p.Days, plan.Guarded(sinks.EntityStats, c.keys.DayStats(d.site.ID, &d.site.names, d.start), c.guard, add,
		ttl.Attr(c.attrs.Room(1+plan.GuardAttrs))))
}

// additions are the additions of all counters that change.
func (c *statsCut) additions(s *additions.Sums) []sinks.Attr {
	add := s.Attrs(c.added[:0])
	c.added = add
	return append(c.attrs.Room(len(add)), add...)
}
