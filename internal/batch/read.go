package batch

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/pipeline/event"
)

var (
	errRecord = errors.New("the records are damaged")
	errOffset = errors.New("a record has another offset than its place in the batch")
)

// Read streams the records of a batch to each, in the order of their offsets, those below at.Offset left out. Of a value beyond
// event.MaxRecordBytes, a key beyond MaxKeyBytes and headers beyond MaxHeaderBytes it keeps a little more than that. Where the rest cannot
// be read, its last call is with a record that stands for a Range. It returns the first error of each.
func (b *Batch) Read(at Place, each func(*kgo.Record) error) error {
	next, left := b.First, b.Records
	// No offset is left out, unless the log was compacted.
	dense := b.Records == b.Next-b.First
	data, done, err := stream(b.codec, b.data)
	if err == nil {
		defer done()
		s := &source{r: bufio.NewReaderSize(&io.LimitedReader{R: data, N: MaxExpanded}, 64<<10)}
		for ; left > 0; left-- {
			var r *kgo.Record
			if r, err = s.record(b); err == nil && (r.Offset < next || r.Offset >= b.Next || dense && r.Offset > next) {
				err = errOffset
			}
			if err != nil {
				break
			}
			next = r.Offset + 1
			if r.Offset < at.Offset {
				continue
			}
			r.Topic, r.Partition = at.Topic, at.Partition
			if err := each(r); err != nil {
				return err
			}
		}
	}
	if err == nil || b.Next <= max(next, at.Offset) {
		return nil
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = fmt.Errorf("the batch ends early, or goes on after %d bytes: %w", int64(MaxExpanded), err)
	}
	return each(&kgo.Record{Topic: at.Topic, Partition: at.Partition, Offset: max(next, at.Offset), Timestamp: timeOf(b.MaxTime),
		Context: context.WithValue(context.Background(), rangeKey{}, b.rest(max(next, at.Offset), left, err))})
}

// source reads records off a stream. left is what the present record still has.
type source struct {
	r    *bufio.Reader
	left int64
}

// ReadByte implements io.ByteReader within the record.
func (s *source) ReadByte() (byte, error) {
	if s.left <= 0 {
		return 0, errRecord
	}
	s.left--
	return s.r.ReadByte()
}

// bytes reads a field of a record, and keeps as much of it; nil: it is null.
func (s *source) bytes(keep int) (b []byte, size int64, err error) {
	if size, err = binary.ReadVarint(s); err != nil {
		return nil, 0, err
	}
	if size < 0 {
		return nil, 0, nil
	}
	if size > s.left {
		return nil, 0, errRecord
	}
	b = make([]byte, min(size, int64(keep)))
	if _, err = io.ReadFull(s.r, b); err != nil {
		return nil, 0, err
	}
	err = s.skip(size - int64(len(b)))
	s.left -= int64(len(b))
	return b, size, err
}

func (s *source) skip(n int64) error {
	s.left -= n
	_, err := io.CopyN(io.Discard, s.r, n)
	return err
}

func (s *source) record(b *Batch) (*kgo.Record, error) {
	size, err := binary.ReadVarint(s.r)
	if err != nil {
		return nil, err
	}
	if size < 0 {
		return nil, errRecord
	}
	s.left = size
	if _, err := s.ReadByte(); err != nil { // Attributes, of which none is in use.
		return nil, err
	}
	since, err := binary.ReadVarint(s)
	if err != nil {
		return nil, err
	}
	delta, err := binary.ReadVarint(s)
	if err != nil {
		return nil, err
	}
	r := &kgo.Record{Offset: b.First + delta, Timestamp: timeOf(b.FirstTime + since)}
	if b.logAppendTime {
		r.Timestamp = timeOf(b.MaxTime)
	}
	var left cut
	var length int64
	if r.Key, length, err = s.bytes(MaxKeyBytes + 1); err != nil {
		return nil, err
	}
	left.key = length > int64(len(r.Key))
	if r.Value, left.length, err = s.bytes(event.MaxRecordBytes + 1); err != nil {
		return nil, err
	}
	headers, err := binary.ReadVarint(s)
	if err != nil {
		return nil, err
	}
	var whole bool
	if r.Headers, whole, err = s.headers(headers); err != nil {
		return nil, err
	}
	left.headers = !whole
	left.mark(r)
	return r, s.skip(s.left)
}
