package lanes

import (
	"fmt"
	"time"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
)

// A producer may give a record any timestamp. One that is far ahead would decide the hour of new sites and leave items that
// expire in centuries, so each step names the last timestamp that it believes. No other record decides about it: backfills and
// partitions that were idle for days stay good. It comes from the clock of the step's owner, and is recorded with the step's
// settings, so a redo and verify read it.

// Date gives the accumulating step its bound, never a lower one than the step before had. It is fixed when the first record may
// be about to come, rather than when the step before was cut: days may lie between the two.
func (l *Lane) Date(now time.Time) {
	if l.Redo || l.Taken.Records > 0 || l.Repeats() {
		return
	}
	if t := checkpoint.NotAfter(now); t > l.Settings.NotAfter {
		l.Settings.NotAfter = t
		l.terms.ver = l.Settings.String()
	}
}

// Outdated reports whether the accumulating step has records and an earlier bound than the next one would have. Such a step
// is cut: held open for days, while the table is away, it would reject records that are on time.
func (l *Lane) Outdated(now time.Time) bool {
	return l.Taken.Records > 0 && !l.Redo && !l.Repeats() && checkpoint.NotAfter(now) > l.Settings.NotAfter
}

// RecordTimeDetail says in a failed event what is wrong with a record's timestamp.
func RecordTimeDetail(recordTime, last int64) string {
	when := "after the year 9999"
	if recordTime <= event.MaxTimestamp {
		when = time.UnixMilli(recordTime).UTC().Format(time.RFC3339)
	}
	return fmt.Sprintf("the record is dated %s, at most %s is believed", when, time.UnixMilli(last).UTC().Format(time.RFC3339))
}
