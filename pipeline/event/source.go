package event

import (
	"encoding/hex"
	"fmt"
	"strconv"
)

// HeaderSource is the header of a record that was published again from the failed-events topic: which record it is,
// as [Source.String] spells it. On an entry of that topic it says that the rejected record was such a one itself.
// No other producer may set it.
const HeaderSource = "footfall-source"

// The headers of an entry of the failed-events topic, beside HeaderSource.
const (
	HeaderReason    = "reason"
	HeaderDetail    = "detail"
	HeaderTopic     = "source-topic"
	HeaderTopicID   = "source-topic-id"
	HeaderPartition = "source-partition"
	HeaderOffset    = "source-offset"
	HeaderTime      = "source-time"       // the record's timestamp, milliseconds since the epoch
	HeaderWindow    = "duplicates-window" // in which the record repeats no event: milliseconds and positions, as 900000/251658
	HeaderTruncated = "truncated"         // what is not whole: "value", "key", TruncatedHeaders, or several with commas between them
	HeaderLength    = "original-length"   // of the value as it came
	HeaderEnd       = "source-end-offset" // of a range of offsets: the one after the last; its value is the batch's header
	HeaderRecords   = "source-records"    // of a range: how many records of the batch were not read
	HeaderOwn       = "header."           // begins the name of a header that the record had
	HeaderSum       = "batch-sha256"      // of a range: of the batch as it is in the log, in hex
)

// TruncatedHeaders says in HeaderTruncated that headers of the record are missing.
const TruncatedHeaders = "headers"

// MaxSourceBytes is far above what Source.String spells.
const MaxSourceBytes = 256

// Source names a record of a topic for all time: a topic that is created again has another id.
type Source struct {
	TopicID   [16]byte
	Partition int32
	Offset    int64
}

// String spells the source as HeaderSource does: topic id in hex/partition/offset.
func (s Source) String() string {
	return fmt.Sprintf("%x/%d/%d", s.TopicID, s.Partition, s.Offset)
}

// ParseSource reads a topic's id in hex, a partition and an offset, as the headers of an entry of the failed-events
// topic have them.
func ParseSource(topicID, partition, offset string) (s Source, err error) {
	id, err := hex.DecodeString(topicID)
	if err != nil || len(id) != len(s.TopicID) {
		return s, fmt.Errorf("%q is not the id of a topic", topicID)
	}
	copy(s.TopicID[:], id)
	p, err := strconv.ParseUint(partition, 10, 31)
	if err != nil {
		return s, fmt.Errorf("%q is not a partition", partition)
	}
	o, err := strconv.ParseUint(offset, 10, 63)
	if err != nil {
		return s, fmt.Errorf("%q is not an offset", offset)
	}
	s.Partition, s.Offset = int32(p), int64(o)
	return s, nil
}

// IsSource reports whether b is spelled as Source.String spells: lower-case hex/digits/digits.
func IsSource(b []byte) bool {
	if len(b) > MaxSourceBytes || len(b) < 32 {
		return false
	}
	for _, c := range b[:32] {
		if !('0' <= c && c <= '9' || 'a' <= c && c <= 'f') {
			return false
		}
	}
	parts, digits := 0, 1 // digits of the part that is being read
	for _, c := range b[32:] {
		switch {
		case c == '/' && digits > 0:
			parts, digits = parts+1, 0
		case '0' <= c && c <= '9' && parts > 0:
			digits++
		default:
			return false
		}
	}
	return parts == 2 && digits > 0
}
