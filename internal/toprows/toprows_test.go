package toprows_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/toprows"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// TestRowsAreInTheirOrder: pages are in the order of views, all else in that of visitors, and of equals more events come first, then
// the lesser value. Ten are repeated.
func TestRowsAreInTheirOrder(t *testing.T) {
	b := sketch.NewBreakdown(100)
	at := int64(0)
	event := func(d sketch.Dimension, value string, visitors, each int, view bool) {
		for i := range visitors * each {
			at++
			b.Event(d, value, at, sketch.Hit{Visitor: uint64(i % visitors), PageView: view})
		}
	}
	event(sketch.Page, "/many visitors", 5, 1, true)
	event(sketch.Page, "/many views", 2, 4, true)
	event(sketch.Page, "/clicks", 9, 9, false)
	event(sketch.Country, "B", 3, 1, true)
	event(sketch.Country, "A", 3, 1, true)
	event(sketch.Country, "C", 3, 2, true)
	for i := range 12 {
		event(sketch.City, fmt.Sprintf("%02d", i), 1+i, 1, true)
	}
	it := make(sinks.Item)
	toprows.Set(it, b)
	for name, want := range map[string][]string{
		"topPages":     {"8 /many views", "5 /many visitors", "0 /clicks"},
		"topCountries": {"3 C", "3 A", "3 B"},
		"topCities":    {"12 11", "11 10", "10 09", "9 08", "8 07", "7 06", "6 05", "5 04", "4 03", "3 02"},
	} {
		if have := it[name].Strings(); !slices.Equal(have, want) {
			t.Errorf("%s: %q, want %q", name, have, want)
		}
	}
	if len(it) != 3 {
		t.Errorf("%d attributes, want those of the three dimensions with rows", len(it))
	}
}

// TestRowsFitBesideTheLargestBreakdown: an item holds both, also if nothing in the breakdown can be compressed.
func TestRowsFitBesideTheLargestBreakdown(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	b := sketch.NewBreakdown(sketch.MaxRows)
	for at := int64(0); b.Size() < sketch.MaxBreakdownBytes-300*16; at++ {
		for _, d := range sketch.Dimensions() {
			var value strings.Builder
			for value.Len() < 252 {
				value.WriteRune(rune(0x80 + r.IntN(0x700)))
			}
			b.Event(d, value.String(), at, sketch.Hit{Visitor: r.Uint64(), PageView: true})
		}
	}
	packed, err := sketch.PackBreakdown(b)
	if err != nil {
		t.Fatal(err)
	}
	it := sinks.Item{sinks.AttrPart: sinks.Bytes(packed)}
	toprows.Set(it, b)
	const others = 1000 // keys, marks and counters
	if size := it.Size() + others; size > sinks.MaxItemBytes || size < sketch.MaxBreakdownBytes/2 {
		t.Errorf("the item takes %d bytes, of at most %d", size, sinks.MaxItemBytes)
	}
}
