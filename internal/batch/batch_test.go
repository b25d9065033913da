package batch

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/pipeline/event"
)

// record is a record as it is in a batch.
func record(delta int, key, value []byte, headers ...kgo.RecordHeader) []byte {
	b := []byte{0}
	b = binary.AppendVarint(b, int64(delta))
	b = binary.AppendVarint(b, int64(delta))
	field := func(bytes []byte) {
		if bytes == nil {
			b = binary.AppendVarint(b, -1)
		} else {
			b = append(binary.AppendVarint(b, int64(len(bytes))), bytes...)
		}
	}
	field(key)
	field(value)
	b = binary.AppendVarint(b, int64(len(headers)))
	for _, h := range headers {
		field([]byte(h.Key))
		field(h.Value)
	}
	return append(binary.AppendVarint(nil, int64(len(b))), b...)
}

// pack makes a batch of records at an offset.
func pack(first int64, codec kgo.CompressionCodecType, n int, records []byte) []byte {
	b := make([]byte, headerBytes)
	binary.BigEndian.PutUint64(b, uint64(first))
	b[16] = 2
	binary.BigEndian.PutUint16(b[21:], uint16(codec))
	binary.BigEndian.PutUint32(b[23:], uint32(n-1))
	binary.BigEndian.PutUint32(b[57:], uint32(n))
	b = append(b, records...)
	binary.BigEndian.PutUint32(b[8:], uint32(len(b)-12))
	binary.BigEndian.PutUint32(b[17:], crc32.Checksum(b[21:], castagnoli))
	return b
}

func compress(t testing.TB, codec kgo.CompressionCodecType, data []byte, window int) []byte {
	t.Helper()
	var out bytes.Buffer
	var w io.WriteCloser
	var err error
	switch codec {
	case kgo.CodecNone:
		return data
	case kgo.CodecGzip:
		w = gzip.NewWriter(&out)
	case kgo.CodecSnappy:
		return s2.EncodeSnappy(nil, data)
	case kgo.CodecLz4:
		w = lz4.NewWriter(&out)
	case kgo.CodecZstd:
		w, err = zstd.NewWriter(&out, zstd.WithWindowSize(window))
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

var codecs = []kgo.CompressionCodecType{kgo.CodecNone, kgo.CodecGzip, kgo.CodecSnappy, kgo.CodecLz4, kgo.CodecZstd}

// A batch is streamed in each compression with the records that it has: a value that is too long is cut and says how long it
// was, and key and headers are whole.
func TestBatchIsStreamed(t *testing.T) {
	var data []byte
	data = append(data, record(0, []byte("key"), []byte("a"))...)
	data = append(data, record(1, nil, bytes.Repeat([]byte(" "), 20<<20))...)
	data = append(data, record(2, []byte("longer"), []byte("b"), kgo.RecordHeader{Key: "who", Value: []byte("here")},
		kgo.RecordHeader{Key: "who", Value: []byte("there")})...)
	for _, codec := range codecs {
		t.Run(fmt.Sprint(codec), func(t *testing.T) {
			b, err := Parse(pack(40, codec, 3, compress(t, codec, data, 8<<20)))
			if err != nil || b.First != 40 || b.Next != 43 || b.Records != 3 {
				t.Fatalf("Parse = %+v, %v", b, err)
			}
			_, err = NewDecompressor(4<<20, MaxHeld).Decompress(b.Bytes[headerBytes:], codec)
			if codec != kgo.CodecNone && !errors.Is(err, ErrTooLarge) {
				t.Errorf("Decompress = %v, want %v", err, ErrTooLarge)
			}
			var got []*kgo.Record
			err = b.Read(Place{Topic: "t", Partition: 1}, func(r *kgo.Record) error { got = append(got, r); return nil })
			if err != nil {
				t.Fatal(err)
			}
			if len(got) != 3 || string(got[0].Value) != "a" || string(got[0].Key) != "key" || got[0].Offset != 40 ||
				len(got[1].Value) != event.MaxRecordBytes+1 || Length(got[1]) != 20<<20 || Length(got[0]) != 1 ||
				string(got[2].Key) != "longer" || len(got[2].Headers) != 2 || string(got[2].Headers[1].Value) != "there" {
				t.Errorf("records %+v", got)
			}
		})
	}
}

// What the client decompresses and what is streamed agree, in every compression, and with windows that Java's highest levels
// name and do not use.
func TestStreamingAgreesWithTheClient(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var data []byte
	for i := range 2000 {
		data = append(data, record(i, fmt.Appendf(nil, "%d", i), bytes.Repeat([]byte{byte(rng.Uint32())}, rng.IntN(900)))...)
	}
	for _, codec := range codecs[1:] {
		for _, window := range []int{1 << 20, 128 << 20} {
			packed := compress(t, codec, data, window)
			whole, err := NewDecompressor(4<<20, MaxHeld).Decompress(packed, codec)
			if err != nil || !bytes.Equal(whole, data) {
				t.Errorf("compression %d, window %d: Decompress = %d bytes, %v", codec, window, len(whole), err)
			}
			r, done, err := stream(codec, packed)
			if err != nil {
				t.Fatal(err)
			}
			if streamed, err := io.ReadAll(r); err != nil || !bytes.Equal(streamed, data) {
				t.Errorf("compression %d, window %d: streamed %d bytes, %v", codec, window, len(streamed), err)
			}
			done()
		}
	}
}

// What cannot be streamed becomes a range from the first record that was not read, with the count that the header names.
func TestRestOfABatchIsARange(t *testing.T) {
	good := append(record(0, nil, []byte("a")), record(1, nil, []byte("b"))...)
	for _, c := range []struct {
		name    string
		codec   kgo.CompressionCodecType
		data    []byte
		from    int64
		records int64
	}{
		{"no compressed data", kgo.CodecZstd, []byte("nonsense"), 10, 5},
		{"an unknown compression", 7, good, 10, 5},
		{"damaged after two records", kgo.CodecNone, append(bytes.Clone(good), 0x7f, 1, 2), 12, 3},
		{"fewer than the header says", kgo.CodecGzip, compress(t, kgo.CodecGzip, good, 0), 12, 3},
	} {
		b, err := Parse(pack(10, c.codec, 5, c.data))
		if err != nil {
			t.Fatal(err)
		}
		var last *Range
		var at int64
		err = b.Read(Place{Topic: "t"}, func(r *kgo.Record) error { last, at = RangeOf(r), r.Offset; return nil })
		if err != nil {
			t.Fatal(err)
		}
		if last == nil || at != c.from || last.Next != 15 || last.Records != c.records || len(last.Header) != headerBytes {
			t.Errorf("%s: range %+v at %d, want %d records from %d", c.name, last, at, c.records, c.from)
		}
	}
}

// Millions of empty records are few bytes, and much memory.
func TestManyTinyRecordsAreTooLarge(t *testing.T) {
	var data []byte
	for i := range 100_000 {
		data = append(data, record(i, nil, nil)...)
	}
	if _, err := NewDecompressor(4<<20, MaxHeld).Decompress(compress(t, kgo.CodecGzip, data, 0), kgo.CodecGzip); !errors.Is(err, ErrTooLarge) {
		t.Errorf("Decompress = %v, want %v", err, ErrTooLarge)
	}
}

// A client that is not drained gets no more than its ceiling and one batch; once it is drained it gets on.
func TestClientHoldsABoundedAmount(t *testing.T) {
	packed := compress(t, kgo.CodecGzip, record(0, nil, make([]byte, 3<<20)), 0)
	for may, want := range map[int64]int{1: 1, 8 << 20: 3, MaxHeld: 11, 100 << 20: 11} {
		d := NewDecompressor(4<<20, may)
		for round := range 2 {
			n := 0
			for ; n < 100; n++ {
				if _, err := d.Decompress(packed, kgo.CodecGzip); errors.Is(err, ErrBusy) {
					break
				} else if err != nil {
					t.Fatal(err)
				}
			}
			if n != want {
				t.Errorf("round %d: %d batches of 3 MiB were decompressed by a client that may hold %d bytes, want %d", round, n, may, want)
			}
			d.Drained()
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(uint8(1), []byte("x"))
	f.Add(uint8(2), s2.EncodeSnappy(nil, record(0, nil, []byte("a"))))
	f.Add(uint8(4), record(0, nil, []byte("a")))
	f.Fuzz(func(t *testing.T, codec uint8, data []byte) {
		b, err := Parse(pack(0, kgo.CompressionCodecType(codec&7), 3, data))
		if err != nil {
			t.Fatal(err)
		}
		next := int64(0)
		err = b.Read(Place{Topic: "t"}, func(r *kgo.Record) error {
			if r.Offset < next || len(r.Value) > event.MaxRecordBytes+1 || len(r.Key) > MaxKeyBytes+1 ||
				HeaderBytes(r.Headers) > 2*MaxHeaderBytes {
				t.Errorf("offset %d after %d, %d bytes", r.Offset, next, len(r.Value))
			}
			next = r.Offset + 1
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}
