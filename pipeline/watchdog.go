package pipeline

import (
	"fmt"
	"net"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// watchdogAfter is how long a lane may have an open intent, a redo that is still accumulating included, without a
// request sent or an answer received, refusals and time-outs included. A lane that waits for a throttled or absent
// table sends all the time; a franz-go client has no max.poll.interval that would take a wedged worker's partition.
const watchdogAfter = 5 * time.Minute

// began is where instants count from.
var began = time.Now()

// instant says when t was in nanoseconds since the process began, by the clock that never steps: when an operator sets the
// machine's clock by a day, no lane has waited for a day. It is never 0 for a t that was read from the clock.
func instant(t time.Time) int64 { return int64(t.Sub(began)) }

// since returns how long before now an instant was.
func since(now time.Time, instant int64) time.Duration {
	return now.Sub(began.Add(time.Duration(instant)))
}

// pulse is when a request was last sent or answered.
type pulse struct{ at atomic.Int64 } // an instant; 0: never

func (p *pulse) beat() {
	if p != nil {
		p.at.Store(instant(time.Now()))
	}
}

// brokerPulse is the pulse of a Kafka client, whose own retries we do not see otherwise.
type brokerPulse struct{ pulse }

// OnBrokerConnect is called by the client after it has tried to connect.
func (p *brokerPulse) OnBrokerConnect(kgo.BrokerMetadata, time.Duration, net.Conn, error) { p.beat() }

// OnBrokerE2E is called by the client after a request was answered or has failed.
func (p *brokerPulse) OnBrokerE2E(kgo.BrokerMetadata, int16, kgo.BrokerE2E) { p.beat() }

// wedged returns an error that names the first lane that waits for something that does not come.
func (o *observer) wedged(now time.Time) error {
	for _, w := range o.of.owned() {
		for i, l := range w.lanes {
			begun := w.intents[i].Load()
			if begun == 0 {
				continue
			}
			last := max(begun, l.chain.pulse.at.Load(), w.reads.at.Load())
			waits := "an answer of the table"
			if l == w.stats {
				if n := w.failed.outstanding.Load(); n > 0 {
					last, waits = max(last, o.events.pulse.at.Load()), fmt.Sprintf("%d bytes on their way to the failed-events topic", n)
				}
				if n := w.raw.outstanding.Load(); n > 0 {
					waits = fmt.Sprintf("%d raw events on their way to the table", n)
				}
			}
			if w.redoing[i].Load() {
				last, waits = max(last, o.of.fetching.at.Load()), "records of the topic, to repeat its unfinished flush"
			}
			if idle := since(now, last); idle > watchdogAfter {
				return fmt.Errorf("partition %d, lane %s: a flush is unfinished since %s and has neither sent a request nor had an answer "+
					"for %v; it waits for %s: the process ends, and the next owner repeats the flush", w.partition, l.name,
					now.Add(-since(now, begun)).UTC().Format(time.RFC3339), idle.Round(time.Second), waits)
			}
		}
	}
	return nil
}
