package batch

import (
	"encoding/binary"

	"github.com/pierrec/lz4/v4"
)

// What a frame of LZ4 begins with, https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md: its mark, flags, the most that a block
// decompresses to, and a checksum of these. Blocks follow, each after its length, and a length of 0.
const (
	lz4Header = 7 // bytes
	lz4Mark   = 0x184D2204
	lz4Usual  = 0x60    // flags: the format's only version, and blocks that do not refer to each other
	lz4Sum    = 0x04    // flag: a checksum of what the frame decompresses to comes last
	lz4Plain  = 1 << 31 // of a block's length: the block is not compressed
)

// unpackLz4 decompresses a frame as Kafka's producers write it into room, if it fits. For all others, damaged ones too, ok is false:
// lz4.Reader knows what they are.
//
// It compares no checksum of the frame, as Kafka's own client does not: the client has compared that of the batch, which covers the
// same bytes.
func unpackLz4(frame, room []byte) (n int, ok bool) {
	if len(frame) < lz4Header || binary.LittleEndian.Uint32(frame) != lz4Mark || frame[4]&^lz4Sum != lz4Usual {
		return 0, false
	}
	size := frame[5] >> 4 // 4: 64 KiB, 5: 256 KiB, 6: 1 MiB, 7: 4 MiB
	if size < 4 || frame[5]&^0x70 != 0 {
		return 0, false
	}
	most, end := 1<<(8+2*size), 4
	if frame[4]&lz4Sum != 0 {
		end += 4
	}
	for rest := frame[lz4Header:]; len(rest) >= 4; {
		length := binary.LittleEndian.Uint32(rest)
		if length == 0 {
			return n, len(rest) == end
		}
		rest = rest[4:]
		bytes := length &^ lz4Plain
		if uint64(bytes) > uint64(len(rest)) {
			return 0, false
		}
		var made int
		if block := rest[:bytes]; length&lz4Plain == 0 {
			var err error
			if made, err = lz4.UncompressBlock(block, room[n:min(n+most, len(room))]); err != nil {
				return 0, false
			}
		} else if made = copy(room[n:], block); made < len(block) || made > most {
			return 0, false
		}
		n, rest = n+made, rest[bytes:]
	}
	return 0, false
}
