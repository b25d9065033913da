package pack

import (
	"strconv"
	"strings"

	"github.com/oklog/ulid/v2"

	"github.com/footfall/footfall/sinks"
)

// Source is where the record of a raw event lies.
type Source struct {
	Topic             string
	Partition, Offset int64
}

// SourceOf reads the source of a raw event's item: topic/partition/offset.
func SourceOf(it sinks.Item) (s Source) {
	text := it["source"].Str()
	parts := strings.Split(text, "/") // No topic has a slash.
	if len(parts) != 3 {
		return Source{Topic: text}
	}
	s.Topic = parts[0]
	s.Partition, _ = strconv.ParseInt(parts[1], 10, 32) // The pipeline writes nothing else.
	s.Offset, _ = strconv.ParseInt(parts[2], 10, 64)
	return s
}

// lowest spells the least ULID of a millisecond.
func lowest(ms int64) string {
	var u ulid.ULID
	if err := u.SetTime(uint64(ms)); err != nil {
		panic("a span reaches beyond the time of a ULID: " + strconv.FormatInt(ms, 10)) // It ends in the year 9999, a ULID's in 10889.
	}
	return u.String()
}
