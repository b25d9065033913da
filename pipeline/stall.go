package pipeline

import (
	"context"
	"errors"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// A partition may stop being fetched without a word: the client stops at a batch that it cannot read, hands out the
// error once, and a rebalance or a pause that comes first takes the error away. Whatever the cause, it shows: the log
// has records to be read, nothing that was fetched waits, and nothing comes. Fetching is then restarted where it stood, so that
// either records come or the error does once more. A second time, the next batches are read without the client: it may have passed
// over them (package streaming).

// errPollHangs reports that the client of Kafka does not come back from a poll that was broken off.
var errPollHangs = errors.New("the client of Kafka hangs: it has not returned from a poll that was ended minutes ago")

// watchFetching has the fetching of partitions that have stalled restarted. It returns an error when the poll loop, which
// alone can do it, hangs as well.
func (r *roster) watchFetching(now time.Time) error {
	// The client can miss that it may fetch again: when a fetch ends just as SetOffsets begins a new session, its notice is lost, and at
	// the log's end nothing would show it. A call that resumes nothing repeats the notice.
	r.client.ResumeFetchPartitions(nil)
	for _, w := range r.owned() {
		if !w.Overdue(now) {
			continue
		}
		r.metrics.FetchRestarts.Inc()
		at := w.Progress(now)
		// Cause: The Kafka client has stopped fetching the partition, as at a batch that it cannot read. Remedy: None is needed: fetching starts
		// again. If it happens again and again, report it.
		r.log.Warn("a partition has unread records but nothing is fetched: restarting its fetching", "partition", w.partition,
			"unread", at.Lag-at.Held, "lag", at.Lag)
		r.mu.Lock()
		if _, ok := r.stalled[w.partition]; !ok {
			r.stalled[w.partition] = now
		}
		r.breakOff()
		r.mu.Unlock()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, asked := range r.stalled {
		if now.Sub(asked) > watchdogAfter {
			return errPollHangs
		}
	}
	return nil
}

// restartFetching restarts the fetching of partitions that have stalled; called by the poll loop, between two polls, so that
// nothing that was fetched before comes after it.
func (p *Pipeline) restartFetching(io context.Context) {
	for _, w := range p.roster.takeStalled() {
		if w.StreamsNext() {
			p.readRaw(io, w.partition, errLeftOut)
			continue
		}
		w.refetch()
	}
}

// refetch makes the client fetch the partition from the record after the last that was queued, unless it is paused.
func (w *worker) refetch() {
	next, still := w.Refetches()
	if !still {
		return
	}
	w.seek(next)
	w.ResumeUnlessPaused()
}

// seek moves the client to an offset. The client takes the offset at which it believes to be for no change, and then leaves a
// partition that it has stopped as it is. So it is moved by a record, and back. Called by the poll loop, between two polls.
func (w *worker) seek(offset int64) {
	for _, to := range []int64{offset + 1, offset} {
		w.client.SetOffsets(map[string]map[int32]kgo.EpochOffset{w.topic: {w.partition: {Epoch: -1, Offset: to}}})
	}
}
