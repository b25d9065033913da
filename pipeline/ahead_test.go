package pipeline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/testworld"
	"github.com/footfall/footfall/pipeline/internal/decoding"
	"github.com/footfall/footfall/pipeline/internal/inbox"
	"github.com/footfall/footfall/sinks"
)

// decodingAhead is ownedPartition with chunks that are decoded ahead.
func decodingAhead(t *testing.T, table sinks.Table, chunks, queueBytes int) *worker {
	t.Helper()
	w := ownedPartitionWith(t, Options{Table: table, ChunksAhead: chunks, Limits: Limits{QueueBytes: queueBytes}})
	var err error
	if w.client, err = kgo.NewClient(kgo.SeedBrokers("nowhere:1"), kgo.Dialer(func(context.Context, string, string) (net.Conn, error) {
		return nil, errors.New("there is no broker")
	})); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.client.Close)
	return w
}

// away is a table that answers no reads of states.
type away struct{ sinks.Table }

func (a away) BatchGet(ctx context.Context, g sinks.BatchGet) (sinks.BatchResult, error) {
	if g.Keys[0].PK == (sinks.Keys{}).Site("site-0") || len(g.Keys) > 8 {
		<-ctx.Done()
		return sinks.BatchResult{}, context.Cause(ctx)
	}
	return a.Table.BatchGet(ctx, g)
}

// queued are enough records for a number of chunks.
func queued(chunks int) (list []*kgo.Record) {
	for range chunks {
		records := chunkOf(5, 40, time.Now())
		for _, r := range records {
			r.Offset += int64(len(list))
		}
		list = append(list, records...)
	}
	return list
}

// TestChunksAheadAreBounded: what is decoded ahead counts as fetched, and stays below the number of chunks and half of the queue's bytes.
func TestChunksAheadAreBounded(t *testing.T) {
	for _, c := range []struct{ chunks, queueBytes, want int }{
		{3, 8 << 20, 3},
		{64, 8 << 20, 31}, // A chunk has 64 KiB, some 100 records, and decoding it takes 138 KiB.
		{4, 200_000, 2},   // A chunk has 25,000 bytes, some 40 records, and decoding it takes 54,000.
	} {
		t.Run(fmt.Sprintf("%d chunks, %d bytes", c.chunks, c.queueBytes), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := decodingAhead(t, testworld.Table(t), c.chunks, c.queueBytes)
				w.ahead.Start()
				defer w.ahead.Stop()
				w.Enqueue(queued(20), inbox.End{})
				if most := w.mostAhead(t); most != c.want {
					t.Errorf("at most %d chunks were ahead, want %d", most, c.want)
				}
			})
		})
	}
}

// mostAhead takes all that is queued, and returns how many chunks were ahead at most.
func (w *worker) mostAhead(t *testing.T) (most int) {
	for left, next := int64(w.QueuedBytes), int64(0); left > 0; {
		if err := w.nextChunk(t.Context()); err != nil || len(w.batch) == 0 || w.batch[0].Offset != next {
			t.Fatalf("nextChunk = %v, and %d records; want those from offset %d", err, len(w.batch), next)
		}
		for i, r := range w.receive(w.batch) {
			if r.Raw != w.batch[i] || !bytes.Contains(r.Raw.Value, r.Event.SessionID) || r.Offset != next {
				t.Fatalf("offset %d is decoded as %d, session %s", next, r.Offset, r.Event.SessionID)
			}
			next++
			left -= int64(decoding.RecordBytes(r.Raw))
		}
		most = max(most, w.ahead.InFlight)
		if fetched := w.memory.Fetched(); fetched != left+int64(w.AheadBytes) || w.ahead.InFlight > 0 && w.AheadBytes == 0 {
			t.Fatalf("%d bytes count as fetched; %d are not taken, and decoding takes %d", fetched, left, w.AheadBytes)
		}
	}
	if w.AheadBytes != 0 {
		t.Errorf("%d bytes of chunks ahead are left", w.AheadBytes)
	}
	return most
}

// TestLostPartitionEmptiesItsPipe: a worker that loses its partition ends with chunks in its pipe. They are not folded, and nothing of
// them counts as fetched any more.
func TestLostPartitionEmptiesItsPipe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := decodingAhead(t, away{testworld.Table(t)}, 64, 8<<20)
		ctx, kill := context.WithCancelCause(t.Context())
		w.kill = kill
		done := make(chan error, 1)
		w.Enqueue(queued(10), inbox.End{})
		go func() { done <- w.run(ctx) }()
		synctest.Wait() // It waits for the states of its first chunk.
		if n := len(w.ahead.Done); n == 0 {
			t.Error("nothing is decoded ahead: the test is void")
		}
		kill(errLost)
		if err := <-done; !errors.Is(err, errLost) {
			t.Errorf("run = %v, want that the partition was lost", err)
		}
		if n := w.memory.Fetched(); n != 0 || w.totals.Counted > 0 {
			t.Errorf("%d bytes count as fetched, and %d records are counted; want none", n, w.totals.Counted)
		}
	})
}

// TestPanicAheadEndsTheWorker: a panic of the goroutine that decodes ahead, other than over a record, ends its worker in order.
func TestPanicAheadEndsTheWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := decodingAhead(t, testworld.Table(t), 4, 8<<20)
		w.ahead.Decoder.Decoder = nil
		ctx, kill := context.WithCancelCause(t.Context())
		w.kill = kill
		w.Enqueue(queued(3), inbox.End{})
		defer time.AfterFunc(time.Hour, func() { kill(errLost) }).Stop() // It has gone on.
		err := w.run(ctx)
		if err == nil || !strings.Contains(err.Error(), "offsets from 0") || !strings.Contains(err.Error(), "made footfall panic") {
			t.Errorf("run = %v, want where it panicked", err)
		}
	})
}
