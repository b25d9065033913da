package inbox

import "time"

// stallPatience is how long a partition with unread records may deliver none before its fetching restarts. Where the log ends is
// known within MeasureEvery: a partition is fetched again, or has an error that says why not, within a minute. Each restart that
// brings nothing doubles it, up to stallPatienceMost: where a link is so slow that a fetch takes longer, restarting costs what has
// come of it.
const (
	stallPatience     = 40 * time.Second
	stallPatienceMost = 10 * time.Minute
)

// stallWatch is what a worker remembers of a partition that is not fetched. Its zero value is one that is.
type stallWatch struct {
	since    time.Time // since when there has been something to fetch and nothing came; zero: it is not so
	restarts int       // since the last record came
	stream   bool      // the next restart reads batches without the client
}

// Overdue reports whether the partition's fetching should be restarted, and takes it as done. Safe for concurrent use.
func (q *Inbox) Overdue(now time.Time) bool {
	q.Mu.Lock()
	defer q.Mu.Unlock()
	if q.QueuedBytes > 0 || q.end.Stable <= q.fetched || q.reading || q.Parking.Load() != nil {
		q.stalls.since = time.Time{}
		return false
	}
	if q.stalls.since.IsZero() {
		q.stalls.since = now
	}
	if now.Sub(q.stalls.since) < min(stallPatience<<min(q.stalls.restarts, 10), stallPatienceMost) {
		return false
	}
	q.stalls = stallWatch{since: now, restarts: q.stalls.restarts + 1, stream: q.stalls.restarts > 0}
	return true
}

// StreamsNext reports whether this restart reads batches without the client.
func (q *Inbox) StreamsNext() bool {
	q.Mu.Lock()
	defer q.Mu.Unlock()
	stream := q.stalls.stream && !q.Paused
	q.stalls.stream = false
	return stream
}

// Refetches returns the offset to fetch from when fetching restarts; still is false if the partition is paused or lost.
func (q *Inbox) Refetches() (next int64, still bool) {
	q.Mu.Lock()
	defer q.Mu.Unlock()
	return q.fetched, !q.gone && !q.Paused
}

// ResumeUnlessPaused has the client fetch the partition, unless it is paused or lost.
func (q *Inbox) ResumeUnlessPaused() {
	q.Mu.Lock()
	defer q.Mu.Unlock()
	if !q.gone && !q.Paused {
		q.place.Fetching.Resume(q.place.Partition)
	}
}
