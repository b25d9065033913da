package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/footfall/footfall/sinks"
)

// errKilled ends a pipeline where it stands: it is neither a throttle nor an unknown outcome, so the process drops
// all it has and writes nothing more, as after kill -9.
var errKilled = errors.New("killed")

// faulty is a table between a pipeline and the real one. It may refuse, lose answers, apply late, apply twice, take a
// part of a batch, or kill its process. Safe for concurrent use.
type faulty struct {
	sinks.Table
	killAt    int           // the request that kills, counted from 1; 0: none
	killAfter bool          // the request is applied first
	rate      float64       // share of requests that meet a fault
	latest    time.Duration // a request may be applied up to so long after it was given up; 0: no late ones

	mu    sync.Mutex // covers all below
	rng   *rand.Rand
	seen  int
	hits  map[string]int
	dead  bool
	tasks *sync.WaitGroup // requests that are applied late
}

func newFaulty(table sinks.Table, seed uint64, tasks *sync.WaitGroup) *faulty {
	return &faulty{Table: table, rng: rand.New(rand.NewPCG(seed, 1)), hits: make(map[string]int), tasks: tasks}
}

type fault int

const (
	none fault = iota
	throttle
	hotKey
	refuse    // an error with nothing applied
	loseReply // applied, the answer lost
	applyLate // the answer lost, applied minutes later
	twice     // delivered twice
	slow
	kill
	killApplied
	faults
)

var faultNames = [...]string{"none", "throttle", "hotKey", "refuse", "loseReply", "applyLate", "twice", "slow", "kill", "killApplied"}

// draw decides what happens to the next request.
func (f *faulty) draw() (fault, time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seen++
	what := none
	switch {
	case f.dead:
		return kill, 0
	case f.killAt > 0 && f.seen == f.killAt:
		what = kill
		if f.killAfter {
			what = killApplied
		}
		f.dead = true
	case f.rng.Float64() < f.rate:
		what = fault(1 + f.rng.IntN(int(slow)))
		if what == applyLate && f.latest == 0 {
			what = loseReply
		}
	}
	f.hits[faultNames[what]]++
	return what, time.Duration(f.rng.Float64() * float64(f.latest))
}

// around runs one request with what is drawn for it.
func (f *faulty) around(ctx context.Context, request func(context.Context) error) error {
	what, span := f.draw()
	unknown := fmt.Errorf("connection reset: %w", sinks.ErrUnknownOutcome)
	switch what {
	case throttle:
		return &sinks.ThrottleError{Reasons: []string{"TableWriteProvisionedThroughputExceeded"}}
	case hotKey:
		return &sinks.ThrottleError{Reasons: []string{"TableWriteKeyRangeThroughputExceeded"}}
	case refuse:
		return unknown
	case loseReply:
		if err := request(ctx); err != nil {
			return err
		}
		return unknown
	case applyLate:
		f.tasks.Go(func() {
			time.Sleep(span)
			request(context.Background()) // Whatever it answers, nobody hears it.
		})
		return unknown
	case twice:
		request(ctx)
		return request(ctx)
	case slow:
		time.Sleep(span / 60)
		return request(ctx)
	case kill:
		return errKilled
	case killApplied:
		if err := request(ctx); err != nil {
			return err
		}
		return errKilled
	}
	return request(ctx)
}

func (f *faulty) Update(ctx context.Context, u sinks.Update) (r sinks.Result, err error) {
	err = f.around(ctx, func(ctx context.Context) (err error) { r, err = f.Table.Update(ctx, u); return err })
	return r, err
}

func (f *faulty) Put(ctx context.Context, p sinks.Put) (r sinks.Result, err error) {
	err = f.around(ctx, func(ctx context.Context) (err error) { r, err = f.Table.Put(ctx, p); return err })
	return r, err
}

func (f *faulty) BatchPut(ctx context.Context, items []sinks.Item) (r sinks.BatchResult, err error) {
	take := len(items)
	f.mu.Lock()
	if f.rate > 0 && f.rng.Float64() < 2*f.rate {
		take = f.rng.IntN(len(items) + 1)
		f.hits["partialBatch"]++
	}
	f.mu.Unlock()
	if take == 0 {
		return sinks.BatchResult{Left: keysOf(items)}, nil
	}
	err = f.around(ctx, func(ctx context.Context) (err error) { r, err = f.Table.BatchPut(ctx, items[:take]); return err })
	r.Left = append(r.Left, keysOf(items[take:])...)
	return r, err
}

func (f *faulty) BatchGet(ctx context.Context, g sinks.BatchGet) (r sinks.BatchResult, err error) {
	err = f.around(ctx, func(ctx context.Context) (err error) { r, err = f.Table.BatchGet(ctx, g); return err })
	return r, err
}

func (f *faulty) Query(ctx context.Context, q sinks.Query) (p sinks.Page, err error) {
	err = f.around(ctx, func(ctx context.Context) (err error) { p, err = f.Table.Query(ctx, q); return err })
	return p, err
}

func keysOf(items []sinks.Item) []sinks.Key {
	keys := make([]sinks.Key, len(items))
	for i, it := range items {
		keys[i] = it.Key()
	}
	return keys
}
