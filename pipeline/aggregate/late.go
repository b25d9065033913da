package aggregate

import (
	"fmt"
	"slices"

	"github.com/footfall/footfall/internal/journal"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// Journal sets when a step writes an old hour's change to the journal instead of rewriting the hour's breakdown. It affects cost
// only: queries answer the same under any values. The zero value means DefaultJournal.
//
// A journal entry is an item with the operations that one step applied to the hours of one date; see package journal. The owner of the
// partition writes it, under the step's number. The owner also merges it: a later step that rewrites the breakdown of an hour
// includes all earlier entries of that hour. The owner deletes an entry in the step after the one that merged the last of its
// hours has settled. Entries that no owner deletes expire with their hours.
type Journal struct {
	MinItem int // min. bytes of an hour's packed breakdown for the journal to be used
	Share   int // max. bytes of a step's log: the breakdown's / Share; of all logs of an hour: the breakdown's * Share; 0: unlimited
	Entries int // number of entries at which an hour is merged
}

// DefaultJournal: an entry costs a unit to write and one to delete, and its hour a rewrite once in 64 entries. That pays from
// some 8 units an item on. A log compresses to half, so an hour is rewritten at the latest when twice its size is in the journal.
var DefaultJournal = Journal{MinItem: 8 << 10, Share: 4, Entries: 64}

// maxLogBytes bounds the log of an hour in one step, so that a few fit into an entry.
const maxLogBytes = journal.MaxBytes / 3

// typicalLog is about what an event and its bookings take in a log.
const typicalLog = 250

// late is the journal as the fold needs it: the entries in the table that hours in memory have, and those to be deleted.
type late struct {
	items  map[sinks.Key]*lateItem
	asked  map[lateDate]*lateQuery // journals that are being read
	again  []*lateQuery            // of them, with hours whose items are being read once more
	merged []mergedHour            // in steps that are not settled
	gone   []sinks.Key             // entries that no hour needs any more: the next step deletes them
}

// lateDate is a date of a site.
type lateDate struct {
	site *Site
	date int64
}

func lateDateOf(h *hour) lateDate {
	for date := range sinks.DaysOfHours(h.start, h.start+1) {
		return lateDate{h.Site, date}
	}
	panic("an instant without a date")
}

// lateItem is an entry that is in the table, or in the step that is being applied.
type lateItem struct {
	of    *late
	key   sinks.Key
	hours map[int64]bool // that are not known to be merged
	all   int            // hours that it has
	held  int            // hours in memory that have it
}

// mergedHour is an hour whose item has, from a step on, all of the entries.
type mergedHour struct {
	step  int64
	start int64
	items []*lateItem
}

// item returns what is known of an entry.
func (j *late) item(key sinks.Key, logs []journal.Log) *lateItem {
	x := j.items[key]
	if x == nil {
		x = &lateItem{of: j, key: key, hours: make(map[int64]bool, len(logs)), all: len(logs)}
		for _, l := range logs {
			x.hours[l.Hour] = true
		}
		if j.items == nil {
			j.items = make(map[sinks.Key]*lateItem)
		}
		j.items[key] = x
	}
	return x
}

// without notes that an hour needs the entry no more.
func (x *lateItem) without(hour int64) {
	if !x.hours[hour] {
		return
	}
	delete(x.hours, hour)
	if len(x.hours) == 0 {
		x.of.gone = append(x.of.gone, x.key)
		delete(x.of.items, x.key)
	}
}

// release notes that an hour of the entry has left memory. An entry that is merged in part is kept, because the merge of its last hour
// would not be recognized otherwise.
func (x *lateItem) release() {
	if x.held--; x.held == 0 && len(x.hours) == x.all {
		delete(x.of.items, x.key)
	}
}

// settled says that the step and all before it are in the table: what they merged is to be deleted.
func (j *late) settled(step int64) {
	n := 0
	for _, m := range j.merged {
		if m.step > step {
			j.merged[n] = m
			n++
			continue
		}
		for _, x := range m.items {
			x.without(m.start)
			x.release()
		}
	}
	clear(j.merged[n:])
	j.merged = j.merged[:n]
}

// logs reports whether the step writes down what it does to the hour's breakdown, which is decided at the first change.
func (f *Stats) logs(h *hour) bool {
	if h.journal.step != f.step {
		h.journal.step, h.journal.log, h.journal.fed = f.step, nil, 0
		if r := f.Journal; r.Entries > 0 && h.Breakdown.packed >= max(1, r.MinItem) && !h.journal.busy && len(h.journal.entries) < r.Entries {
			h.journal.log = new(sketch.BreakdownLog)
		}
	}
	return h.journal.log != nil
}

// logged looks at how long the log has become: from some length on the hour had better be written whole.
func (f *Stats) logged(h *hour) {
	n, packed := len(h.journal.log.Bytes()), h.Breakdown.packed
	if r := f.Journal; n <= maxLogBytes && (r.Share == 0 || n <= packed/r.Share && h.journal.bytes+n <= packed*r.Share) {
		return
	}
	h.journal.log, h.journal.busy = nil, true
	f.bytes += h.Breakdown.Size()
}

// wantLate asks for the journal of a breakdown that was read, if it may have any: a step that journals an hour marks its stats, too.
// An item that package erase has written may have the mark of the last entry while the visitors of the entries are in no part.
func (f *Stats) wantLate(h *hour, it sinks.Item, l Asker) {
	mark, swept := it[f.Mark].Int(), it[sinks.AttrPurged].Kind() != sinks.None
	h.Breakdown.mark = mark
	if h.visitors.mark <= mark && mark != f.step && !swept || mark > f.step {
		return
	}
	at := lateDateOf(h)
	q := f.late.asked[at]
	if q == nil {
		q = &lateQuery{pk: f.Keys.BreakdownOfDay(h.Site.ID, h.start)}
		if f.late.asked == nil {
			f.late.asked = make(map[lateDate]*lateQuery)
		}
		f.late.asked[at] = q
		// All steps before the one that is being accumulated: its own entries, of an attempt before a redo, are to come again.
		first, last := sinks.LateOf(f.TP, 0, f.step-1)
		l.AskAll("read the journal", sinks.Query{PK: q.pk, From: first, To: last}, q.take)
	}
	q.hours = append(q.hours, h)
}

// lateQuery reads the journal of a date, for hours whose breakdowns were just read.
type lateQuery struct {
	pk      string
	hours   []*hour
	journal journal.Journal
}

// take takes an entry. It touches nothing but the query.
func (q *lateQuery) take(it sinks.Item) error {
	e, err := journal.Read(it)
	if err != nil {
		return err
	}
	for i := range e.Logs { // All hours of a date together may be many times as large as those that are being loaded.
		l := &e.Logs[i]
		asks := func(h *hour) bool { return h.start == l.Hour }
		if slices.ContainsFunc(q.hours, asks) {
			l.Ops = slices.Clone(l.Ops) // All logs of an entry share one buffer.
		} else {
			l.Ops = nil
		}
	}
	q.journal.Add(e)
	return nil
}

// readJournals brings the hours whose journals were just read up to the step.
func (f *Stats) readJournals(l Asker) error {
	again := f.late.again
	f.late.again = nil
	for _, q := range again {
		if err := q.bring(f); err != nil {
			return err
		}
	}
	for at, q := range f.late.asked {
		delete(f.late.asked, at)
		q.reread(f, l)
		if err := q.bring(f); err != nil {
			return err
		}
	}
	return nil
}

// reread has the items of those hours read once more into which package erase has merged entries since they were read, which it has
// stripped. They are brought up in the next round. The owner reads items before entries, because only package erase takes entries
// away besides the owner.
func (q *lateQuery) reread(f *Stats, l Asker) {
	stripped := func(h *hour) bool { return q.journal.Stripped(f.TP, h.start, h.Breakdown.mark) }
	var hours []*hour
	for _, h := range q.hours {
		if !stripped(h) {
			continue
		}
		hours = append(hours, h)
		key := f.Keys.Breakdown(h.Site.ID, h.start, f.TP)
		l.Ask(key, func(it sinks.Item) error {
			if it == nil {
				return nil // It has expired, and so have its entries.
			}
			fresh := sketch.NewBreakdown(f.settings.Breakdowns)
			if err := f.readBreakdown(h.Site.ID, key, it, fresh); err != nil {
				return err
			}
			h.Breakdown.Breakdown, h.Breakdown.mark, h.Breakdown.packed = fresh, it[f.Mark].Int(), len(it[sinks.AttrPart].Bytes())
			h.journal.bytes = 0
			return nil
		})
	}
	if len(hours) > 0 {
		q.hours = slices.DeleteFunc(q.hours, stripped)
		f.late.again = append(f.late.again, &lateQuery{pk: q.pk, hours: hours, journal: q.journal})
	}
}

// bring brings the query's hours up to the step, and takes note of the entries that they need.
func (q *lateQuery) bring(f *Stats) error {
	for _, h := range q.hours {
		if err := q.replay(h, f); err != nil {
			return fmt.Errorf("%s: %w", q.pk, err)
		}
		f.weigh(h)
		q.note(h, f)
	}
	return nil
}

// replay applies the logs of the steps that the hour's item lacks.
func (q *lateQuery) replay(h *hour, f *Stats) error {
	mark := h.Breakdown.mark
	logs, _ := q.journal.After(f.TP, h.start, mark, f.step)
	for _, ops := range logs {
		if err := h.Breakdown.Replay(ops, nil); err != nil {
			return err
		}
		h.journal.bytes += len(ops)
	}
	return q.journal.Visitors(h.start, func(v uint64) {
		if h.visitors.Add(v) {
			h.visitors.journaled = true
		}
	})
}

// note takes note of the entries that an hour needs.
func (q *lateQuery) note(h *hour, f *Stats) {
	for _, e := range q.journal.Entries() {
		for _, l := range e.Logs {
			if l.Hour != h.start {
				continue
			}
			x := f.late.item(e.Key, e.Logs)
			if e.Step <= h.Breakdown.mark && h.Breakdown.mark != f.step && !h.visitors.journaled {
				x.without(h.start) // Its item had it when it was read, from a step that is settled.
				continue
			}
			x.held++
			h.journal.entries = append(h.journal.entries, x)
		}
	}
}

// journal takes the hour's log into the journal, if it is to be written there.
func (c *statsCut) journal(h *hour, ttl Expiry) bool {
	f := c.f
	if h.journal.log == nil || h.journal.step != f.step || !h.Breakdown.ttl.is(ttl) || h.Breakdown.short != "" {
		return false
	}
	if c.late == nil {
		c.late = make(map[lateDate][]*hour)
	}
	at := lateDateOf(h)
	if c.late[at] == nil {
		c.lateDates = append(c.lateDates, at)
	}
	c.late[at] = append(c.late[at], h)
	h.journal.bytes += len(h.journal.log.Bytes())
	return true
}

// merge notes that from this step on the hour's item has what its entries say.
func (c *statsCut) merge(h *hour) {
	if len(h.journal.entries) > 0 {
		c.f.late.merged = append(c.f.late.merged, mergedHour{c.f.step, h.start, h.journal.entries})
	}
	h.journal.entries, h.journal.bytes, h.visitors.journaled = nil, 0, false
}

// entries writes the journal of the step: of each date as many items as its logs need.
func (c *statsCut) entries() {
	for _, at := range c.lateDates {
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

func (c *statsCut) entry(at lateDate, i int, hours []*hour) {
	f := c.f
	logs := make([]journal.Log, len(hours))
	for n, h := range hours {
		logs[n] = journal.Log{Hour: h.start, Ops: h.journal.log.Bytes()}
	}
	key := f.Keys.Late(at.site.ID, at.date, f.TP, f.step, i)
	ttl := Expires(at.date+event.DayMs+event.HourMs, c.days(at.site, sinks.AttrHourDays, f.settings.Retention.HourDays))
	w := guarded(sinks.EntityLate, key, c.guard, nil, ttl.attr([]sinks.Attr{
		{Name: sinks.AttrPart, Value: sinks.Bytes(journal.Pack(logs))}, {Name: sinks.AttrEpoch, Value: sinks.Int(f.Epoch)}}))
	// The same step, done again by a later owner, may have other hours here. The owner before must not put its own back.
	w.Update.If = []sinks.Cond{{Attr: sinks.AttrEpoch, Op: sinks.AbsentOrLess, Value: sinks.Int(f.Epoch)}}
	c.p.parts += len(w.Update.Set[0].Value.Bytes())
	c.p.Writes = append(c.p.Writes, w)
	x := f.late.item(key, logs)
	for _, h := range hours {
		x.held++
		h.journal.entries = append(h.journal.entries, x)
		h.journal.log = nil
	}
}
