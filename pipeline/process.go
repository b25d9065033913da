package pipeline

import (
	"errors"
	"sync"
	"sync/atomic"

	"github.com/footfall/footfall/internal/batch"
	"github.com/footfall/footfall/pipeline/internal/requests"
	"github.com/footfall/footfall/sinks"
)

// Pipeline consumes one topic as a member of one group. New makes it, Run runs it once.
type Pipeline struct {
	ready, joined atomic.Bool     // it is a member of the group; it has been one
	refused       requests.Logins // the poll loop's
	*shared
	taker *taker

	failure chan error    // the first failure that ends the process
	failing sync.Once     // sends it
	begun   chan struct{} // closed once client is set: the group's callbacks may come before
	polls   atomic.Int64

	fetching requests.BrokerPulse // when the consuming client last talked to a broker
	brokers  *requests.BrokerOutage
	offsets  groupOffsets
	roster   *roster
	unpack   *batch.Decompressor
	tasks    sync.WaitGroup
}

// fail ends Run with the first failure.
func (p *Pipeline) fail(err error) {
	p.failing.Do(func() { // Else Run ends already.
		p.failure <- err
		if _, former := errors.AsType[*sinks.GenerationError](err); former {
			return // The process may continue with the live one: see package live.
		}
		// Cause: The process cannot continue; `cause` says why. Remedy: See the runbook, messages that end a process. A supervisor should start
		// it again.
		p.log.Error("ending", "cause", err)
	})
}
