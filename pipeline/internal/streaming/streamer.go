package streaming

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
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

const (
	// rawTries is how often a batch is fetched that is damaged, or not handed out, before its partition is parked.
	rawTries = 4
	// rawPortion is how many bytes of records are queued together.
	rawPortion = 256 << 10

	// If nothing was streamed, the client fetches again at once, and then after a pause that doubles each time.
	readPause     = 250 * time.Millisecond
	readPauseMost = 4 * time.Second
)

// Streamer reads what the client cannot, in a goroutine beside the worker's: it may touch the queue, and nothing that the worker folds.
type Streamer struct {
	Client    *kgo.Client
	Topic     string
	TopicID   [16]byte
	Partition int32
	Past      checkpoint.Past // nil: none
	Queue     *inbox.Inbox
	Unpack    *batch.Decompressor
	Turn      chan struct{}   // holds one for each batch of the process that is being streamed
	Retiring  <-chan struct{} // closed: the worker ends
}

// Run streams what the past has of the offsets that follow what is queued, and then batches, until an answer of a broker has only batches
// that the client can read. It then waits for a while if nothing was streamed. kerr.OffsetOutOfRange, wrapped, is a log that does not hold
// the next offset; a *checkpoint.ParkError and a *PastError end the worker.
func (s *Streamer) Run(ctx context.Context) error {
	err := s.readPast(ctx)
	if err == nil {
		err = s.readBatches(ctx)
	}
	if err == nil {
		err = s.pauseReading(ctx)
	}
	return err
}

// pauseReading waits before the client fetches the partition again, if nothing was streamed since its last fetch. The batch that the
// client cannot read is not there for us, and the client would meet it with every answer.
func (s *Streamer) pauseReading(ctx context.Context) error {
	vain := s.Queue.ReadInVain()
	if vain == 0 {
		return nil
	}
	select {
	case <-time.After(min(readPause<<min(vain-1, 10), readPauseMost)):
		return nil
	case <-s.Retiring:
		return errRetiring
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// errRetiring ends the streaming of a batch whose worker ends.
var errRetiring = errors.New("the worker ends")

// readBatches streams batches, from the one that follows what is queued, until an answer of a broker has only batches that the client
// can read.
func (s *Streamer) readBatches(ctx context.Context) error {
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
		case tries == rawTries && !Passes(err):
			k := checkpoint.Park{Reason: checkpoint.ParkedRead, From: s.Queue.QueuedTo(), Detail: event.TruncateDetail(err.Error())}
			if first.First <= k.From && k.From < first.Next {
				k.To = first.Next
			}
			return checkpoint.NewParkError(k, err)
		}
		if !Passes(err) {
			tries++
		}
		backoff = min(2*backoff, requests.BackoffLast)
		select {
		case <-time.After(backoff):
		case <-s.Retiring:
			return errRetiring
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// readAnswer fetches batches once, from the one that follows what is queued, and streams them. odd reports that the client could not have
// read one of them, or would have left its offsets out. Of a batch that cannot be read, first is what its header says.
func (s *Streamer) readAnswer(ctx context.Context) (first batch.Batch, odd bool, err error) {
	f, err := batch.Fetch(ctx, s.Client, batch.Place{Topic: s.Topic, Partition: s.Partition, Offset: s.Queue.QueuedTo()})
	if err != nil {
		return first, false, fmt.Errorf("fetch the batch at offset %d: %w", s.Queue.QueuedTo(), err)
	}
	if f.Topic != s.TopicID {
		return first, false, fmt.Errorf("topic %q was created again: %w", s.Topic, kerr.OffsetOutOfRange)
	}
	for {
		b, aborted, err := f.Next()
		if errors.Is(err, batch.ErrNone) {
			return b, odd, nil
		}
		if err != nil {
			return b, odd, fmt.Errorf("read the batch at offset %d: %w", s.Queue.QueuedTo(), err)
		}
		plain := b.Plain(s.Unpack)
		odd = odd || aborted || !plain
		switch {
		case aborted:
		case b.Control():
			s.Queue.Enqueue([]*kgo.Record{b.Marker(s.Topic, s.Partition)}, inbox.End{}) // The worker moves on after it.
		default:
			whole, err := s.streamBatch(ctx, b, plain)
			if err != nil {
				return b, odd, err
			}
			odd = odd || !whole
		}
		s.Queue.Passed(b.Next)
	}
}

// streamBatch queues the records of a batch as the queue has room. A plain one is decompressed already. whole reports that it was read to
// its end.
func (s *Streamer) streamBatch(ctx context.Context, b batch.Batch, plain bool) (whole bool, err error) {
	if !plain {
		select { // One at a time in a process: each has a window of its own.
		case s.Turn <- struct{}{}:
			defer func() { <-s.Turn }()
		case <-s.Retiring:
			return false, errRetiring
		case <-ctx.Done():
			return false, context.Cause(ctx)
		}
	}
	var portion []*kgo.Record
	bytes := 0
	put := func() error {
		err := s.put(ctx, portion)
		portion, bytes = nil, 0
		return err
	}
	whole = true
	err = b.Read(batch.Place{Topic: s.Topic, Partition: s.Partition, Offset: s.Queue.QueuedTo()}, func(r *kgo.Record) error {
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

// put queues records once there is room.
func (s *Streamer) put(ctx context.Context, portion []*kgo.Record) error {
	for !s.Queue.HasRoom() {
		select {
		case <-s.Queue.Room:
		case <-s.Retiring:
			return errRetiring
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	s.Queue.Enqueue(portion, inbox.End{})
	return nil
}

// Passes reports whether an error comes from the state of the brokers or the network, rather than from the data.
func Passes(err error) bool {
	return kgo.IsRetryableBrokerErr(err) || kerr.IsRetriable(err) || errors.As(err, new(net.Error)) ||
		errors.As(err, new(*tls.CertificateVerificationError)) // Certificates are being replaced.
}
