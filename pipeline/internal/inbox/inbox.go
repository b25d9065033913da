package inbox

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/internal/budget"
	"github.com/footfall/footfall/pipeline/internal/decoding"
)

// chunkBytes ends a chunk of large records early: what they hold is decoded, and sent as raw events, all at once.
const chunkBytes = 1 << 20

// pauseAfter is how long records may wait before the partition's fetching pauses although there is room: an outage of the
// table for an hour must not fill the queue of each partition. A chunk that loads its states waits for a few milliseconds.
// For a chunk that was throttled longer than this, the pause costs at most one fetch's wait.
const pauseAfter = time.Second

// Place is where an inbox lies, and what bounds it.
type Place struct {
	Fetching    Fetching
	Partition   int32
	Signal      func() // wakes the worker
	Memory      *budget.Budget
	Bytes       int // that may be queued
	ChunksAhead int // that are decoded before their turn
}

// Fetching is the client of Kafka, as far as a partition can hold it up.
type Fetching interface {
	Pause(partition int32)
	Resume(partition int32)
}

// Inbox is what a partition has fetched and its worker has not folded, and where its log ends.
type Inbox struct {
	place       Place
	Parking     atomic.Pointer[checkpoint.ParkError] // why to end once everything that was queued is settled; nil: do not end
	Mu          sync.Mutex                           // covers all below up to room; never held across I/O
	queue       []*kgo.Record                        // not in chunks yet
	QueuedBytes int                                  // of queue, and of chunks that are decoded ahead
	AheadBytes  int                                  // that decoding those chunks takes besides
	vainReads   int                                  // how often in a row a batch was to be streamed and none was there
	reading     bool                                 // a batch is being streamed: the client's fetching stays paused
	waits       time.Time                            // since when the first record that waits has been the first
	Paused      bool
	gone        bool // the worker has ended: pausing the partition would stop its next owner
	end         End
	unread      waiting
	fetched     int64 // the offset after the last record that was queued
	nextOffset  int64 // of what is to be folded, for others to see
	stalls      stallWatch
	Room        chan struct{} // records were taken from the queue
}

// New makes an empty inbox.
func New(place Place) *Inbox { return &Inbox{place: place, Room: make(chan struct{}, 1)} }

// progress is what the gauges show of a worker.
type progress struct {
	Lag     int64   // offsets between the next to be folded and the high watermark
	Seconds float64 // since the first of them was seen in the log
	Waits   float64 // the same if it can be read; 0: an open transaction holds it up
	Next    int64   // the next to be folded
	Held    int64   // of them, those that an open transaction holds up
	Queued  int     // bytes fetched and not yet folded
}

// Progress is how far the worker is. Safe for concurrent use.
func (q *Inbox) Progress(now time.Time) progress {
	q.Mu.Lock()
	defer q.Mu.Unlock()
	at := progress{Lag: max(0, q.end.High-q.nextOffset), Next: q.nextOffset, Held: q.end.Held(), Queued: q.QueuedBytes}
	if since := q.unread.since(q.nextOffset); at.Lag > 0 && !since.IsZero() {
		at.Seconds = max(0, now.Sub(since).Seconds())
		if q.nextOffset < q.end.Stable {
			at.Waits = at.Seconds
		}
	}
	return at
}

// Measured notes where the log ends. Safe for concurrent use.
func (q *Inbox) Measured(now time.Time, end End) {
	q.Mu.Lock()
	defer q.Mu.Unlock()
	q.end = q.end.further(end)
	q.unread.saw(now, q.end.High)
}

// Enqueue takes records that were polled. When the queue is full, or nothing is taken from it any more, the partition's
// fetching pauses. The client discards what it has buffered of a paused partition, so the queue exceeds its bound by one
// fetch at most. The cause of the delay does not matter here: a blocked lane, or a chunk whose states are not read yet.
func (q *Inbox) Enqueue(records []*kgo.Record, end End) {
	q.Mu.Lock()
	defer q.Mu.Unlock()
	if q.gone {
		return
	}
	now := time.Now()
	if q.QueuedBytes == 0 {
		q.waits = now
	}
	bytes := 0
	for _, r := range records {
		bytes += decoding.RecordBytes(r)
	}
	q.QueuedBytes += bytes
	q.place.Memory.Fetch(bytes)
	q.queue = append(q.queue, records...)
	q.end = q.end.further(end)
	q.unread.saw(now, q.end.High)
	if len(records) > 0 {
		q.fetched = records[len(records)-1].Offset + 1
		q.stalls, q.vainReads = stallWatch{}, 0
	}
	q.place.Signal()
	stuck := q.QueuedBytes > 0 && now.Sub(q.waits) > pauseAfter
	if !q.Paused && (stuck || q.QueuedBytes >= q.queueBound()) {
		q.Paused = true
		q.place.Fetching.Pause(q.place.Partition)
	}
}

// queueBound is how many bytes may be queued before the partition's fetching pauses. q.Mu is held.
func (q *Inbox) queueBound() int { return q.place.Memory.QueueBound(q.place.Bytes) }

// Fill moves records from the queue to an empty chunk, up to decoding.ChunkRecords and up to mostChunkBytes. ahead says how many chunks
// are decoded ahead already; 0: this one is for now. filled is false if there are no records, or no room to decode more of them ahead;
// more reports that records are left.
func (q *Inbox) Fill(c *decoding.Chunk, ahead int) (filled, more bool) {
	q.Mu.Lock()
	defer q.Mu.Unlock()
	if len(q.queue) == 0 || ahead > 0 && q.AheadBytes >= q.queueBound()/2 {
		return false, len(q.queue) > 0
	}
	n, most := 0, q.mostChunkBytes()
	for n < min(len(q.queue), decoding.ChunkRecords) && c.Bytes < most {
		c.Bytes += decoding.RecordBytes(q.queue[n])
		n++
	}
	c.Raw = q.queue[:n:n]
	q.queue = q.queue[n:]
	if len(q.queue) == 0 {
		q.queue = nil
	}
	q.AheadBytes += c.DecodedBytes()
	q.place.Memory.Fetch(c.DecodedBytes())
	return true, len(q.queue) > 0
}

// mostChunkBytes ends a chunk of large records early. About as many chunks as may be decoded ahead fit into the bytes that they may take.
func (q *Inbox) mostChunkBytes() int {
	return max(1, min(chunkBytes, q.place.Bytes/(2*max(1, q.place.ChunksAhead))))
}

// Took notes that the owner folds a chunk next, and resumes the partition when little else waits. arrived is when the first of its
// records was first seen in the log.
func (q *Inbox) Took(c *decoding.Chunk) (arrived time.Time) {
	q.Mu.Lock()
	defer q.Mu.Unlock()
	now := time.Now()
	if arrived = q.unread.since(c.Raw[0].Offset); arrived.IsZero() {
		arrived = now
	}
	q.waits = now
	q.QueuedBytes -= c.Bytes
	q.AheadBytes -= c.DecodedBytes()
	q.place.Memory.Fetch(-c.Bytes - c.DecodedBytes())
	select {
	case q.Room <- struct{}{}:
	default: // A notice is waiting already.
	}
	if q.Paused && !q.reading && (q.QueuedBytes == 0 || q.QueuedBytes < q.queueBound()/2) {
		q.Paused = false
		q.place.Fetching.Resume(q.place.Partition)
	}
	return arrived
}

// Leave gives up what was fetched and not folded, for good.
func (q *Inbox) Leave() {
	q.Mu.Lock()
	defer q.Mu.Unlock()
	q.gone = true
	q.place.Memory.Fetch(-q.QueuedBytes - q.AheadBytes)
	q.queue, q.QueuedBytes, q.AheadBytes = nil, 0, 0
}

// Begin has an empty inbox begin at an offset, of a log that reaches to end. since is when what it holds may wait from; zero: from now.
func (q *Inbox) Begin(start int64, end End, since time.Time) {
	q.fetched, q.end = start, end
	if !since.IsZero() {
		q.unread.saw(since, end.High)
	}
}
