package outgoing

import (
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/footfall/footfall/pipeline/event"
)

const rejectionsEvery = time.Minute // how often operators learn that records are rejected

// Rejections are the records that were rejected since the last report, by reason. Safe for concurrent use.
type Rejections struct {
	mu       sync.Mutex
	by       map[event.Reason]int64
	reported time.Time // zero: never
	records  int64     // that had been read then
}

// Add notes rejected records.
func (r *Rejections) Add(reason event.Reason, n int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.by == nil {
		r.by = make(map[event.Reason]int64)
	}
	r.by[reason] += n
}

// Report logs, once a minute, that more than 1 % of the records read since the last time were rejected. records is how many the
// process has read in all.
func (r *Rejections) Report(now time.Time, records int64, log *slog.Logger) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.reported.IsZero() {
		r.reported = now
	}
	if now.Sub(r.reported) < rejectionsEvery {
		return
	}
	read, by, rejected := records-r.records, r.by, int64(0)
	r.reported, r.records, r.by = now, records, nil
	for _, n := range by {
		rejected += n
	}
	read = max(read, rejected) // A range of offsets that cannot be read is one record among those that were read.
	if rejected*100 <= read {
		return
	}
	attrs := []any{"rejected", rejected, "records", read}
	for _, reason := range slices.Sorted(maps.Keys(by)) {
		attrs = append(attrs, string(reason), by[reason])
	}
	// Cause: Producers send events that are not valid, too old or too early, or of sites that are not accepted. The line has the number of
	// each reason. Remedy: Read some with `footfall failed list`, mend the producers or the configuration, then run `footfall failed replay`.
	log.Warn("more than 1 % of the records of the last minute were rejected; footfall failed list shows them", attrs...)
}
