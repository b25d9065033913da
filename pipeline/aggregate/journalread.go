package aggregate

import (
	"fmt"
	"slices"

	"github.com/footfall/footfall/internal/journal"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// want asks for the journal of a breakdown that was read, if it may have any: a step that journals an hour marks its stats, too.
// An item that package erase has written may have the mark of the last entry while the visitors of the entries are in no part.
func (j *journals) want(h *hour, it sinks.Item, l Asker) {
	mark, swept := it[j.Mark].Int(), it[sinks.AttrPurged].Kind() != sinks.None
	h.Breakdown.mark = mark
	if h.visitors.mark <= mark && mark != j.step && !swept || mark > j.step {
		return
	}
	at := lateDateOf(h)
	q := j.asked[at]
	if q == nil {
		q = &lateQuery{pk: j.Keys.BreakdownOfDay(h.Site.ID, h.start)}
		if j.asked == nil {
			j.asked = make(map[lateDate]*lateQuery)
		}
		j.asked[at] = q
		// All steps before the one that is being accumulated: its own entries, of an attempt before a redo, are to come again.
		first, last := sinks.LateOf(j.TP, 0, j.step-1)
		l.AskAll("read the journal", sinks.Query{PK: q.pk, From: first, To: last}, q.take)
	}
	q.hours = append(q.hours, h)
}

// read brings the hours whose journals were just read up to the step.
func (j *journals) read(l Asker) error {
	again := j.again
	j.again = nil
	for _, q := range again {
		if err := q.bring(j); err != nil {
			return err
		}
	}
	for at, q := range j.asked {
		delete(j.asked, at)
		q.reread(j, l)
		if err := q.bring(j); err != nil {
			return err
		}
	}
	return nil
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

// reread has the items of those hours read once more into which package erase has merged entries since they were read, which it has
// stripped. They are brought up in the next round. The owner reads items before entries, because only package erase takes entries
// away besides the owner.
func (q *lateQuery) reread(j *journals, l Asker) {
	stripped := func(h *hour) bool { return q.journal.Stripped(j.TP, h.start, h.Breakdown.mark) }
	var hours []*hour
	for _, h := range q.hours {
		if !stripped(h) {
			continue
		}
		hours = append(hours, h)
		key := j.Keys.Breakdown(h.Site.ID, h.start, j.TP)
		l.Ask(key, FillFunc(func(it sinks.Item) error {
			if it == nil {
				return nil // It has expired, and so have its entries.
			}
			fresh := sketch.NewBreakdown(j.settings.Breakdowns)
			if err := j.readBreakdown(h.Site.ID, key, it, fresh); err != nil {
				return err
			}
			h.Breakdown.Breakdown, h.Breakdown.mark, h.Breakdown.packed = fresh, it[j.Mark].Int(), len(it[sinks.AttrPart].Bytes())
			h.journal.bytes = 0
			return nil
		}))
	}
	if len(hours) > 0 {
		q.hours = slices.DeleteFunc(q.hours, stripped)
		j.again = append(j.again, &lateQuery{pk: q.pk, hours: hours, journal: q.journal})
	}
}

// bring brings the query's hours up to the step, and takes note of the entries that they need.
func (q *lateQuery) bring(j *journals) error {
	for _, h := range q.hours {
		if err := q.replay(h, j); err != nil {
			return fmt.Errorf("%s: %w", q.pk, err)
		}
		j.weighHour(h)
		q.note(h, j)
	}
	return nil
}

// replay applies the logs of the steps that the hour's item lacks.
func (q *lateQuery) replay(h *hour, j *journals) error {
	mark := h.Breakdown.mark
	h.Breakdown.ruled = -1
	logs, _ := q.journal.After(j.TP, h.start, mark, j.step)
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
func (q *lateQuery) note(h *hour, j *journals) {
	for _, e := range q.journal.Entries() {
		for _, l := range e.Logs {
			if l.Hour != h.start {
				continue
			}
			x := j.item(e.Key, e.Logs)
			if e.Step <= h.Breakdown.mark && h.Breakdown.mark != j.step && !h.visitors.journaled {
				x.without(h.start) // Its item had it when it was read, from a step that is settled.
				continue
			}
			x.held++
			h.journal.entries = append(h.journal.entries, x)
		}
	}
}
