package requests

import (
	"net"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// began is where instants count from.
var began = time.Now()

// Instant says when t was in nanoseconds since the process began, by the clock that never steps: when an operator sets the
// machine's clock by a day, no lane has waited for a day. It is never 0 for a t that was read from the clock.
func Instant(t time.Time) int64 { return int64(t.Sub(began)) }

// Since returns how long before now an instant was.
func Since(now time.Time, instant int64) time.Duration {
	return now.Sub(began.Add(time.Duration(instant)))
}

// Pulse is when a request was last sent or answered.
type Pulse struct{ at atomic.Int64 } // an instant; 0: never

// Beat notes that a request was sent or answered. A nil pulse notes nothing.
func (p *Pulse) Beat() {
	if p != nil {
		p.at.Store(Instant(time.Now()))
	}
}

// BrokerPulse is the pulse of a Kafka client, whose own retries we do not see otherwise.
type BrokerPulse struct{ Pulse }

// OnBrokerConnect is called by the client after it has tried to connect.
func (p *BrokerPulse) OnBrokerConnect(kgo.BrokerMetadata, time.Duration, net.Conn, error) { p.Beat() }

// OnBrokerE2E is called by the client after a request was answered or has failed.
func (p *BrokerPulse) OnBrokerE2E(kgo.BrokerMetadata, int16, kgo.BrokerE2E) { p.Beat() }

// Last is the instant of the last beat; 0: there was none.
func (p *Pulse) Last() int64 { return p.at.Load() }
