package batch

import (
	"encoding/binary"

	"github.com/pierrec/lz4/v4"
)

// A frame of LZ4, https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md, without a length and a dictionary:
//
//	mark 4 | flags 1 | block size 1 | header checksum 1 | (length 4 | block)* | 0 4 | [content checksum 4]
//
// The top bit of a block's length says that the block is not compressed.
const (
	lz4Header   = 7 // bytes
	lz4Mark     = 0x184D2204
	lz4Checksum = 0x04 // flag: there is a content checksum
	lz4Plain    = 1 << 31
)

// lz4Headers are the headers that producers write, after the mark, with the most bytes that a block has: version 1, blocks that do not
// refer to each other, without and with a content checksum.
var lz4Headers = map[[3]byte]int{
	{0x60, 0x40, 0x82}: 64 << 10, {0x60, 0x50, 0xFB}: 256 << 10, {0x60, 0x60, 0x51}: 1 << 20, {0x60, 0x70, 0x73}: 4 << 20,
	{0x64, 0x40, 0xA7}: 64 << 10, {0x64, 0x50, 0x08}: 256 << 10, {0x64, 0x60, 0x85}: 1 << 20, {0x64, 0x70, 0xB9}: 4 << 20,
}

// unpackLz4 decompresses one frame as Kafka's producers write it, if it fits into room. Otherwise, also for damage, ok is false, and
// lz4.Reader decides.
//
// It skips the checksum of the content, as Kafka's Java client does: that of the batch covers the same bytes.
func unpackLz4(frame, room []byte) (n int, ok bool) {
	if len(frame) < lz4Header || binary.LittleEndian.Uint32(frame) != lz4Mark {
		return 0, false
	}
	maxBlock, ok := lz4Headers[[3]byte(frame[4:lz4Header])]
	if !ok {
		return 0, false
	}
	trailer := 4
	if frame[4]&lz4Checksum != 0 {
		trailer += 4
	}
	for rest := frame[lz4Header:]; len(rest) >= 4; {
		length := binary.LittleEndian.Uint32(rest)
		if length == 0 {
			return n, len(rest) == trailer
		}
		rest = rest[4:]
		size := int(length &^ lz4Plain)
		if size > len(rest) || size > maxBlock {
			return 0, false
		}
		made := size
		if length&lz4Plain == 0 {
			var err error
			if made, err = lz4.UncompressBlock(rest[:size], room[n:min(n+maxBlock, len(room))]); err != nil {
				return 0, false
			}
		} else if copy(room[n:], rest[:size]) < size {
			return 0, false
		}
		n, rest = n+made, rest[size:]
	}
	return 0, false
}
