// Package batch reads record batches of Kafka in bounded memory.
//
// A batch of 100 KB may hold gigabytes, or millions of records of a few bytes. The client that consumes a topic decompresses
// a batch as a whole, so it is given a [Decompressor] that refuses what is larger than its bound. Such a batch is then
// fetched by itself (Fetch) and streamed (Read): through a window of at most [Window] bytes, a record at a time, each cut to
// what its readers need of it. What cannot be streamed is handed over as a range of offsets ([Range]).
//
// How a batch is read depends on the bound; what comes of it depends on the batch alone. Every batch that the Decompressor
// takes can be streamed, with the same records.
package batch

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

const (
	// Window is how far back compressed data may refer. It is the largest bound that a Decompressor can have.
	Window = 16 << 20
	// MaxExpanded is how much of a batch is streamed. The rest is a Range.
	MaxExpanded = 4 << 30

	// DefaultBound is how many bytes a batch may have, decompressed, to be read as a whole.
	DefaultBound = 4 << 20
)

// ErrTooLarge reports a batch that is not decompressed as a whole.
var ErrTooLarge = errors.New("the batch is too large to be decompressed as a whole")

// ErrCorrupt reports a batch whose bytes are not those that were written: its checksum is wrong, or it is no batch.
var ErrCorrupt = errors.New("the batch is damaged")

// headerBytes is the size of a batch's header, up to its records.
const headerBytes = 61

// Batch is one record batch of format 2.
type Batch struct {
	First, Next   int64 // its offsets: [First, Next)
	Records       int64 // that it has by its header, at most Next - First
	Bytes         []byte
	FirstTime     int64
	MaxTime       int64
	codec         kgo.CompressionCodecType
	data          []byte // the records, as compressed as codec says
	logAppendTime bool
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Parse reads the first batch of what a broker has sent. Where the bytes are no batch, or were damaged, the error wraps
// ErrCorrupt; First and Next are then what the header says, if it says anything that can be.
func Parse(b []byte) (Batch, error) {
	if len(b) < headerBytes {
		return Batch{}, ErrCorrupt
	}
	first, size := int64(binary.BigEndian.Uint64(b)), int64(int32(binary.BigEndian.Uint32(b[8:])))+12
	if b[16] != 2 || first < 0 || size < headerBytes || size > int64(len(b)) {
		return Batch{First: first}, ErrCorrupt
	}
	b = b[:size]
	attrs := binary.BigEndian.Uint16(b[21:])
	delta, count := int64(int32(binary.BigEndian.Uint32(b[23:]))), int64(int32(binary.BigEndian.Uint32(b[57:])))
	x := Batch{First: first, Next: first + delta + 1, Bytes: b, data: b[headerBytes:], codec: kgo.CompressionCodecType(attrs & 7),
		logAppendTime: attrs&8 != 0, FirstTime: int64(binary.BigEndian.Uint64(b[27:])), MaxTime: int64(binary.BigEndian.Uint64(b[35:]))}
	if delta < 0 || count < 0 || crc32.Checksum(b[21:], castagnoli) != binary.BigEndian.Uint32(b[17:]) {
		return x, ErrCorrupt
	}
	x.Records = min(count, delta+1)
	return x, nil
}

// Range stands for offsets whose records cannot be read. It travels in the Context of a record at the first of them.
type Range struct {
	Next    int64 // the offset after the last
	Records int64 // that the batch's header names and that were not read
	Cause   string
	Header  []byte   // of the batch
	Sum     [32]byte // SHA-256 of the batch
}

// Keys of what a record's Context has.
type (
	rangeKey  struct{} // *Range
	cutKey    struct{} // cut
	markerKey struct{} // bool
)

// RangeOf returns the range that a record stands for; nil: it is a record.
func RangeOf(r *kgo.Record) *Range {
	if r.Context == nil {
		return nil
	}
	x, _ := r.Context.Value(rangeKey{}).(*Range)
	return x
}

func (b *Batch) rest(from, records int64, cause error) *Range {
	return &Range{Next: b.Next, Records: min(records, b.Next-from), Cause: cause.Error(),
		Header: b.Bytes[:headerBytes], Sum: sha256.Sum256(b.Bytes)}
}

// Marker returns a record for the last offset of a control batch, since only the client can make control records. It has no content.
func (b *Batch) Marker(topic string, partition int32) *kgo.Record {
	m := MarkerAt(Place{Topic: topic, Partition: partition, Offset: b.Next - 1})
	m.Timestamp = timeOf(b.MaxTime)
	return m
}

// MarkerAt returns a record that stands for an offset without data, as a marker of a transaction does.
func MarkerAt(at Place) *kgo.Record {
	return &kgo.Record{Topic: at.Topic, Partition: at.Partition, Offset: at.Offset,
		Context: context.WithValue(context.Background(), markerKey{}, true)}
}

// IsMarker reports whether a record is of a control batch.
func IsMarker(r *kgo.Record) bool {
	return r.Attrs.IsControl() || r.Context != nil && r.Context.Value(markerKey{}) != nil
}

// Control reports whether the batch is a marker of a transaction.
func (b *Batch) Control() bool { return b.Bytes[22]&0x20 != 0 }

// timeOf is the time of a record, as the client has it: beyond the years 1677 to 2262 its nanoseconds overflow.
func timeOf(millis int64) time.Time { return time.Unix(0, millis*1e6) }

// Place is an offset in a partition of a topic, from which a batch is read.
type Place struct {
	Topic     string
	Partition int32
	Offset    int64 // in the batch, not necessarily its first
}
