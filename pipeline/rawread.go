package pipeline

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/batch"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
)

// A batch that the client does not decompress, since it is too large or for any other reason, is fetched by itself and
// streamed into the queue of its partition: its records count as those of any other batch, without ever being in memory
// together. What cannot be read of it is rejected as a range of offsets, since it will never be read; it is what the
// producer sent. A batch whose checksum is wrong is not what the producer sent, and may be whole on another replica, or
// after a repair: it parks the partition.

const (
	// rawTries is how often a batch is fetched that is damaged, or not handed out, before its partition is parked.
	rawTries = 4
	// rawPortion is how many bytes of records are queued together.
	rawPortion = 256 << 10

	// If nothing was streamed, the client fetches again at once, and then after a pause that doubles each time.
	readPause     = 250 * time.Millisecond
	readPauseMost = 4 * time.Second
)

// rawLimits are what the fold, and an entry of the failed-events topic, need of a record.
var rawLimits = batch.Limits{Value: event.MaxRecordBytes, Key: 8 << 10, Header: event.HeaderSource, Bytes: event.MaxSourceBytes}

// readRaw begins to stream what the client cannot read of a partition. Without a worker nothing happens: the next owner's
// client meets it again.
func (p *Pipeline) readRaw(partition int32, cause error) {
	p.client.PauseFetchPartitions(map[string][]int32{p.topic: {partition}})
	p.mu.Lock()
	w := p.workers[partition]
	p.mu.Unlock()
	if w == nil || !w.beginReading() {
		return
	}
	p.log.Warn("the client cannot read a batch: streaming it", "partition", partition, "offset", w.queuedTo(), "cause", cause)
	p.tasks.Go(func() {
		err := w.readBatches(w.failed.ctx, p.unpack)
		if err == nil {
			err = w.pauseReading(w.failed.ctx)
		}
		w.endReading()
		if why, ok := errors.AsType[*checkpoint.ParkError](err); ok {
			p.stop(partition, why)
		}
		if err != nil {
			return
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.workers[partition] == w {
			p.stalled[partition] = time.Now() // Its fetching continues after what was streamed.
			p.breakOff()
		}
	})
}

// passes reports whether an error comes from the state of the brokers or the network, rather than from the data.
func passes(err error) bool {
	return kgo.IsRetryableBrokerErr(err) || kerr.IsRetriable(err) || errors.As(err, new(net.Error))
}

// beginReading reports false when the worker has ended, or a batch is being streamed.
func (q *inbox) beginReading() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.gone || q.reading || q.parking.Load() != nil {
		return false
	}
	q.reading = true
	return true
}

func (q *inbox) endReading() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.reading = false
	q.paused = false // The poll loop resumes it.
}

// pauseReading waits before the client fetches the partition again, if nothing was streamed since its last fetch. The batch that the
// client cannot read is not there for us, and the client would meet it with every answer.
func (w *worker) pauseReading(ctx context.Context) error {
	w.mu.Lock()
	vain := w.vainReads
	w.vainReads++
	w.mu.Unlock()
	if vain == 0 {
		return nil
	}
	select {
	case <-time.After(min(readPause<<min(vain-1, 10), readPauseMost)):
		return nil
	case <-w.retiring:
		return errRetiring
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// errRetiring ends the streaming of a batch whose worker ends.
var errRetiring = errors.New("the worker ends")

// readBatches streams batches, from the one that follows what is queued, until one comes that the client can read.
func (w *worker) readBatches(ctx context.Context, unpack *batch.Decompressor) error {
	backoff := backoffFirst
	for tries, streamed := 1, false; ; {
		b, aborted, err := w.fetchRaw(ctx)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, batch.ErrNone):
			return nil
		case errors.Is(err, kerr.OffsetOutOfRange):
			return nil // The client asks again, and it is looked at what the log holds.
		case err != nil && tries == rawTries && !passes(err):
			k := checkpoint.Park{Reason: checkpoint.ParkedRead, From: w.queuedTo(), Detail: event.TruncateDetail(err.Error())}
			if b.First <= k.From && k.From < b.Next {
				k.To = b.Next
			}
			return checkpoint.NewParkError(k, err)
		case err != nil:
			if !passes(err) {
				tries++
			}
			backoff = min(2*backoff, backoffLast)
			select {
			case <-time.After(backoff):
				continue
			case <-w.retiring:
				return errRetiring
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		if streamed && b.Plain(unpack) {
			return nil
		}
		tries, streamed, backoff = 1, true, backoffFirst
		if !aborted && !b.Control() {
			if err := w.streamBatch(ctx, b); err != nil {
				return err
			}
		}
		w.mu.Lock()
		w.fetched, w.vainReads = max(w.fetched, b.Next), 0
		w.mu.Unlock()
	}
}

func (w *worker) fetchRaw(ctx context.Context) (b batch.Batch, aborted bool, err error) {
	f, err := batch.Fetch(ctx, w.client, batch.Place{Topic: w.topic, Partition: w.partition, Offset: w.queuedTo()})
	if err != nil {
		return b, false, fmt.Errorf("fetch the batch at offset %d: %w", w.queuedTo(), err)
	}
	return f.Batch()
}

// streamBatch queues the records of a batch as the queue has room.
func (w *worker) streamBatch(ctx context.Context, b batch.Batch) error {
	select { // One at a time in a process: each has a window of its own.
	case w.streams <- struct{}{}:
		defer func() { <-w.streams }()
	case <-w.retiring:
		return errRetiring
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	var portion []*kgo.Record
	bytes := 0
	put := func() error {
		for !w.hasRoom() {
			select {
			case <-w.room:
			case <-w.retiring:
				return errRetiring
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		w.enqueue(portion, logEnd{})
		portion, bytes = nil, 0
		return nil
	}
	err := b.Read(batch.Place{Topic: w.topic, Partition: w.partition, Offset: w.queuedTo()}, rawLimits, func(r *kgo.Record) error {
		portion = append(portion, r)
		if bytes += recordBytes(r); bytes < rawPortion {
			return nil
		}
		return put()
	})
	if err != nil || len(portion) == 0 {
		return err
	}
	return put()
}

func (q *inbox) hasRoom() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.queuedBytes == 0 || q.queuedBytes < q.queueBound()
}

// rangeOf returns the offsets that a queued record replaces; nil: it is a record.
func rangeOf(r *kgo.Record) *batch.Range { return batch.RangeOf(r) }

// lengthOf returns how long a record's value is in the log.
func lengthOf(r *kgo.Record) int64 { return batch.Length(r) }
