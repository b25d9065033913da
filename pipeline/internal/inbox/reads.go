package inbox

import "github.com/twmb/franz-go/pkg/kgo"

// BeginReading reports false when the worker has ended, or a batch is being streamed.
func (q *Inbox) BeginReading() bool {
	q.Mu.Lock()
	defer q.Mu.Unlock()
	if q.gone || q.reading || q.Parking.Load() != nil {
		return false
	}
	q.reading = true
	return true
}

// EndReading notes that no batch is streamed any more. The poll loop resumes the partition.
func (q *Inbox) EndReading() {
	q.Mu.Lock()
	defer q.Mu.Unlock()
	q.reading = false
	q.Paused = false // The poll loop resumes it.
}

// Follow returns the records that follow what is queued, up to the first offset that is left out. whole reports that none is. While a batch
// is streamed, no record follows: the client continues after it.
func (q *Inbox) Follow(records []*kgo.Record) (next []*kgo.Record, whole bool) {
	q.Mu.Lock()
	defer q.Mu.Unlock()
	if q.reading {
		return nil, true
	}
	for len(records) > 0 && records[0].Offset < q.fetched {
		records = records[1:]
	}
	for i, r := range records {
		if r.Offset != q.fetched+int64(i) {
			return records[:i], false
		}
	}
	return records, true
}

// HasRoom reports whether records of a batch may be queued.
func (q *Inbox) HasRoom() bool {
	q.Mu.Lock()
	defer q.Mu.Unlock()
	return q.QueuedBytes == 0 || q.QueuedBytes < q.queueBound()
}

// Passed notes that everything below an offset was streamed.
func (q *Inbox) Passed(next int64) {
	q.Mu.Lock()
	defer q.Mu.Unlock()
	q.fetched, q.vainReads = max(q.fetched, next), 0
}

// ReadInVain notes that a batch was to be streamed and none was there, and returns how often in a row that was so before.
func (q *Inbox) ReadInVain() (before int) {
	q.Mu.Lock()
	defer q.Mu.Unlock()
	before = q.vainReads
	q.vainReads++
	return before
}
