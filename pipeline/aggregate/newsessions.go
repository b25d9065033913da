package aggregate

import (
	"slices"

	"github.com/footfall/footfall/pipeline/aggregate/internal/arena"
	"github.com/footfall/footfall/sinks"
)

// A session that a step sees first is in two lists: that of recent sessions and that of its visitor. A calm site has one such session in
// a step, or a few. Each list would then be an item of some 200 bytes, with nearly the same content. One item serves both questions
// instead. It lies among the lists by visitor, where it lives as long as they do. Its key begins with the last minute of its sessions:
// readers of recent sessions find it there. They read no more of it than they need, since the item spans a few minutes.
//
// What the item has follows from the step's records and the states before it, as with both lists: a redo overwrites it.

// openings distributes the sessions that the step saw first to the lists, in the order of the log.
func (c *sessionsCut) openings() {
	hours := make(map[listHour]int64) // the last minute of the sessions of each that one item may name
	var order []listHour
	for i := range c.opened {
		o := &c.opened[i]
		if !o.named || !o.outlives() {
			continue
		}
		k := o.hour()
		last, ok := hours[k]
		if !ok {
			order = append(order, k)
		}
		hours[k] = max(last, o.minute())
	}
	members := make(map[listHour][]*opening)
	for i := range c.opened {
		o := &c.opened[i]
		if k := o.hour(); o.named && o.outlives() && o.minute() > hours[k]-sinks.NewSessionsSpan.Milliseconds() {
			members[k] = append(members[k], o)
		}
	}
	for _, k := range order {
		if all := members[k]; len(all) <= sinks.MaxNewSessions {
			c.newSessions(k, hours[k], all)
		}
	}
	for i := range c.opened {
		o := &c.opened[i]
		if o.joined {
			continue
		}
		c.recent.add(o)
		if o.named {
			c.lists.add(o.hour(), o.visitorEntry)
		}
	}
}

// newSessions writes an item that names the sessions.
func (c *sessionsCut) newSessions(k listHour, minute int64, all []*opening) {
	step := c.step
	entries := make([]visitorEntry, 0, len(all))
	for _, o := range all {
		o.joined = true
		entries = append(entries, o.visitorEntry)
	}
	slices.SortFunc(entries, func(a, b visitorEntry) int { return a.Compare(b.ListedSession) })
	c.listItem(sinks.EntityNewSessions, c.Keys.NewSessions(k.site.ID, minute, c.TP, step), k.hour, entries)
}

// sessionsCut turns the sessions of a step into writes.
type sessionsCut struct {
	*statsCut
	states []byte      // of sessions, encoded
	texts  arena.Arena // of who they are
	room   []byte      // for one of these
	opened []opening
	recent recent
	lists  visitorLists
}
