package produce

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"
)

// How long a job waits for answers.
const (
	stallTimeout = 2 * time.Minute  // without any answer while some are due
	flushTimeout = 30 * time.Second // for all answers, once the job is interrupted
	abortTimeout = 5 * time.Second  // for what is given up to end
)

// patience knows since when the broker owes an answer without having given any. An idempotent producer tries again
// for ever by itself. Safe for concurrent use.
type patience struct {
	due   atomic.Int64 // records without an answer
	since atomic.Int64 // the last answer, or the first record after a time with none due; nanoseconds since the epoch
}

func (p *patience) begun() {
	if p.due.Add(1) == 1 {
		p.since.Store(time.Now().UnixNano())
	}
}

func (p *patience) answered() {
	p.since.Store(time.Now().UnixNano())
	p.due.Add(-1)
}

// stalled reports whether answers are due and none came for the timeout.
func (p *patience) stalled() bool {
	return p.due.Load() > 0 && time.Since(time.Unix(0, p.since.Load())) > stallTimeout
}

// watch ends the waiting when brokers have fallen silent, or some time after the job was interrupted. It returns
// when the waiting has ended.
func (r *run) watch(ctx, waiting context.Context) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	interrupted := ctx.Done()
	var flushed <-chan time.Time
	for {
		select {
		case <-tick.C:
			if r.patience.stalled() {
				err := fmt.Errorf("no answer from any broker in %v: check the brokers' logs, and the topic's min.insync.replicas", stallTimeout)
				r.stop(err)
				r.giveUp(err)
			}
		case <-interrupted:
			interrupted = nil
			flushed = time.After(flushTimeout)
		case <-flushed:
			r.giveUp(fmt.Errorf("no answer in %v after the interruption", flushTimeout))
		case <-waiting.Done():
			return
		}
	}
}
