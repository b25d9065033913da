package pipeline

import (
	"fmt"
	"time"

	"github.com/footfall/footfall/pipeline/internal/requests"
)

// watchdogAfter is how long a lane may have an open intent, a redo that is still accumulating included, without a
// request sent or an answer received, refusals and time-outs included. A lane that waits for a throttled or absent
// table sends all the time; a franz-go client has no max.poll.interval that would take a wedged worker's partition.
const watchdogAfter = 5 * time.Minute

// wedged returns an error that names the first lane that waits for something that does not come.
func (o *observer) wedged(now time.Time) error {
	for _, w := range o.of.roster.owned() {
		for i, l := range w.lanes {
			begun := w.intents[i].Load()
			if begun == 0 {
				continue
			}
			last := max(begun, l.Chain.Pulse.Last(), w.reads.Last())
			waits := "an answer of the table"
			if l == w.stats {
				if n := w.failed.Waiting(); n > 0 {
					last, waits = max(last, o.events.LastHeard()), fmt.Sprintf("%d bytes on their way to the failed-events topic", n)
				}
				if n := w.raw.Waiting(); n > 0 {
					waits = fmt.Sprintf("%d raw events on their way to the table", n)
				}
			}
			if w.redoing[i].Load() {
				last, waits = max(last, o.of.fetching.Last()), "records of the topic, to repeat its unfinished flush"
			}
			if idle := requests.Since(now, last); idle > watchdogAfter {
				return fmt.Errorf("partition %d, lane %s: a flush is unfinished since %s and has neither sent a request nor had an answer "+
					"for %v; it waits for %s: the process ends, and the next owner repeats the flush", w.partition, l.Name,
					now.Add(-requests.Since(now, begun)).UTC().Format(time.RFC3339), idle.Round(time.Second), waits)
			}
		}
	}
	return nil
}
