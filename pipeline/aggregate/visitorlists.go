package aggregate

import (
	"slices"

	"github.com/footfall/footfall/pipeline/aggregate/plan"
	"github.com/footfall/footfall/pipeline/aggregate/transition"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sinks"
)

// Sessions are listed by visitor in items that each step puts, as the recent ones are: they depend only on the step's records, its rules
// and the states before it, so a redo overwrites them. A session is listed first by a record that names its visitor. That its visitor is
// known cannot decide it: a redo finds the item as the step left it, which says what later records of the step have found. The item lives
// longer with each later event, and the list does not. So a record that would have the item outlive the list has it listed again. Lists
// live a day or two longer than the items, which makes that rare. Which records list a session follows from its state (Session.Listed),
// so steps of any size agree on it.

const daySeconds = event.DayMs / 1000

// list has the accumulating step list a session by visitor, unless a list names it for as long as its item lives. The event is one of it.
func (s *sessions) list(x *session, e *event.Event) {
	if x.visitor == "" || !x.site.Ruled.VisitorIndex() || x.Cur.Listed == 0 && string(e.VisitorID) != x.visitor {
		return
	}
	days := x.site.Ruled.DaysOf(sinks.AttrSessionDays, s.settings.Retention.SessionDays)
	item := plan.Expires(transition.LastAt(&x.Cur), days)
	switch listed := x.Cur.Listed; {
	case listed == state.ListedForEver, listed > 0 && !item.Never && item.At <= int64(listed)*daySeconds:
		return
	case item.Never:
		x.Cur.Listed = state.ListedForEver
	default:
		x.Cur.Listed = int32(item.At/daySeconds + 2)
	}
	if !x.listing {
		s.listed.add(hourOf(x.site, x.Cur.OpenedAt))
	}
	x.listing = true
}

func (l *listCount) add(k listHour) {
	if l.sessions == nil {
		l.sessions = make(map[listHour]int)
	}
	n := l.sessions[k]
	l.sessions[k] = n + 1
	l.items += listItems(n+1) - listItems(n)
}

func (l *listCount) reset() {
	clear(l.sessions)
	l.items = 0
}

// listItems is how many items list n sessions that were opened in an hour, at most: one for each bucket, and one more for each
// ListedPerItem sessions of one.
func listItems(n int) int {
	if n == 0 {
		return 0
	}
	return 1<<sinks.VisitorDepth(n) + n/ListedPerItem
}

// visitorLists are the sessions that a step lists by visitor, by the hour in which they were opened.
type visitorLists struct {
	hours   []listHour // in the order of first touch
	entries map[listHour][]visitorEntry
}

// hourOf returns the hour in which a session was opened.
func hourOf(s *Site, openedAt int64) listHour { return listHour{s, openedAt - openedAt%event.HourMs} }

// visitorEntry is an entry of a list.
type visitorEntry struct {
	state.ListedSession
	until int32 // as state.Session.Listed
}

// entryOf returns the entry of a session.
func entryOf(x *session) visitorEntry {
	return visitorEntry{state.ListedSession{Visitor: sinks.VisitorHash(x.visitor), OpenedAt: x.Cur.OpenedAt, Session: x.id}, x.Cur.Listed}
}

// add lists a session of an hour.
func (l *visitorLists) add(k listHour, e visitorEntry) {
	if l.entries == nil {
		l.entries = make(map[listHour][]visitorEntry)
	}
	if l.entries[k] == nil {
		l.hours = append(l.hours, k)
	}
	l.entries[k] = append(l.entries[k], e)
}

// visitorLists writes the lists, those of each hour in as many buckets as its sessions fill.
func (c *statsCut) visitorLists(l *visitorLists) {
	for _, k := range l.hours {
		all := l.entries[k]
		slices.SortFunc(all, func(a, b visitorEntry) int { return a.Compare(b.ListedSession) })
		depth := sinks.VisitorDepth(len(all))
		for len(all) > 0 {
			bucket := sinks.VisitorBucketOf(all[0].Visitor, depth)
			n := 1
			for n < len(all) && bucket.Has(all[n].Visitor) {
				n++
			}
			c.visitorBucket(k, bucket, all[:n])
			all = all[n:]
		}
	}
}

// visitorBucket writes the items of a bucket.
func (c *statsCut) visitorBucket(k listHour, bucket sinks.VisitorBucket, all []visitorEntry) {
	i := 0
	for some := range slices.Chunk(all, ListedPerItem) {
		key := c.Keys.VisitorSessions(k.site.ID, bucket, k.hour, c.TP, c.step, i)
		i++
		c.listItem(sinks.EntityVisitorSessions, key, k.hour, some)
	}
}

// listItem writes an item that names sessions of visitors, which were opened in an hour.
func (c *statsCut) listItem(entity string, key sinks.Key, hour int64, some []visitorEntry) {
	ttl := listExpiry(some)
	if ttl.Passed(c.now) {
		c.expired(entity)
		return
	}
	c.listed = c.listed[:0]
	for i := range some {
		c.listed = append(c.listed, some[i].ListedSession)
	}
	it := sinks.Item{
		sinks.AttrPK: sinks.Str(key.PK), sinks.AttrSK: sinks.Str(key.SK),
		sinks.AttrEntity: sinks.Str(entity), sinks.AttrSchema: sinks.Int(sinks.SchemaVersion),
		sinks.AttrListed: sinks.Bytes(state.AppendListed(nil, c.listed, hour, c.TP)),
	}
	if !ttl.Never {
		it[sinks.AttrTTL] = sinks.Int(ttl.At)
	}
	c.p.Writes = append(c.p.Writes, plan.Write{Kind: entity, Item: it})
}

// listExpiry is when an item of these entries expires: with the last of them.
func listExpiry(some []visitorEntry) (x plan.Expiry) {
	for _, e := range some {
		if e.until == state.ListedForEver {
			return plan.Expiry{Never: true}
		}
		x.At = max(x.At, int64(e.until)*daySeconds)
	}
	return x
}
