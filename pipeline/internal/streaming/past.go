package streaming

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/batch"
	"github.com/footfall/footfall/pipeline/internal/decoding"
)

// PastError reports that records of the past cannot be read.
type PastError struct{ Err error }

func (e *PastError) Error() string { return fmt.Sprintf("records that the topic has lost: %v", e.Err) }

func (e *PastError) Unwrap() error { return e.Err }

// readPast queues what the past has of the offsets that follow what is queued.
func (s *Streamer) readPast(ctx context.Context) error {
	if s.Past == nil {
		return nil
	}
	next := s.Queue.QueuedTo()
	from, to := s.Past.Span(s.Partition)
	if next < from || next >= to {
		return nil
	}
	var portion []*kgo.Record
	bytes := 0
	for r, err := range s.Past.Records(ctx, s.Partition, next) {
		if err != nil {
			return &PastError{err}
		}
		portion = append(portion, r)
		if bytes += decoding.RecordBytes(r); bytes < rawPortion {
			continue
		}
		if err := s.put(ctx, portion); err != nil {
			return err
		}
		portion, bytes = nil, 0
	}
	// What is missing at the end is passed, too.
	if last := len(portion) - 1; last < 0 || portion[last].Offset < to-1 {
		portion = append(portion, batch.MarkerAt(batch.Place{Topic: s.Topic, Partition: s.Partition, Offset: to - 1}))
	}
	if err := s.put(ctx, portion); err != nil {
		return err
	}
	s.Queue.Passed(to)
	return nil
}
