package streaming

import (
	"context"
	"errors"
	"iter"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/batch"
	"github.com/footfall/footfall/pipeline/internal/budget"
	"github.com/footfall/footfall/pipeline/internal/decoding"
	"github.com/footfall/footfall/pipeline/internal/inbox"
)

// somePast has records at some offsets of [3, 10), or cannot read them.
type somePast struct {
	offsets []int64
	err     error
}

func (somePast) Span(int32) (from, to int64) { return 3, 10 }

func (p somePast) Records(_ context.Context, partition int32, from int64) iter.Seq2[*kgo.Record, error] {
	return func(yield func(*kgo.Record, error) bool) {
		for _, o := range p.offsets {
			if o >= from && !yield(&kgo.Record{Partition: partition, Offset: o}, nil) {
				return
			}
		}
		if p.err != nil {
			yield(nil, p.err)
		}
	}
}

type noFetching struct{}

func (noFetching) Pause(int32)  {}
func (noFetching) Resume(int32) {}

// TestPastEndsWhereTheTopicBegins: records of the past are queued from the next offset on. What is missing at the end is passed, too.
func TestPastEndsWhereTheTopicBegins(t *testing.T) {
	gone := errors.New("gone")
	for _, c := range []struct {
		start int64
		past  somePast
		want  []int64
		fails error
	}{
		{3, somePast{offsets: []int64{3, 5}}, []int64{3, 5, 9}, nil},
		{4, somePast{offsets: []int64{3, 5, 9}}, []int64{5, 9}, nil},
		{3, somePast{}, []int64{9}, nil},
		{10, somePast{offsets: []int64{3}}, nil, nil},
		{3, somePast{offsets: []int64{3}, err: gone}, nil, gone},
	} {
		q := inbox.New(inbox.Place{Fetching: noFetching{}, Signal: func() {}, Memory: budget.NewBudget(1<<20, 1<<20), Bytes: 1 << 20})
		q.Begin(c.start, inbox.End{}, time.Time{})
		s := Streamer{Past: c.past, Queue: q}
		if err := s.readPast(t.Context()); !errors.Is(err, c.fails) {
			t.Fatalf("from %d: %v, want %v", c.start, err, c.fails)
		}
		var chunk decoding.Chunk
		q.Fill(&chunk, 0)
		for i, r := range chunk.Raw {
			if i >= len(c.want) || r.Offset != c.want[i] || batch.IsMarker(r) != (r.Offset == 9 && len(c.past.offsets) < 3) {
				t.Errorf("from %d: record %d has offset %d, want %v", c.start, i, r.Offset, c.want)
			}
		}
		if len(chunk.Raw) != len(c.want) || c.fails == nil && q.QueuedTo() != 10 {
			t.Errorf("from %d: %d records up to %d, want %v", c.start, len(chunk.Raw), q.QueuedTo(), c.want)
		}
	}
}
