package pipeline_test

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/pipeline/event"
)

// A batch whose records have other offsets than those that it takes in the log hides no record, of its own or of others: the client of
// Kafka continues after the offset that the record says, and drops what it has passed.
func TestRecordsWithWrongOffsetsHideNothing(t *testing.T) {
	slow.Unraced(t)
	t.Parallel()
	for name, c := range map[string]struct {
		deltas  []int64
		counted int64 // of them; the others are rejected
	}{
		"beyond the end":     {[]int64{1 << 30}, 0},
		"beyond some others": {[]int64{0, 150}, 1},
		"the same":           {[]int64{0, 0, 0}, 1},
		"reversed":           {[]int64{1, 0}, 0},
		"negative":           {[]int64{-1, 1, 2}, 0},
	} {
		for _, last := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, last %v", name, last), func(t *testing.T) {
				inWorld(t, 1, func(t *testing.T, w *world) {
					run := w.Start(w.Options())
					w.Produce(traffic(51, 1, 100, bubbleStart)...)
					if err := w.PutBatch(0, testpipeline.WrongOffsets(-1, -1, c.deltas...)); err != nil {
						t.Fatal(err)
					}
					want := 100 + int64(len(c.deltas))
					if !last {
						w.Produce(traffic(52, 1, 300, bubbleStart.Add(time.Minute))...)
						want += 300
					}
					w.Settled()
					run.Drain()
					totals := w.totals(0)
					if got := totals.Rejected[event.Unreadable]; got != int64(len(c.deltas))-c.counted || totals.Records() != want {
						t.Errorf("totals %+v of %d records, want %d, of them %d unreadable", totals, totals.Records(), want, int64(len(c.deltas))-c.counted)
					}
					w.Recounted()
				})
			})
		}
	}
}

// The offsets of a transaction that was aborted hide nothing either, although its records are never delivered. What its producer commits
// after it counts.
func TestAbortedRecordsWithWrongOffsetsHideNothing(t *testing.T) {
	slow.Unraced(t)
	t.Parallel()
	for _, delta := range []int64{150, 1 << 30} {
		t.Run(fmt.Sprint(delta), func(t *testing.T) {
			inWorld(t, 1, func(t *testing.T, w *world) {
				w.Produce(traffic(53, 1, 100, bubbleStart)...)
				c := w.Huge(kgo.TransactionalID("wrong"))
				defer c.Close()
				transaction := func(end kgo.TransactionEndTry, more func()) {
					t.Helper()
					if err := c.BeginTransaction(); err != nil {
						t.Fatal(err)
					}
					if err := c.ProduceSync(t.Context(), w.bomb(1)...).FirstErr(); err != nil {
						t.Fatal(err)
					}
					more()
					if err := c.EndTransaction(t.Context(), end); err != nil {
						t.Fatal(err)
					}
				}
				transaction(kgo.TryAbort, func() {
					id, epoch, err := c.ProducerID(t.Context())
					if err != nil {
						t.Fatal(err)
					}
					b := testpipeline.WrongOffsets(id, epoch, delta)
					binary.BigEndian.PutUint32(b[53:], 4) // Its sequence follows the records of the bomb.
					binary.BigEndian.PutUint32(b[17:], crc32.Checksum(b[21:], crc32.MakeTable(crc32.Castagnoli)))
					if err := w.PutBatch(0, b); err != nil {
						t.Fatal(err)
					}
				})
				transaction(kgo.TryCommit, func() {})
				w.Produce(traffic(54, 1, 300, bubbleStart.Add(time.Minute))...)
				run := w.Start(w.Options())
				w.Settled()
				run.Drain()
				if got := w.totals(0).Records(); got != 404 {
					t.Errorf("totals of %d records, want 404", got)
				}
				w.Recounted()
			})
		})
	}
}
