package batch

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/twmb/franz-go/pkg/kgo"
)

// stream decompresses data through a window.
func stream(codec kgo.CompressionCodecType, data []byte) (r io.Reader, done func(), err error) {
	done = func() {}
	switch codec {
	case kgo.CodecNone:
		return bytes.NewReader(data), done, nil
	case kgo.CodecGzip:
		r, err = gzip.NewReader(bytes.NewReader(data))
	case kgo.CodecLz4:
		r = lz4.NewReader(bytes.NewReader(data))
	case kgo.CodecSnappy:
		r = snappyReader(data)
	case kgo.CodecZstd:
		var z *zstd.Decoder
		z, err = zstd.NewReader(bytes.NewReader(narrowed(data)), zstd.WithDecoderLowmem(true), zstd.WithDecoderConcurrency(1),
			zstd.WithDecoderMaxWindow(Window), zstd.WithDecoderMaxMemory(1<<62))
		if err == nil {
			r, done = z, z.Close
		}
	default:
		err = fmt.Errorf("compression %d is not known", codec)
	}
	return r, done, err
}

// narrowed returns a zstd frame whose header asks for no more than Window. A frame that refers further back than that is then
// found to be wrong at that reference; most that ask for more never do.
func narrowed(frame []byte) []byte {
	const window = 14 << 3 // 2^(10+14): Window
	if len(frame) < 6 || binary.LittleEndian.Uint32(frame) != 0xFD2FB528 {
		return frame
	}
	switch descriptor := frame[4]; {
	case descriptor&0x20 == 0: // The window follows.
		if frame[5] <= window {
			return frame
		}
		frame = bytes.Clone(frame)
		frame[5] = window
	case descriptor>>6 >= 2: // A single segment, of a size of 4 or 8 bytes: the window is all of it.
		frame = append([]byte{frame[0], frame[1], frame[2], frame[3], descriptor &^ 0x20, window}, frame[5:]...)
	}
	return frame
}

var xerial = []byte{130, 83, 78, 65, 80, 80, 89, 0}

// snappyReader decompresses a block of snappy, or the blocks that Java frames.
func snappyReader(data []byte) io.Reader {
	if len(data) > 16 && bytes.HasPrefix(data, xerial) {
		return &snappy{framed: data[16:]}
	}
	return &snappy{block: data, begins: true}
}

// snappy decompresses blocks whose references reach back Window at most.
type snappy struct {
	framed []byte // blocks to come, each after its length
	block  []byte // the rest of the present block
	begins bool   // it begins with its length
	left   uint64 // bytes that it has yet to make

	out  []byte // decompressed: the window, then what was not read yet
	read int    // of out
}

var errSnappy = errors.New("snappy: the data are damaged, or refer further back than 16 MiB")

// Read implements io.Reader.
func (s *snappy) Read(p []byte) (int, error) {
	for s.read == len(s.out) {
		if err := s.step(); err != nil {
			return 0, err
		}
	}
	n := copy(p, s.out[s.read:])
	s.read += n
	return n, nil
}

// step decompresses one element of the block, or begins the next block.
func (s *snappy) step() error {
	s.slide()
	switch {
	case s.begins:
		return s.readLength()
	case len(s.block) == 0:
		return s.nextBlock()
	case s.block[0]&3 == 0:
		return s.literal()
	}
	return s.backReference()
}

// slide drops what is older than the window, once that is as much as the window.
func (s *snappy) slide() {
	if len(s.out) >= 2*Window {
		s.out = append(s.out[:0], s.out[len(s.out)-Window:]...)
		s.read = len(s.out)
	}
}

// readLength reads how much the present block makes. No reference reaches back over its beginning.
func (s *snappy) readLength() error {
	n, used := binary.Uvarint(s.block)
	if used <= 0 || n > 1<<32 {
		return errSnappy
	}
	s.block, s.left, s.begins = s.block[used:], n, false
	s.out, s.read = s.out[:0], 0
	return nil
}

// nextBlock takes the next block of those that Java frames; io.EOF: there is none.
func (s *snappy) nextBlock() error {
	if s.left > 0 {
		return errSnappy
	}
	if len(s.framed) == 0 {
		return io.EOF
	}
	if len(s.framed) < 4 {
		return errSnappy
	}
	n := int64(int32(binary.BigEndian.Uint32(s.framed)))
	if s.framed = s.framed[4:]; n < 0 || n > int64(len(s.framed)) {
		return errSnappy
	}
	s.block, s.framed, s.begins = s.framed[:n], s.framed[n:], true
	return nil
}

// literal copies bytes of the block. Their number, less one, is in the tag's upper six bits, or above 59 in the 1 to 4 bytes after it.
func (s *snappy) literal() error {
	length, used := int(s.block[0]>>2)+1, 1
	if extra := int(s.block[0]>>2) - 59; extra > 0 {
		if len(s.block) < 1+extra {
			return errSnappy
		}
		length, used = 0, 1+extra
		for i := extra; i > 0; i-- {
			length = length<<8 | int(s.block[i])
		}
		length++
	}
	if len(s.block)-used < length || uint64(length) > s.left {
		return errSnappy
	}
	s.out = append(s.out, s.block[used:used+length]...)
	s.block, s.left = s.block[used+length:], s.left-uint64(length)
	return nil
}

// backReference repeats length bytes from offset bytes ago. The tag's lower two bits say how the two are spelled.
func (s *snappy) backReference() error {
	tag, length, offset, used := s.block[0], 0, 0, 0
	switch tag & 3 {
	case 1:
		used = 2
		if len(s.block) >= used {
			length, offset = int(tag>>2&7)+4, int(tag>>5)<<8|int(s.block[1])
		}
	case 2:
		used = 3
		if len(s.block) >= used {
			length, offset = int(tag>>2)+1, int(binary.LittleEndian.Uint16(s.block[1:]))
		}
	case 3:
		used = 5
		if len(s.block) >= used {
			length, offset = int(tag>>2)+1, int(binary.LittleEndian.Uint32(s.block[1:]))
		}
	}
	if len(s.block) < used || offset <= 0 || offset > min(len(s.out), Window) || uint64(length) > s.left {
		return errSnappy
	}
	for range length {
		s.out = append(s.out, s.out[len(s.out)-offset])
	}
	s.block, s.left = s.block[used:], s.left-uint64(length)
	return nil
}

// snappyLength returns how much a block, or the blocks that Java frames, decompress to.
func snappyLength(data []byte) (total int64, err error) {
	if len(data) <= 16 || !bytes.HasPrefix(data, xerial) {
		n, err := s2.DecodedLen(data)
		return int64(n), err
	}
	for data = data[16:]; len(data) > 0; {
		if len(data) < 4 {
			return 0, errSnappy
		}
		size := int64(int32(binary.BigEndian.Uint32(data)))
		if data = data[4:]; size < 0 || size > int64(len(data)) {
			return 0, errSnappy
		}
		n, err := s2.DecodedLen(data[:size])
		if err != nil {
			return 0, err
		}
		total, data = total+int64(n), data[size:]
	}
	return total, nil
}

// snappyWhole decompresses a block, or the blocks that Java frames, into total bytes at once. It is several times as fast as
// snappyReader, and serves where total is known to be small.
func snappyWhole(data []byte, total int64) ([]byte, error) {
	if len(data) <= 16 || !bytes.HasPrefix(data, xerial) {
		return s2.Decode(nil, data)
	}
	out := make([]byte, 0, total)
	for data = data[16:]; len(data) > 0; { // snappyLength has checked the lengths.
		size := int64(binary.BigEndian.Uint32(data))
		block, err := s2.Decode(out[len(out):cap(out)], data[4:4+size])
		if err != nil {
			return nil, err
		}
		out, data = append(out, block...), data[4+size:]
	}
	return out, nil
}
