package capacity

import (
	"container/heap"

	"github.com/footfall/footfall/sinks"
)

// kinds are the kinds of items whose units are counted apart, as the metrics' label kind has them. The last one is all other items.
var kinds = [...]string{sinks.EntityEvent, sinks.EntityPack, sinks.EntitySession, sinks.EntityVisitor, sinks.EntityArrival,
	sinks.EntityConversion, sinks.EntityRecent, sinks.EntityNewSessions, sinks.EntityVisitorSessions, sinks.EntityStats,
	sinks.EntityMonthStats, sinks.EntityUniques,
	sinks.EntitySealedUniques, sinks.EntityBreakdown, sinks.EntityLate, sinks.EntitySealedBreakdown, sinks.EntityRealtime,
	sinks.EntityCheckpoint, sinks.EntityBudget,
	otherKind}

const otherKind = "Other"

var kindNumbers = func() map[string]int {
	m := make(map[string]int)
	for i, kind := range kinds {
		m[kind] = i
	}
	return m
}()

// kindOf is the place in kinds of an item's kind.
func kindOf(key sinks.Key) int {
	if n, ok := kindNumbers[sinks.EntityOf(key)]; ok {
		return n
	}
	return len(kinds) - 1
}

// A ledger counts units by site and kind, and events by site. It has rows for so many sites, the dearest by Space-Saving: a site without a
// row gets the place of the row that has cost least, whose counts pass to others. So rows and others always add up to what was counted,
// and no site has cost more than its row says and floor together.
type ledger struct {
	capacity int
	rows     map[string]*account
	order    accounts // a heap by the cost that rows had when they were last looked at
	others   account
	floor    uint64 // the most that a site without a row has cost
}

// account is what a site has consumed.
type account struct {
	site    string
	written [len(kinds)]uint64 // write units
	read    [len(kinds)]uint64 // halves of read units
	events  int64
	cost    uint64 // of all units, in halves of read units
	missed  uint64 // that the site may have cost before it had the row, at most
	seen    uint64 // cost and missed, when the heap last looked
}

// writeCost is what a write unit costs in halves of a read unit, by the prices on demand of all Regions: five times a read unit.
const writeCost = 10

func newLedger(sites int) *ledger {
	return &ledger{capacity: sites, rows: make(map[string]*account)}
}

// of returns the account of a site.
func (l *ledger) of(site string) *account {
	a := l.rows[site]
	switch {
	case a != nil:
		return a
	case len(l.rows) < l.capacity:
		a = new(account)
		*a = account{site: site, missed: l.floor, seen: l.floor}
		heap.Push(&l.order, a)
	default:
		a = l.least()
		l.floor = max(l.floor, a.seen)
		l.others.add(a)
		delete(l.rows, a.site)
		*a = account{site: site, missed: l.floor, seen: l.floor}
		heap.Fix(&l.order, 0)
	}
	l.rows[site] = a
	return a
}

// least returns the head of the heap once its cost there is its cost now. Costs only grow.
func (l *ledger) least() *account {
	for {
		a := l.order[0]
		if now := a.cost + a.missed; a.seen != now {
			a.seen = now
			heap.Fix(&l.order, 0)
			continue
		}
		return a
	}
}

func (a *account) add(o *account) {
	for i := range kinds {
		a.written[i] += o.written[i]
		a.read[i] += o.read[i]
	}
	a.events += o.events
	a.cost += o.cost
}

func (a *account) write(kind int, units uint64) {
	a.written[kind] += units
	a.cost += writeCost * units
}

func (a *account) reading(kind int, halves uint64) {
	a.read[kind] += halves
	a.cost += halves
}

// accounts is a heap, the least at its head.
type accounts []*account

func (h accounts) Len() int           { return len(h) }
func (h accounts) Less(i, j int) bool { return h[i].seen < h[j].seen }
func (h accounts) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *accounts) Push(x any)        { *h = append(*h, x.(*account)) }
func (h *accounts) Pop() any          { panic("rows of a ledger never leave it") }

// counted returns the events that an update of stats adds, those of bots and excluded pages among them. Each event is in one hour.
func counted(u *sinks.Update) (events int64) {
	for _, a := range u.Add {
		switch a.Name {
		case sinks.AttrEvents, sinks.AttrBotEvents, sinks.AttrExcludedEvents:
			events += a.Value.Int()
		}
	}
	return events
}
