package pipeline

import (
	"sync"
	"time"
	"unsafe"

	"github.com/twmb/franz-go/pkg/kgo"
)

// chunkRecords is how many records are decoded, loaded and folded together: enough to share a batch read, little
// enough to keep the events, some 500 bytes each, in cache.
const chunkRecords = 256

// chunkBytes ends a chunk of large records early: what they hold is decoded, and sent as raw events, all at once.
const chunkBytes = 1 << 20

// pauseAfter is how long records may wait before the partition's fetching pauses although there is room: an outage of the
// table for an hour must not fill the queue of each partition. A chunk that loads its states waits for a few milliseconds.
// For a chunk that was throttled longer than this, the pause costs at most one fetch's wait.
const pauseAfter = time.Second

// inbox is what a partition has fetched and its worker has not folded, and where its log ends.
type inbox struct {
	*owned
	mu          sync.Mutex    // covers all below up to room; never held across I/O
	queue       []*kgo.Record // not in chunks yet
	queuedBytes int           // of queue, and of chunks that are decoded ahead
	aheadBytes  int           // that decoding those chunks takes besides
	vainReads   int           // how often in a row a batch was to be streamed and none was there
	reading     bool          // a batch is being streamed: the client's fetching stays paused
	waits       time.Time     // since when the first record that waits has been the first
	paused      bool
	gone        bool // the worker has ended: pausing the partition would stop its next owner
	end         logEnd
	unread      waiting
	fetched     int64 // the offset after the last record that was queued
	nextOffset  int64 // of what is to be folded, for others to see
	stalls      stallWatch
	room        chan struct{} // records were taken from the queue
}

// progress is what the gauges show of a worker.
type progress struct {
	lag     int64   // offsets between the next to be folded and the high watermark
	seconds float64 // since the first of them was seen in the log
	waits   float64 // the same if it can be read; 0: an open transaction holds it up
	next    int64   // the next to be folded
	held    int64   // of them, those that an open transaction holds up
	queued  int     // bytes fetched and not yet folded
}

// progress is how far the worker is. Safe for concurrent use.
func (q *inbox) progress(now time.Time) progress {
	q.mu.Lock()
	defer q.mu.Unlock()
	at := progress{lag: max(0, q.end.high-q.nextOffset), next: q.nextOffset, held: q.end.held(), queued: q.queuedBytes}
	if since := q.unread.since(q.nextOffset); at.lag > 0 && !since.IsZero() {
		at.seconds = max(0, now.Sub(since).Seconds())
		if q.nextOffset < q.end.stable {
			at.waits = at.seconds
		}
	}
	return at
}

// measured notes where the log ends. Safe for concurrent use.
func (q *inbox) measured(now time.Time, end logEnd) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.end = q.end.further(end)
	q.unread.saw(now, q.end.high)
}

// enqueue takes records that were polled. When the queue is full, or nothing is taken from it any more, the partition's
// fetching pauses. The client discards what it has buffered of a paused partition, so the queue exceeds its bound by one
// fetch at most. The cause of the delay does not matter here: a blocked lane, or a chunk whose states are not read yet.
func (q *inbox) enqueue(records []*kgo.Record, end logEnd) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.gone {
		return
	}
	now := time.Now()
	if q.queuedBytes == 0 {
		q.waits = now
	}
	bytes := 0
	for _, r := range records {
		bytes += recordBytes(r)
	}
	q.queuedBytes += bytes
	q.memory.fetched.Add(int64(bytes))
	q.queue = append(q.queue, records...)
	q.end = q.end.further(end)
	q.unread.saw(now, q.end.high)
	if len(records) > 0 {
		q.fetched = records[len(records)-1].Offset + 1
		q.stalls, q.vainReads = stallWatch{}, 0
	}
	q.signal()
	stuck := q.queuedBytes > 0 && now.Sub(q.waits) > pauseAfter
	if !q.paused && (stuck || q.queuedBytes >= q.queueBound()) {
		q.paused = true
		q.client.PauseFetchPartitions(map[string][]int32{q.topic: {q.partition}})
	}
}

// decodedBytes is about what decoding the chunk takes in memory at most: its records, and texts no longer than it is itself.
func (c *chunk) decodedBytes() int { return len(c.raw)*int(unsafe.Sizeof(record{})) + c.bytes }

// recordBytes is about what a record holds in memory: its bytes, headers included, and the client's structures.
func recordBytes(r *kgo.Record) int {
	n := len(r.Key) + len(r.Value) + 256
	for i := range r.Headers {
		n += len(r.Headers[i].Key) + len(r.Headers[i].Value) + 40
	}
	return n
}

// queueBound is how many bytes may be queued before the partition's fetching pauses. q.mu is held.
func (q *inbox) queueBound() int {
	if q.memory.fetched.Load() < q.memory.fetchedCeiling {
		return q.limits.QueueBytes
	}
	return max(1, min(q.limits.QueueBytes, int(q.memory.queueReserve())))
}

// fill moves records from the queue to an empty chunk, up to chunkRecords and up to mostChunkBytes. ahead says how many chunks are decoded
// ahead already; 0: this one is for now. filled is false if there are no records, or no room to decode more of them ahead; more
// reports that records are left.
func (q *inbox) fill(c *chunk, ahead int) (filled, more bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.queue) == 0 || ahead > 0 && q.aheadBytes >= q.queueBound()/2 {
		return false, len(q.queue) > 0
	}
	n, most := 0, q.mostChunkBytes()
	for n < min(len(q.queue), chunkRecords) && c.bytes < most {
		c.bytes += recordBytes(q.queue[n])
		n++
	}
	c.raw = q.queue[:n:n]
	q.queue = q.queue[n:]
	if len(q.queue) == 0 {
		q.queue = nil
	}
	q.aheadBytes += c.decodedBytes()
	q.memory.fetched.Add(int64(c.decodedBytes()))
	return true, len(q.queue) > 0
}

// mostChunkBytes ends a chunk of large records early. About as many chunks as may be decoded ahead fit into the bytes that they may take.
func (q *inbox) mostChunkBytes() int {
	return max(1, min(chunkBytes, q.limits.QueueBytes/(2*max(1, q.chunksAhead))))
}

// took notes that the owner folds a chunk next, and resumes the partition when little else waits. arrived is when the first of its
// records was first seen in the log.
func (q *inbox) took(c *chunk) (arrived time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := time.Now()
	if arrived = q.unread.since(c.raw[0].Offset); arrived.IsZero() {
		arrived = now
	}
	q.waits = now
	q.queuedBytes -= c.bytes
	q.aheadBytes -= c.decodedBytes()
	q.memory.fetched.Add(-int64(c.bytes + c.decodedBytes()))
	select {
	case q.room <- struct{}{}:
	default: // A notice is waiting already.
	}
	if q.paused && !q.reading && (q.queuedBytes == 0 || q.queuedBytes < q.queueBound()/2) {
		q.paused = false
		q.client.ResumeFetchPartitions(map[string][]int32{q.topic: {q.partition}})
	}
	return arrived
}
