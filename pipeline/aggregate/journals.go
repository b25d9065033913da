package aggregate

import (
	"github.com/footfall/footfall/internal/journal"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// maxLogBytes bounds the log of an hour in one step, so that a few fit into an entry.
const maxLogBytes = journal.MaxBytes / 3

// typicalLog is about what an event and its bookings take in a log.
const typicalLog = 250

// journals are the journals of hours as the fold needs them: the entries in the table that hours in memory have, and those to be
// deleted.
type journals struct {
	*accumulating
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
	of    *journals
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
func (j *journals) item(key sinks.Key, logs []journal.Log) *lateItem {
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
func (j *journals) settled(step int64) {
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
func (j *journals) logs(h *hour) bool {
	if h.journal.step != j.step {
		h.journal.step, h.journal.log, h.journal.fed = j.step, nil, 0
		if r := j.Journal; r.Entries > 0 && h.Breakdown.packed >= max(1, r.MinItem) && !h.journal.busy && len(h.journal.entries) < r.Entries {
			h.journal.log = new(sketch.BreakdownLog)
			h.journal.log.SetRows(h.Site.Ruled.BreakdownRows())
		}
	}
	return h.journal.log != nil
}

// logged looks at how long the log has become: from some length on the hour had better be written whole.
func (j *journals) logged(h *hour) {
	n, packed := len(h.journal.log.Bytes()), h.Breakdown.packed
	if r := j.Journal; n <= maxLogBytes && (r.Share == 0 || n <= packed/r.Share && h.journal.bytes+n <= packed*r.Share) {
		return
	}
	h.journal.log, h.journal.busy = nil, true
	j.bytes += h.Breakdown.Size()
}

// lateQuery reads the journal of a date, for hours whose breakdowns were just read.
type lateQuery struct {
	pk      string
	hours   []*hour
	journal journal.Journal
}
