package batch

import (
	"bytes"
	"encoding/binary"
	"io"
	"testing"

	"github.com/klauspost/compress/s2"
)

// Both ways to decompress snappy agree, for a plain block and for the blocks that Java frames.
func TestSnappyAtOnceAgreesWithTheStream(t *testing.T) {
	var want []byte
	framed := append(bytes.Clone(xerial), 0, 0, 0, 1, 0, 0, 0, 1)
	for i := range 5 {
		text := bytes.Repeat([]byte{byte('a' + i), 'x', 'y'}, 1000*i+1)
		want = append(want, text...)
		block := s2.EncodeSnappy(nil, text)
		framed = append(binary.BigEndian.AppendUint32(framed, uint32(len(block))), block...)
	}
	for name, data := range map[string][]byte{"plain": s2.EncodeSnappy(nil, want), "framed": framed} {
		total, err := snappyLength(data)
		if err != nil || total != int64(len(want)) {
			t.Errorf("%s: length %d, %v, want %d", name, total, err, len(want))
		}
		whole, err := snappyWhole(data, total)
		if err != nil || !bytes.Equal(whole, want) {
			t.Errorf("%s: %d bytes at once, %v, want %d", name, len(whole), err, len(want))
		}
		streamed, err := io.ReadAll(snappyReader(data))
		if err != nil || !bytes.Equal(streamed, want) {
			t.Errorf("%s: %d bytes streamed, %v, want %d", name, len(streamed), err, len(want))
		}
	}
	if _, err := snappyLength(framed[:len(framed)-1]); err == nil {
		t.Error("a truncated frame is accepted")
	}
}
