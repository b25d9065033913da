package outgoing

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/footfall/footfall/pipeline/internal/requests"
	"github.com/footfall/footfall/sinks"
)

// RawWriter sends raw events as records arrive, in batches. A raw event's key is made of the event, and of how many shards its site
// has on its day, which is decided a day ahead: so a redelivery, a redo and a former owner all overwrite it with the same bytes,
// and it needs no mark. (An event that its producer published twice is one item; which of the two records it names as its source is
// not defined. And what settings and rules decide, its time to live, by what it is a bot's and whether it is foreign or excluded,
// is as the one who wrote it last has them.) The step that a record belongs to settles only when its raw event is durable.
//
// Add and Flush are called by the worker's goroutine.
type RawWriter struct {
	send        *requests.Sender
	pulse       *requests.Pulse
	ctx         context.Context // the worker's input and output; kept here since batches outlive the calls
	signal      func()          // wakes the worker
	fail        func(error)
	outstanding atomic.Int64 // items on their way
	bytes       atomic.Int64 // that they take in memory
	wg          sync.WaitGroup

	batch []sinks.Attrs
	size  int64             // of the batch in memory
	keys  map[sinks.Key]int // index in batch
	tally *Tally            // the step that the batch belongs to
}

// rawOutstanding and rawBytes are how many raw events of a partition may be on their way before the worker stops folding: 80
// batches, some 6 MB where they are of ordinary size.
const (
	rawOutstanding = 2000
	rawBytes       = 16 << 20
	// rawRoom is what the item of a raw event takes in memory beside its texts: 30 attributes of 48 bytes, the key and the source.
	rawRoom = 2 << 10
)

// Full reports whether so much is on its way that the worker must stop folding.
func (w *RawWriter) Full() bool {
	return w.outstanding.Load() >= rawOutstanding || w.bytes.Load() >= rawBytes
}

// Add takes an item of the step that t counts for; textBytes is the size of its texts.
func (w *RawWriter) Add(it sinks.Attrs, textBytes int, t *Tally) {
	if w.tally != t {
		w.Flush()
		w.tally = t
	}
	key := it.Key()
	if i, ok := w.keys[key]; ok { // Sent twice by its producer: the store refuses a key twice in a batch.
		w.batch[i] = it
		return
	}
	if w.keys == nil {
		w.keys = make(map[sinks.Key]int, sinks.MaxBatchPut)
	}
	w.keys[key] = len(w.batch)
	w.batch = append(w.batch, it)
	w.size += int64(rawRoom + textBytes)
	t.pending.Add(1)
	w.outstanding.Add(1)
	if len(w.batch) == sinks.MaxBatchPut {
		w.Flush()
	}
}

// Flush sends what is left of a batch.
func (w *RawWriter) Flush() {
	if len(w.batch) == 0 {
		return
	}
	batch, size, t := w.batch, w.size, w.tally
	w.batch, w.size = make([]sinks.Attrs, 0, sinks.MaxBatchPut), 0
	w.bytes.Add(size)
	clear(w.keys)
	w.wg.Go(func() {
		if err := w.send.BatchPut(w.ctx, w.pulse, sinks.EntityEvent, batch); err != nil {
			w.fail(err)
			return
		}
		w.send.Metrics.Writes.WithLabelValues(sinks.EntityEvent).Add(float64(len(batch)))
		t.pending.Add(-int64(len(batch)))
		w.outstanding.Add(-int64(len(batch)))
		w.bytes.Add(-size)
		w.signal()
	})
}

// Wait waits until no batch is on its way.
func (w *RawWriter) Wait() { w.wg.Wait() }

// Held is what the batches that are on their way take in memory.
func (w *RawWriter) Held() int64 { return w.bytes.Load() }

// Waiting is how many items are on their way.
func (w *RawWriter) Waiting() int64 { return w.outstanding.Load() }

// NewRawWriter makes the writer of a worker. ctx is the worker's input and output; signal wakes the worker, fail ends it.
func NewRawWriter(ctx context.Context, send *requests.Sender, pulse *requests.Pulse, signal func(), fail func(error)) *RawWriter {
	return &RawWriter{send: send, pulse: pulse, ctx: ctx, signal: signal, fail: fail}
}
