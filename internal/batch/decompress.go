package batch

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/twmb/franz-go/pkg/kgo"
)

// ErrBusy reports a batch that is not decompressed yet since the client holds enough: the next fetch brings it again.
var ErrBusy = errors.New("the client holds as much as it may: the batch is fetched again")

// recordCost is what the client needs for a record beside its bytes.
const recordCost = 320

// MaxHeld is the most that a client may hold, decompressed, before it is drained, in bytes.
const MaxHeld = 32 << 20

// Decompressor decompresses the batches of one consuming client as long as they are small, and as long as the client has
// little. It refuses a batch with an error that wraps ErrTooLarge, or ErrBusy. Safe for concurrent use.
type Decompressor struct {
	bound   int64 // bytes of a batch
	held    int64 // bytes
	used    atomic.Int64
	gzips   sync.Pool
	lz4s    sync.Pool
	zstds   sync.Pool
	buffers sync.Pool
	rooms   sync.Pool
}

// NewDecompressor makes a Decompressor for batches of at most bound bytes, which must be at most Window. It returns ErrBusy
// once the client holds held bytes, at most MaxHeld. One batch may go beyond that.
func NewDecompressor(bound, held int64) *Decompressor {
	bound = min(max(bound, 1), Window)
	return &Decompressor{bound: bound, held: min(max(held, 1), MaxHeld),
		gzips:   sync.Pool{New: func() any { return new(gzip.Reader) }},
		lz4s:    sync.Pool{New: func() any { return lz4.NewReader(nil) }},
		buffers: sync.Pool{New: func() any { return new(bytes.Buffer) }},
		rooms:   sync.Pool{New: func() any { return new([maxBuffer]byte) }},
		zstds: sync.Pool{New: func() any {
			z, err := zstd.NewReader(nil, zstd.WithDecoderLowmem(true), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(Window))
			if err != nil {
				panic(err) // The options are constants.
			}
			return z
		}}}
}

// Drained notes that everything that the client held was taken from it.
func (d *Decompressor) Drained() { d.used.Store(0) }

// Decompress implements [kgo.Decompressor].
func (d *Decompressor) Decompress(src []byte, codec kgo.CompressionCodecType) ([]byte, error) {
	if codec == kgo.CodecNone {
		return src, nil
	}
	if d.used.Load() >= d.held {
		return nil, ErrBusy
	}
	out, records, err := d.bounded(src, codec)
	if err == nil {
		d.used.Add(int64(len(out)) + records*recordCost)
	}
	return out, err
}

func (d *Decompressor) bounded(src []byte, codec kgo.CompressionCodecType) (out []byte, records int64, err error) {
	if out, err = d.decompress(src, codec); err != nil {
		return nil, 0, err
	}
	if int64(len(out)) > d.bound {
		return nil, 0, ErrTooLarge
	}
	records = countRecords(out)
	if records*64 > d.bound { // Few bytes, and a structure for each of them.
		return nil, 0, fmt.Errorf("%w: it has %d records", ErrTooLarge, records)
	}
	return out, records, nil
}

func (d *Decompressor) decompress(src []byte, codec kgo.CompressionCodecType) ([]byte, error) {
	switch codec {
	case kgo.CodecGzip:
		z := d.gzips.Get().(*gzip.Reader)
		defer d.gzips.Put(z)
		if err := z.Reset(bytes.NewReader(src)); err != nil {
			return nil, err
		}
		return d.readAll(z)
	case kgo.CodecLz4:
		return d.lz4(src)
	case kgo.CodecSnappy:
		n, err := snappyLength(src)
		if err != nil {
			return nil, err
		}
		if n > d.bound {
			return nil, ErrTooLarge
		}
		return snappyWhole(src, n)
	case kgo.CodecZstd:
		z := d.zstds.Get().(*zstd.Decoder)
		defer d.zstds.Put(z)
		out, err := z.DecodeAll(narrowed(src), nil)
		if errors.Is(err, zstd.ErrDecoderSizeExceeded) || errors.Is(err, zstd.ErrWindowSizeExceeded) {
			return nil, fmt.Errorf("%w: %w", ErrTooLarge, err)
		}
		return out, err
	}
	return nil, fmt.Errorf("compression %d is not known", codec)
}

// lz4 decompresses frames of LZ4.
func (d *Decompressor) lz4(src []byte) ([]byte, error) {
	room := d.rooms.Get().(*[maxBuffer]byte)
	n, ok := unpackLz4(src, room[:])
	if ok {
		defer d.rooms.Put(room)
		return bytes.Clone(room[:n]), nil
	}
	d.rooms.Put(room)
	z := d.lz4s.Get().(*lz4.Reader)
	defer d.lz4s.Put(z)
	z.Reset(bytes.NewReader(src))
	return d.readAll(z)
}

// maxBuffer is the largest buffer that is kept for the next batch.
const maxBuffer = 2 << 20

// readAll reads into a buffer that has grown with the batches before, and returns a copy: a new buffer for each batch grows many
// times, and took a seventh of the CPU of the whole pipeline.
func (d *Decompressor) readAll(r io.Reader) ([]byte, error) {
	b := d.buffers.Get().(*bytes.Buffer)
	b.Reset()
	_, err := b.ReadFrom(&io.LimitedReader{R: r, N: d.bound + 1})
	if err != nil {
		return nil, err
	}
	if b.Cap() > maxBuffer {
		return b.Bytes(), nil
	}
	defer d.buffers.Put(b)
	return bytes.Clone(b.Bytes()), nil
}

// countRecords counts the records of decompressed data, as far as they can be told apart.
func countRecords(b []byte) (n int64) {
	for len(b) > 0 {
		size, used := binary.Varint(b)
		if used <= 0 || size < 0 || size > int64(len(b)-used) {
			break
		}
		b = b[used+int(size):]
		n++
	}
	return n
}
