package pipeline

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/batch"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/pipeline/internal/decoding"
	"github.com/footfall/footfall/pipeline/internal/inbox"
	"github.com/footfall/footfall/pipeline/internal/requests"
)

// A batch that the client does not decompress, since it is too large or for any other reason, is fetched by itself and
// streamed into the queue of its partition: its records count as those of any other batch, without ever being in memory
// together. What cannot be read of it is rejected as a range of offsets, since it will never be read; it is what the
// producer sent. A batch whose checksum is wrong is not what the producer sent, and may be whole on another replica, or
// after a repair: it parks the partition.
//
// The client continues after the offset that a record says it has, and drops what it has passed. A broker compares offsets within a batch
// with their places only if the batch is compressed, so one record may hide others. Therefore the records must follow each other: at the
// first offset that is left out, or if the client has left the log, the batches themselves are read. An aborted transaction
// leaves offsets out as well.

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

// streamer reads batches of a partition without the client, in a goroutine beside the worker's: it may touch the queue, and nothing that
// the worker folds.
type streamer struct {
	*owned
	queue    *inbox.Inbox
	unpack   *batch.Decompressor
	retiring <-chan struct{} // closed: the worker ends
}

// pauseReading waits before the client fetches the partition again, if nothing was streamed since its last fetch. The batch that the
// client cannot read is not there for us, and the client would meet it with every answer.
func (s *streamer) pauseReading(ctx context.Context) error {
	vain := s.queue.ReadInVain()
	if vain == 0 {
		return nil
	}
	select {
	case <-time.After(min(readPause<<min(vain-1, 10), readPauseMost)):
		return nil
	case <-s.retiring:
		return errRetiring
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// errRetiring ends the streaming of a batch whose worker ends.
var errRetiring = errors.New("the worker ends")

// readBatches streams batches, from the one that follows what is queued, until an answer of a broker has only batches that the client
// can read.
func (s *streamer) readBatches(ctx context.Context) error {
	backoff := requests.BackoffFirst
	for tries := 1; ; {
		first, odd, err := s.readAnswer(ctx)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err == nil && odd:
			tries, backoff = 1, requests.BackoffFirst
			continue
		case err == nil, errors.Is(err, batch.ErrNone):
			return nil
		case errors.Is(err, errRetiring), errors.Is(err, kerr.OffsetOutOfRange):
			return err
		case tries == rawTries && !passes(err):
			k := checkpoint.Park{Reason: checkpoint.ParkedRead, From: s.queue.QueuedTo(), Detail: event.TruncateDetail(err.Error())}
			if first.First <= k.From && k.From < first.Next {
				k.To = first.Next
			}
			return checkpoint.NewParkError(k, err)
		}
		if !passes(err) {
			tries++
		}
		backoff = min(2*backoff, requests.BackoffLast)
		select {
		case <-time.After(backoff):
		case <-s.retiring:
			return errRetiring
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// readAnswer fetches batches once, from the one that follows what is queued, and streams them. odd reports that the client could not have
// read one of them, or would have left its offsets out. Of a batch that cannot be read, first is what its header says.
func (s *streamer) readAnswer(ctx context.Context) (first batch.Batch, odd bool, err error) {
	f, err := batch.Fetch(ctx, s.client, batch.Place{Topic: s.topic, Partition: s.partition, Offset: s.queue.QueuedTo()})
	if err != nil {
		return first, false, fmt.Errorf("fetch the batch at offset %d: %w", s.queue.QueuedTo(), err)
	}
	if f.Topic != s.topicID {
		return first, false, fmt.Errorf("topic %q was created again: %w", s.topic, kerr.OffsetOutOfRange)
	}
	for {
		b, aborted, err := f.Next()
		if errors.Is(err, batch.ErrNone) {
			return b, odd, nil
		}
		if err != nil {
			return b, odd, fmt.Errorf("read the batch at offset %d: %w", s.queue.QueuedTo(), err)
		}
		plain := b.Plain(s.unpack)
		odd = odd || aborted || !plain
		switch {
		case aborted:
		case b.Control():
			s.queue.Enqueue([]*kgo.Record{b.Marker(s.topic, s.partition)}, inbox.End{}) // The worker moves on after it.
		default:
			whole, err := s.streamBatch(ctx, b, plain)
			if err != nil {
				return b, odd, err
			}
			odd = odd || !whole
		}
		s.queue.Passed(b.Next)
	}
}

// streamBatch queues the records of a batch as the queue has room. A plain one is decompressed already. whole reports that it was read to
// its end.
func (s *streamer) streamBatch(ctx context.Context, b batch.Batch, plain bool) (whole bool, err error) {
	if !plain {
		select { // One at a time in a process: each has a window of its own.
		case s.streams <- struct{}{}:
			defer func() { <-s.streams }()
		case <-s.retiring:
			return false, errRetiring
		case <-ctx.Done():
			return false, context.Cause(ctx)
		}
	}
	var portion []*kgo.Record
	bytes := 0
	put := func() error {
		for !s.queue.HasRoom() {
			select {
			case <-s.queue.Room:
			case <-s.retiring:
				return errRetiring
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		s.queue.Enqueue(portion, inbox.End{})
		portion, bytes = nil, 0
		return nil
	}
	whole = true
	err = b.Read(batch.Place{Topic: s.topic, Partition: s.partition, Offset: s.queue.QueuedTo()}, rawLimits, func(r *kgo.Record) error {
		whole = batch.RangeOf(r) == nil
		portion = append(portion, r)
		if bytes += decoding.RecordBytes(r); bytes < rawPortion {
			return nil
		}
		return put()
	})
	if err != nil || len(portion) == 0 {
		return whole, err
	}
	return whole, put()
}
