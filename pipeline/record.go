package pipeline

import (
	"strconv"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/batch"
	"github.com/footfall/footfall/pipeline/aggregate"
	"github.com/footfall/footfall/pipeline/event"
)

// record is one record on its way from poll to the folds.
type record struct {
	raw    *kgo.Record
	span   *batch.Range // the unreadable offsets that it replaces; nil: none
	reason event.Reason // of the decoder
	detail string

	id              []byte                        // Identity, of well-formed records; nil: none
	repeats         repetition                    // of an event that was there already
	window          int64                         // the offset from which its window of duplicates needs the log
	verdicts        [aggregate.Lanes]event.Reason // of each lane
	aggregate.Input                               // of well-formed records
}

// recordTime is the Kafka record's timestamp in milliseconds since the epoch.
func (r *record) recordTime() int64 { return r.raw.Timestamp.UnixMilli() }

// source says where the record lies: topic/partition/offset.
func (r *record) source() string {
	return r.raw.Topic + "/" + strconv.Itoa(int(r.raw.Partition)) + "/" + strconv.FormatInt(r.raw.Offset, 10)
}
