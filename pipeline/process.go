package pipeline

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/footfall/footfall/internal/batch"
	"github.com/footfall/footfall/pipeline/internal/requests"
)

// Pipeline consumes one topic as a member of one group. New makes it, Run runs it once.
type Pipeline struct {
	o     Options
	ready atomic.Bool
	*shared
	taker *taker

	failure chan error    // the first failure that ends the process
	failing sync.Once     // sends it
	begun   chan struct{} // closed once client is set: the group's callbacks may come before
	polls   atomic.Int64

	fetching requests.BrokerPulse // when the consuming client last talked to a broker
	brokers  *requests.BrokerOutage
	offsets  groupOffsets

	mu        sync.Mutex // covers all below; never held across I/O
	workers   map[int32]*worker
	assigned  map[int32]bool
	fences    map[int32][]time.Time // of the last minutes, by partition
	returning map[int32]*int        // partitions that a goroutine is bringing back, each with a token of its own
	parked    map[int32]*standstill
	regained  []regained // acquired again, to be started by the poll loop
	unpack    *batch.Decompressor
	stalled   map[int32]time.Time // whose fetching the poll loop is to restart, and since when
	breakOff  context.CancelFunc  // ends the poll that is under way
	closing   bool
	tasks     sync.WaitGroup
}

// fail ends Run with the first failure.
func (p *Pipeline) fail(err error) {
	p.failing.Do(func() { // Else Run ends already.
		p.failure <- err
		p.log.Error("ending", "cause", err)
	})
}

func (p *Pipeline) owned() []*worker {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := make([]*worker, 0, len(p.workers))
	for _, w := range p.workers {
		list = append(list, w)
	}
	return list
}

func (p *Pipeline) of(parts []int32) []*worker {
	p.mu.Lock()
	defer p.mu.Unlock()
	var list []*worker
	for _, n := range parts {
		if w := p.workers[n]; w != nil {
			list = append(list, w)
		}
	}
	return list
}

// serves reports whether a partition is assigned to this process, which is not ending.
func (p *Pipeline) serves(partition int32) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.assigned[partition] && !p.closing
}

// regained is a worker that waits for the poll loop to seek to its start.
type regained struct {
	worker *worker
	io     context.Context
}
