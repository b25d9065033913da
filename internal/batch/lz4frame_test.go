package batch

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/pierrec/lz4/v4"

	"github.com/footfall/footfall/internal/slow"
)

// lz4Frames are frames of the same data, by options of the library's writer.
func lz4Frames(t testing.TB, data []byte) map[string][]byte {
	frames := make(map[string][]byte)
	for _, size := range []lz4.BlockSize{lz4.Block64Kb, lz4.Block256Kb, lz4.Block1Mb, lz4.Block4Mb} {
		for _, sum := range []bool{false, true} {
			for name, more := range map[string]lz4.Option{"usual": lz4.ChecksumOption(sum), "block checksums": lz4.BlockChecksumOption(true),
				"length": lz4.SizeOption(uint64(len(data))), "legacy": lz4.LegacyOption(true)} {
				var out bytes.Buffer
				w := lz4.NewWriter(&out)
				if err := w.Apply(lz4.BlockSizeOption(size), lz4.ChecksumOption(sum), more); err != nil {
					t.Fatal(err)
				}
				if _, err := w.Write(data); err != nil {
					t.Fatal(err)
				}
				if err := w.Close(); err != nil {
					t.Fatal(err)
				}
				frames[fmt.Sprintf("%v, blocks of %v, checksum %v", name, size, sum)] = out.Bytes()
			}
		}
	}
	return frames
}

// lz4Data are texts that compress, and bytes that do not.
func lz4Data() []byte {
	rng := rand.New(rand.NewPCG(3, 4))
	var data []byte
	for len(data) < 400_000 {
		data = fmt.Appendf(data, `{"page":"/%d","visitor":"%x"}`, rng.IntN(100), rng.Uint64())
	}
	for range 200_000 {
		data = append(data, byte(rng.Uint32()))
	}
	return data
}

// Frames of every kind decompress to what was written. Those that producers write do so without the library's reader.
func TestFramesOfLz4(t *testing.T) {
	slow.Unraced(t)
	data := lz4Data()
	for name, frame := range lz4Frames(t, data) {
		got, err := NewDecompressor(4<<20, MaxHeld).lz4(frame)
		if err != nil || !bytes.Equal(got, data) {
			t.Errorf("%s: %d bytes, %v; want %d", name, len(got), err, len(data))
		}
		room := make([]byte, maxBuffer)
		n, ok := unpackLz4(frame, room)
		if usual := name[:5] == "usual"; ok != usual || ok && !bytes.Equal(room[:n], data) {
			t.Errorf("%s: unpackLz4 = %d bytes, %v", name, n, ok)
		}
		if n, ok := unpackLz4(frame, room[:len(data)-1]); ok {
			t.Errorf("%s: unpackLz4 puts %d bytes into %d", name, n, len(data)-1)
		}
		if got, err := NewDecompressor(int64(len(data))-1, MaxHeld).Decompress(frame, 3); !errors.Is(err, ErrTooLarge) {
			t.Errorf("%s: Decompress = %d bytes, %v; want %v", name, len(got), err, ErrTooLarge)
		}
	}
}

// longBlock is a frame with a compressed block that is longer than blocks may be, and decompresses to as much as they may.
func longBlock() []byte {
	const most = 64 << 10
	block := append([]byte{0xF0}, bytes.Repeat([]byte{0xFF}, (most-15)/255)...)
	block = append(append(block, (most-15)%255), bytes.Repeat([]byte("x"), most)...)
	frame := binary.LittleEndian.AppendUint32([]byte{0x04, 0x22, 0x4D, 0x18, 0x60, 0x40, 0x82}, uint32(len(block)))
	return append(append(frame, block...), 0, 0, 0, 0)
}

// verify streams what the client decompresses, by lz4.Reader. So damage that only one of them notices would be a difference.
func TestDamagedFramesOfLz4(t *testing.T) {
	for name, frame := range lz4Frames(t, lz4Data()[:1000]) {
		wrong := bytes.Clone(frame)
		wrong[6] ^= 1 // The header's checksum, or, of a legacy frame, the first block's length.
		if n, ok := unpackLz4(wrong, make([]byte, maxBuffer)); ok {
			t.Errorf("%s: unpackLz4 makes %d bytes of a damaged header", name, n)
		}
	}
	if n, ok := unpackLz4(longBlock(), make([]byte, maxBuffer)); ok {
		t.Errorf("unpackLz4 makes %d bytes of a block that is too long", n)
	}
}

// What unpackLz4 makes of any bytes, lz4.Reader makes of them, too. Only the latter finds a wrong checksum of the content, and after
// all of it.
func FuzzFrameOfLz4(f *testing.F) {
	for _, frame := range lz4Frames(f, lz4Data()[399_000:401_000]) {
		f.Add(frame)
		f.Add(frame[:len(frame)-1])
		f.Add(append(bytes.Clone(frame), 0, 0, 0, 0))
		f.Add(append(bytes.Clone(frame), frame...))
		for i := range 12 { // Flags, size, the first block's length and the first bytes of it.
			wrong := bytes.Clone(frame)
			wrong[4+i] ^= 0x81
			f.Add(wrong)
		}
	}
	f.Add(longBlock())
	f.Fuzz(func(t *testing.T, frame []byte) {
		room := make([]byte, 1<<20)
		n, ok := unpackLz4(frame, room)
		if !ok {
			return
		}
		want, err := io.ReadAll(io.LimitReader(lz4.NewReader(bytes.NewReader(frame)), 2<<20))
		switch {
		case err != nil && !errors.Is(err, lz4.ErrInvalidFrameChecksum):
			t.Fatalf("unpackLz4 makes %d bytes of what the reader refuses: %v", n, err)
		case !bytes.Equal(room[:n], want):
			t.Fatalf("unpackLz4 makes %d bytes, the reader %d others", n, len(want))
		}
	})
}
