package inbox

import "github.com/footfall/footfall/pipeline/internal/decoding"

// End is where the worker's log ends as far as is known. Safe for concurrent use.
func (q *Inbox) End() End {
	q.Mu.Lock()
	defer q.Mu.Unlock()
	return q.end
}

// QueuedTo is the offset after the last record that was queued, or the one that the worker started at. Safe for
// concurrent use.
func (q *Inbox) QueuedTo() int64 {
	q.Mu.Lock()
	defer q.Mu.Unlock()
	return q.fetched
}

// Published shows other goroutines that the record at an offset is folded next. Before the worker's start it only fills the window of
// duplicates.
func (q *Inbox) Published(next int64) {
	q.Mu.Lock()
	defer q.Mu.Unlock()
	q.nextOffset = max(q.nextOffset, next)
}

// NextToFold is the offset that is folded next, as it was published.
func (q *Inbox) NextToFold() int64 {
	q.Mu.Lock()
	defer q.Mu.Unlock()
	return q.nextOffset
}

// Behind reports whether more records wait than a chunk has, in the log and in the queue. expected is the next offset to fold.
func (q *Inbox) Behind(expected int64) bool {
	q.Mu.Lock()
	defer q.Mu.Unlock()
	return q.end.Stable-expected > decoding.ChunkRecords
}

// Empty reports whether nothing was fetched that is not folded.
func (q *Inbox) Empty() bool {
	q.Mu.Lock()
	defer q.Mu.Unlock()
	return q.QueuedBytes == 0
}

// Exhausted reports whether all records were taken that can be read, as far as is known. expected is the next offset to fold.
func (q *Inbox) Exhausted(expected int64) bool {
	q.Mu.Lock()
	defer q.Mu.Unlock()
	return q.QueuedBytes == 0 && expected >= q.end.Stable
}
