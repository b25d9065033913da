package pipeline

import (
	"time"

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

// enqueue takes records that were polled. When the queue is full, or nothing is taken from it any more, the partition's
// fetching pauses. The client discards what it has buffered of a paused partition, so the queue exceeds its bound by one
// fetch at most. The cause of the delay does not matter here: a blocked lane, or a chunk whose states are not read yet.
func (w *worker) enqueue(records []*kgo.Record, end logEnd) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.gone {
		return
	}
	now := time.Now()
	if len(w.queue) == 0 {
		w.waits = now
	}
	bytes := 0
	for _, r := range records {
		bytes += recordBytes(r)
	}
	w.queuedBytes += bytes
	w.memory.fetched.Add(int64(bytes))
	w.queue = append(w.queue, records...)
	w.end = w.end.further(end)
	if len(records) > 0 {
		w.fetched = records[len(records)-1].Offset + 1
		w.stalls, w.vainReads = stallWatch{}, 0
	}
	w.signal()
	stuck := len(w.queue) > 0 && now.Sub(w.waits) > pauseAfter
	if !w.paused && (stuck || w.queuedBytes >= w.queueBound()) {
		w.paused = true
		w.client.PauseFetchPartitions(map[string][]int32{w.topic: {w.partition}})
	}
}

// recordBytes is about what a record holds in memory: its bytes, headers included, and the client's structures.
func recordBytes(r *kgo.Record) int {
	n := len(r.Key) + len(r.Value) + 256
	for i := range r.Headers {
		n += len(r.Headers[i].Key) + len(r.Headers[i].Value) + 40
	}
	return n
}

// queueBound is how many bytes may be queued before the partition's fetching pauses. w.mu is held.
func (w *worker) queueBound() int {
	if w.memory.fetched.Load() < w.memory.fetchedCeiling {
		return w.limits.QueueBytes
	}
	return max(1, min(w.limits.QueueBytes, int(w.memory.queueReserve())))
}

// take removes a chunk from the queue, up to chunkRecords and up to chunkBytes, resuming the partition when it has become short.
func (w *worker) take() []*kgo.Record {
	w.mu.Lock()
	defer w.mu.Unlock()
	n, bytes := 0, 0
	for n < min(len(w.queue), chunkRecords) && bytes < chunkBytes {
		bytes += recordBytes(w.queue[n])
		n++
	}
	batch := w.queue[:n:n]
	w.queue, w.waits = w.queue[n:], time.Now()
	w.queuedBytes -= bytes
	w.memory.fetched.Add(-int64(bytes))
	if len(w.queue) == 0 {
		w.queue = nil
	}
	select {
	case w.room <- struct{}{}:
	default: // A notice is waiting already.
	}
	if w.paused && !w.reading && (w.queuedBytes == 0 || w.queuedBytes < w.queueBound()/2) {
		w.paused = false
		w.client.ResumeFetchPartitions(map[string][]int32{w.topic: {w.partition}})
	}
	return batch
}
