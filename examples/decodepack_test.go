package examples

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/footfall/footfall/internal/pack"
	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/sinks"
)

// packOf is what the decoders print of a pack.
func packOf(t *testing.T, it sinks.Item) map[string]any {
	t.Helper()
	p, err := new(pack.Decoder).Read(it)
	if err != nil {
		t.Fatal(err)
	}
	events := make([]map[string]any, len(p.Events))
	for i, e := range p.Events {
		x := map[string]any{"ulid": e.ID.String(), "timestamp": e.ID.Time(), "recordTime": e.RecordTime, "offset": e.Offset}
		for n, text := range e.Texts {
			if text != nil {
				x[pack.Names[n]] = string(text)
			}
		}
		if e.Foreign {
			x["foreign"] = true
		}
		if e.Excluded {
			x["excluded"] = true
		}
		events[i] = x
	}
	return map[string]any{"topic": p.Topic, "days": p.Days, "events": events}
}

// drawnPacks are packs whose frames have blocks of every kind: of one event, of as many as fit, of texts that do not compress, and of
// texts that do so very well.
func drawnPacks(t *testing.T, rng *rand.Rand) (all []encoded) {
	t.Helper()
	for _, c := range []struct {
		name     string
		events   int
		property func(i int) string
	}{
		{"one", 1, nil},
		{"few", 3, nil},
		{"some", 40, func(i int) string { return fmt.Sprintf(`{"größe":%d,"plan":"free"}`, rng.IntN(90)) }},
		{"many", 260, func(i int) string { return strings.Repeat("ab", i%7) + fmt.Sprint(rng.Uint64()) }},
		{"random", 6, func(int) string { return noise(rng, 9000) }},
		{"random short", 1, func(int) string { return noise(rng, 300) }},
		{"even", 2, func(i int) string { return strings.Repeat("x", 30_000) }},
		{"several blocks", 1, func(int) string { return noise(rng, 40_000) + strings.Repeat("checkout ", 9000) + noise(rng, 40_000) }},
		{"skewed", 60, func(i int) string { return strings.Repeat("a", rng.IntN(900)) + noise(rng, 3) }},
	} {
		b := new(pack.Builder)
		for i := range c.events {
			b.Add("shop", 3, 30-31*int64(len(c.name)&1), drawnEvent(rng, i, c.property))
		}
		for it := range b.Items(pack.Place{Topic: "künste", TP: sinks.TP{Topic: 1, Partition: 3}, Step: 17}) {
			name := fmt.Sprintf("pack of %s, %s", c.name, it.Key().SK)
			all = append(all, encoded{name, sinks.EntityPack, sinks.AttrPart, it[sinks.AttrPart].Bytes(), packOf(t, it)})
		}
	}
	return all
}

func drawnEvent(rng *rand.Rand, i int, property func(int) string) *pack.Event {
	const at = 1_778_544_000_000
	e := &pack.Event{RecordTime: at + int64(i)*900 - 7, Offset: 1<<33 + int64(i), Foreign: i%5 == 0, Excluded: i%7 == 3}
	if e.ID.SetTime(uint64(at+rng.Int64N(500_000))) != nil {
		panic("a time that fits")
	}
	binary.BigEndian.PutUint64(e.ID[6:], rng.Uint64())
	for n := range e.Texts {
		if rng.IntN(4) > 0 {
			e.Texts[n] = fmt.Appendf(nil, "%s %d", pack.Names[n], rng.IntN(30))
		}
	}
	e.Texts[5] = fmt.Appendf(nil, "https://www.shop.example/products/%d?utm_source=google", rng.IntN(50))
	e.Texts[8] = []byte("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0")
	if property != nil {
		e.Texts[16] = []byte(property(i))
	}
	return e
}

// noise is a text that does not compress well.
func noise(rng *rand.Rand, n int) string {
	var b strings.Builder
	for range n {
		b.WriteRune(rune(0x20 + rng.IntN(0x5f) + rng.IntN(2)*0x400))
	}
	return b.String()
}

// TestDecodersHaveTheDictionary: the decoders are one file each, so they repeat the dictionary of packs.
func TestDecodersHaveTheDictionary(t *testing.T) {
	dictionary, err := os.ReadFile("../internal/pack/dictionary.txt")
	if err != nil {
		t.Fatal(err)
	}
	for file, quoted := range map[string]string{"decode/decode.py": `"""`, "decode/decode.js": "`"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(text, []byte(quoted+string(dictionary)+quoted)) {
			t.Errorf("%s does not have the dictionary of internal/pack", file)
		}
	}
}

// TestDecodersReadPacks: of many packs, each decoder reads the events that went into them, also if another compressor has packed them.
func TestDecodersReadPacks(t *testing.T) {
	dictionary, err := os.ReadFile("../internal/pack/dictionary.txt")
	if err != nil {
		t.Fatal(err)
	}
	var vectors []vector
	for seed := range uint64(slow.Of(t, 2, 6)) {
		for _, e := range drawnPacks(t, rand.New(rand.NewPCG(seed, 15))) {
			vectors = append(vectors, vectorOf(t, e))
			e.data = repacked(t, e.data, dictionary, zstd.EncoderLevelFromZstd(1+3*(len(vectors)/2%4)))
			vectors = append(vectors, vectorOf(t, e))
		}
	}
	decodeWithEach(t, vectors)
}

// repacked compresses a pack at another level, without what makes a frame small.
func repacked(t *testing.T, data, dictionary []byte, level zstd.EncoderLevel) []byte {
	t.Helper()
	_, n := binary.Uvarint(data[3:])
	r, err := zstd.NewReader(nil, zstd.WithDecoderDictRaw(1, dictionary))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	body, err := r.DecodeAll(data[3+n:len(data)-4], nil)
	if err != nil {
		t.Fatal(err)
	}
	w, err := zstd.NewWriter(nil, zstd.WithEncoderDictRaw(1, dictionary), zstd.WithEncoderLevel(level), zstd.WithEncoderCRC(true),
		zstd.WithWindowSize(1<<17), zstd.WithSingleSegment(false))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	again := w.EncodeAll(body, bytes.Clone(data[:3+n]))
	return binary.BigEndian.AppendUint32(again, crc32.Checksum(again, crc32.MakeTable(crc32.Castagnoli)))
}
