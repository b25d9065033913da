package decoding

import (
	"strconv"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/batch"
	"github.com/footfall/footfall/pipeline/aggregate"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/pipeline/internal/duplicates"
)

// Record is one record on its way from poll to the folds.
type Record struct {
	Raw    *kgo.Record
	Span   *batch.Range // the unreadable offsets that it replaces; nil: none
	Reason event.Reason // of the decoder
	Detail string

	ID              []byte                        // Identity, of well-formed records; nil: none
	Repeats         duplicates.Repetition         // of an event that was there already
	Window          int64                         // the offset from which its window of duplicates needs the log
	Verdicts        [aggregate.Lanes]event.Reason // of each lane
	aggregate.Input                               // of well-formed records
}

// RecordTime is the Kafka record's timestamp in milliseconds since the epoch.
func (r *Record) RecordTime() int64 { return r.Raw.Timestamp.UnixMilli() }

// Source says where the record lies: topic/partition/offset.
func (r *Record) Source() string {
	return r.Raw.Topic + "/" + strconv.Itoa(int(r.Raw.Partition)) + "/" + strconv.FormatInt(r.Raw.Offset, 10)
}
