package aggregate

import (
	"github.com/footfall/footfall/internal/journal"
	"github.com/footfall/footfall/pipeline/aggregate/plan"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// What a step writes to the journals of hours.

// journal takes the hour's log into the journal, if it is to be written there.
func (c *hoursCut) journal(h *hour, ttl plan.Expiry) bool {
	if h.journal.log == nil || h.journal.step != c.step || !h.Breakdown.ttl.Is(ttl) || h.Breakdown.short != "" {
		return false
	}
	if c.late == nil {
		c.late = make(map[lateDate][]*hour)
	}
	at := lateDateOf(h)
	if c.late[at] == nil {
		c.dates = append(c.dates, at)
	}
	c.late[at] = append(c.late[at], h)
	h.journal.bytes += len(h.journal.log.Bytes())
	return true
}

// merge notes that from this step on the hour's item has what its entries say.
func (c *hoursCut) merge(h *hour) {
	if len(h.journal.entries) > 0 {
		c.journals.merged = append(c.journals.merged, mergedHour{c.step, h.start, h.journal.entries})
	}
	h.journal.entries, h.journal.bytes, h.visitors.journaled = nil, 0, false
}

// entries writes the journal of the step: of each date as many items as its logs need.
func (c *hoursCut) entries() {
	for _, at := range c.dates {
		hours := c.late[at]
		for i := 0; len(hours) > 0; i++ {
			n, size := 0, 0
			for n < len(hours) && (n == 0 || size+len(hours[n].journal.log.Bytes()) <= journal.MaxBytes) {
				size += len(hours[n].journal.log.Bytes())
				n++
			}
			c.entry(at, i, hours[:n])
			hours = hours[n:]
		}
	}
}

func (c *hoursCut) entry(at lateDate, i int, hours []*hour) {
	logs := make([]journal.Log, len(hours))
	for n, h := range hours {
		logs[n] = journal.Log{Hour: h.start, Ops: h.journal.log.Bytes()}
	}
	key := c.Keys.Late(at.site.ID, at.date, c.TP, c.step, i)
	ttl := plan.Expires(at.date+event.DayMs+event.HourMs, c.days(at.site, sinks.AttrHourDays, c.settings.Retention.HourDays))
	w := plan.Guarded(sinks.EntityLate, key, c.guard, nil, ttl.Attr([]sinks.Attr{
		{Name: sinks.AttrPart, Value: sinks.Bytes(journal.Pack(logs))}, {Name: sinks.AttrEpoch, Value: sinks.Int(c.Epoch)}}))
	// The same step, done again by a later owner, may have other hours here. The owner before must not put its own back.
	w.Update.If = []sinks.Cond{{Attr: sinks.AttrEpoch, Op: sinks.AbsentOrLess, Value: sinks.Int(c.Epoch)}}
	c.p.Parts += len(w.Update.Set[0].Value.Bytes())
	c.p.Writes = append(c.p.Writes, w)
	x := c.journals.item(key, logs)
	for _, h := range hours {
		x.held++
		h.journal.entries = append(h.journal.entries, x)
		h.journal.log = nil
	}
}

// hoursCut turns the hours of a step into writes.
type hoursCut struct {
	*statsCut
	hours    []*hour
	journals *journals
	ledger   *ledger
	pack     sketch.Packer
	late     map[lateDate][]*hour // that go to the journal
	dates    []lateDate           // of them, in the order of first touch
}
