package pipeline_test

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/pipeline/event"
)

// wrongOffsets is an uncompressed batch whose records have these offsets within it. Kafka 4.3.1 takes such a batch: of what is not
// compressed it compares only the count with the header.
func wrongOffsets(producer int64, epoch int16, deltas ...int64) []byte {
	b := kmsg.RecordBatch{Magic: 2, LastOffsetDelta: int32(len(deltas) - 1), FirstTimestamp: bubbleStart.UnixMilli(),
		MaxTimestamp: bubbleStart.UnixMilli(), ProducerID: producer, ProducerEpoch: epoch, FirstSequence: -1, NumRecords: int32(len(deltas))}
	if producer >= 0 {
		b.Attributes, b.FirstSequence = 0x10, 0
	}
	for i, delta := range deltas {
		value := fmt.Sprintf(`{"siteId":"s","type":"click","timestamp":%d,"visitorId":"v%d"}`, bubbleStart.UnixMilli(), i)
		r := binary.AppendVarint([]byte{0, 0}, delta)
		r = binary.AppendVarint(r, -1)
		r = append(binary.AppendVarint(r, int64(len(value))), value...)
		r = append(r, 0)
		b.Records = append(binary.AppendVarint(b.Records, int64(len(r))), r...)
	}
	raw := b.AppendTo(nil)
	binary.BigEndian.PutUint32(raw[8:], uint32(len(raw)-12))
	binary.BigEndian.PutUint32(raw[17:], crc32.Checksum(raw[21:], crc32.MakeTable(crc32.Castagnoli)))
	return raw
}

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
					run := w.start(w.options())
					w.produce(traffic(51, 1, 100, bubbleStart)...)
					if err := w.putBatch(0, wrongOffsets(-1, -1, c.deltas...)); err != nil {
						t.Fatal(err)
					}
					want := 100 + int64(len(c.deltas))
					if !last {
						w.produce(traffic(52, 1, 300, bubbleStart.Add(time.Minute))...)
						want += 300
					}
					w.settled()
					run.drain()
					totals := w.totals(0)
					if got := totals.Rejected[event.Unreadable]; got != int64(len(c.deltas))-c.counted || totals.Records() != want {
						t.Errorf("totals %+v of %d records, want %d, of them %d unreadable", totals, totals.Records(), want, int64(len(c.deltas))-c.counted)
					}
					w.recounted()
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
				w.produce(traffic(53, 1, 100, bubbleStart)...)
				c := w.huge(kgo.TransactionalID("wrong"))
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
					b := wrongOffsets(id, epoch, delta)
					binary.BigEndian.PutUint32(b[53:], 4) // Its sequence follows the records of the bomb.
					binary.BigEndian.PutUint32(b[17:], crc32.Checksum(b[21:], crc32.MakeTable(crc32.Castagnoli)))
					if err := w.putBatch(0, b); err != nil {
						t.Fatal(err)
					}
				})
				transaction(kgo.TryCommit, func() {})
				w.produce(traffic(54, 1, 300, bubbleStart.Add(time.Minute))...)
				run := w.start(w.options())
				w.settled()
				run.drain()
				if got := w.totals(0).Records(); got != 404 {
					t.Errorf("totals of %d records, want 404", got)
				}
				w.recounted()
			})
		})
	}
}
