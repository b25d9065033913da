package pack

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/oklog/ulid/v2"

	"github.com/footfall/footfall/sinks"
)

// someEvent makes an event of an instant, and of a visitor.
func someEvent(at int64, n int, r *rand.Rand) *Event {
	e := &Event{RecordTime: at + 1500, Offset: int64(n), Foreign: n%7 == 0, Excluded: n%11 == 0}
	_ = e.ID.SetTime(uint64(at))
	binary.BigEndian.PutUint64(e.ID[6:], r.Uint64())
	for i, t := range []string{"page_view", fmt.Sprintf("%016x", r.Uint64()), fmt.Sprintf("v%d", n%40), fmt.Sprintf("s%d", n%60), "",
		fmt.Sprintf("https://shop.example/products/%d?utm_source=news", r.IntN(500))} {
		if t != "" {
			e.Texts[i] = []byte(t)
		}
	}
	e.Texts[8] = []byte("Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5")
	e.Texts[10], e.Texts[12] = []byte("DE"), []byte{}
	return e
}

const day = 1_778_544_000_000 // a midnight

func someBuilder(n int, span int64) *Builder {
	r, b := rand.New(rand.NewPCG(1, 2)), new(Builder)
	for i := range n {
		b.Add("shop.example", i%3, 30, someEvent(day+r.Int64N(span), i, r))
	}
	return b
}

var somePlace = Place{Topic: "events", TP: sinks.TP{Topic: 1, Partition: 3}, Step: 17}

func collect(b *Builder) (items []sinks.Item) {
	for it := range b.Items(somePlace) {
		items = append(items, it)
	}
	return items
}

// TestEventsComeBack: what went into packs comes out of them, once each, under keys that ascend, within Reach of the first.
func TestEventsComeBack(t *testing.T) {
	const events = 3000
	var d Decoder
	seen := make(map[int64]bool)
	size, plain := 0, 0
	for _, it := range collect(someBuilder(events, 2*dayMs)) {
		p, err := d.Read(it)
		if err != nil {
			t.Fatal(err)
		}
		id, tp, step, _, err := sinks.ParsePack(it.Key().SK)
		if err != nil || id != p.Events[0].ID.String() || tp != somePlace.TP || step != somePlace.Step || p.Site != "shop.example" {
			t.Fatalf("pack %s of %s: %v", it.Key().SK, p.Site, err)
		}
		first, last := p.Events[0].ID.Time(), p.Events[len(p.Events)-1].ID.Time()
		if last-first >= Reach || first/dayMs != last/dayMs || it[sinks.AttrEndedAt].Int() != int64(last) ||
			it[sinks.AttrTTL].Int() != int64(last)/1000+30*86_400 {
			t.Errorf("pack %s spans %d to %d, ends %v, expires %v", it.Key().SK, first, last, it[sinks.AttrEndedAt], it[sinks.AttrTTL])
		}
		for i, e := range p.Events {
			if i > 0 && bytes.Compare(p.Events[i-1].ID[:], e.ID[:]) > 0 {
				t.Errorf("pack %s is out of order", it.Key().SK)
			}
			if seen[e.Offset] || !MayHaveSession(it, string(e.Texts[sessionText])) {
				t.Errorf("event %d comes twice, or the index lacks it", e.Offset)
			}
			seen[e.Offset] = true
		}
		for _, item := range p.Items() {
			plain += item.Size()
		}
		size += it.Size()
	}
	if len(seen) != events {
		t.Errorf("%d events came back, want %d", len(seen), events)
	}
	t.Logf("%d bytes an event in packs, %d as items", size/events, plain/events)
}

// TestEventsAreAsAdded: every field of an event comes back.
func TestEventsAreAsAdded(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 50 {
		e := someEvent(day+int64(n), n, r)
		e.RecordTime = int64(r.Uint64())
		for i := range e.Texts {
			if r.IntN(3) == 0 {
				e.Texts[i] = []byte(fmt.Sprint(i))
			}
		}
		if got, want := len(e.Append(nil)), e.size(); got != want {
			t.Errorf("%+v has %d bytes, its size is %d", e, got, want)
		}
		got, rest, err := readEvent(e.Append(nil))
		if err != nil || len(rest) > 0 || !reflect.DeepEqual(got, *e) {
			t.Fatalf("event %d: %+v, %v, want %+v", n, got, err, *e)
		}
	}
}

// TestSplitDependsOnBytesBeforeCompression: which events a pack has does not depend on how well they compress.
func TestSplitDependsOnBytesBeforeCompression(t *testing.T) {
	keys := func(random bool) (sks []string) {
		b := new(Builder)
		for i := range 400 {
			var e Event
			_ = e.ID.SetTime(uint64(day + int64(i)))
			e.Offset = 1000 + int64(i)
			text := bytes.Repeat([]byte("a"), 900)
			if random {
				r := rand.NewChaCha8([32]byte{byte(i), 1})
				_, _ = r.Read(text)
			}
			e.Texts[0] = text
			b.Add("shop.example", 0, -1, &e)
		}
		for it := range b.Items(somePlace) {
			if it.Size() > sinks.MaxItemBytes {
				t.Errorf("an item has %d bytes", it.Size())
			}
			sks = append(sks, it.Key().SK)
		}
		return sks
	}
	even, random := keys(false), keys(true)
	if !slices.Equal(even, random) || len(even) < 5 {
		t.Errorf("packs of texts that compress: %v\npacks of others: %v", even, random)
	}
}

// TestKeysOfPacks: the keys of a flush are fixed. If this test fails, packs of a flush that another release has begun would stay beside
// those of its repetition: raise checkpoint.FoldVersion.
func TestKeysOfPacks(t *testing.T) {
	var got []string
	for _, it := range collect(someBuilder(700, 30*60*1000)) {
		got = append(got, fmt.Sprintf("%s %v", it.Key().SK, it[sinks.AttrEvents].Int()))
	}
	sum := fmt.Sprint(len(got), " ", got[0], ", ", got[len(got)-1])
	const want = "9 PACK#01KRCQQF4Z2VCPK2XREYXPM000#1_3#17#0 82, PACK#01KRCRXEDHX5MRZXW56G3AY000#1_3#17#2 71"
	if sum != want {
		t.Errorf("keys %s, want %s", sum, want)
	}
}

// TestWithout: a pack without some events keeps its key, and an empty one is no item.
func TestWithout(t *testing.T) {
	var d Decoder
	it := collect(someBuilder(60, 60_000))[0]
	p, err := d.Read(it)
	if err != nil {
		t.Fatal(err)
	}
	want := slices.Delete(p.Items(), 0, 2)
	left, err := d.Read(p.Without([]int{0, 1}))
	if err != nil || left.Key != p.Key || !slices.EqualFunc(left.Items(), want, sameItem) {
		t.Errorf("of %d events %d are left, or others: %v", len(want), len(left.Events), err)
	}
	all := make([]int, len(p.Events))
	for i := range all {
		all[i] = i
	}
	if left := p.Without(all); left != nil {
		t.Errorf("left %v, want none", left)
	}
}

func sameItem(a, b sinks.Item) bool { return maps.EqualFunc(a, b, sinks.Value.Equal) }

// TestDamagedPacks: a pack with a wrong byte, or too few, is refused.
func TestDamagedPacks(t *testing.T) {
	it := collect(someBuilder(30, 60_000))[0]
	data := it[sinks.AttrPart].Bytes()
	var d Decoder
	for i := range data {
		other := slices.Clone(data)
		other[i] ^= 1
		for _, b := range [][]byte{other, data[:i]} {
			it[sinks.AttrPart] = sinks.Bytes(b)
			if _, err := d.Read(it); err == nil {
				t.Fatalf("a pack with byte %d changed, or cut there, was read", i)
			}
		}
	}
}

// FuzzBody: no bytes of a body make a reader panic, and what is read has the same bytes.
func FuzzBody(f *testing.F) {
	p := Pack{Topic: "events", Days: 30}
	f.Add(p.body([][]byte{(&Event{ID: ulid.ULID{1}, Texts: [texts][]byte{[]byte("page_view")}}).Append(nil)}))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, body []byte) {
		var p Pack
		if p.read(body) != nil {
			return
		}
		events := make([][]byte, len(p.Events))
		for i := range events {
			events[i] = p.Events[i].Append(nil)
		}
		var again Pack
		if err := again.read(p.body(events)); err != nil || !reflect.DeepEqual(again, p) {
			t.Errorf("%v: %+v, want %+v", err, again, p)
		}
	})
}

// FuzzPart: no bytes of the attribute make a reader panic, or hold more than it may.
func FuzzPart(f *testing.F) {
	f.Add(collect(someBuilder(5, 60_000))[0][sinks.AttrPart].Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		var d Decoder
		if body, err := d.unpack(data); err == nil && len(body) > maxBody {
			t.Errorf("%d bytes were unpacked", len(body))
		}
	})
}

func BenchmarkItems(b *testing.B) {
	for _, n := range []int{3, 30, 300, 3000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			builder := someBuilder(n, 60_000)
			b.ReportAllocs()
			for b.Loop() {
				for range builder.Items(somePlace) {
				}
			}
		})
	}
}
