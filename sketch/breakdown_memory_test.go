package sketch

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
)

func TestEventOfAPresentValueDoesNotAllocate(t *testing.T) {
	b := NewBreakdown(DefaultRows)
	for i := range 700 {
		for v := range 1 + i%80 {
			b.Event(EventName, fmt.Sprintf("/page/%d", i), 1, Hit{Visitor: uint64(v + 1), HasValue: true, Value: 1})
		}
	}
	value := b.Rows(EventName)[100].Value
	h := Hit{Visitor: 1, PageView: true, HasValue: true, Value: 7}
	if n := testing.AllocsPerRun(100, func() { b.Event(EventName, value, 2, h); b.Trim(MaxBreakdownBytes) }); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}

// What the type's comment says of memory. Most hours of most sites have a record or two.
func TestMemoryOfOneRecord(t *testing.T) {
	held := make([]*Breakdown, 200)
	before := heap()
	for i := range held {
		held[i] = NewBreakdown(DefaultRows)
		for d := range Dimension(12) {
			held[i].Event(d, "a value", 1, Hit{Visitor: 1})
		}
	}
	each := int(heap()-before) / len(held)
	t.Logf("a record of 12 dimensions: %d bytes", each)
	if each > 8<<10 {
		t.Errorf("a record of 12 dimensions: %d bytes, want at most 8 KB", each)
	}
	runtime.KeepAlive(held)
}

// What the type's comment says of memory. Sixteen dimensions of 512 rows are as many as there can be.
func TestMemoryPerRow(t *testing.T) {
	for _, c := range []struct{ visitors, rows, most int }{
		{1, 512, 300}, {10, 150, 500}, {64, 40, 1500}, {65, 150, 600}, {860, 30, 4600}, {5000, 12, 4600},
	} {
		before := heap()
		b := NewBreakdown(DefaultRows)
		r := rand.New(rand.NewPCG(10, 10))
		for d := range dimensions {
			for i := range c.rows {
				value := fmt.Sprintf("/a-page-of-%s/%4d", d, i)
				for v := range c.visitors {
					b.Event(d, value, int64(v), Hit{Visitor: r.Uint64()})
				}
			}
		}
		each := int(heap()-before) / (c.rows * int(dimensions))
		t.Logf("%5d visitors, %d rows a dimension: %4d bytes of memory a row, %d in all, %d bytes", c.visitors, c.rows,
			each, each*c.rows*int(dimensions), b.Size())
		if each > c.most {
			t.Errorf("%d visitors: %d bytes a row, want at most %d", c.visitors, each, c.most)
		}
	}
}
