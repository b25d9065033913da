package sketch

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/slow"
)

// TestWeightIsWhatAHeapTakes holds the weights of sketches against the heap: they bound what a process keeps.
func TestWeightIsWhatAHeapTakes(t *testing.T) {
	dice := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		name   string
		weight func() (int, any)
	}{
		{"one record", func() (int, any) {
			b := NewBreakdown(DefaultRows)
			for d := range dimensions {
				b.Event(d, fmt.Sprint("value ", dice.Uint64()), 1, Hit{Visitor: dice.Uint64()})
			}
			return b.Weight(), b
		}},
		{"rows of one visitor", func() (int, any) {
			b := NewBreakdown(DefaultRows)
			for i := range 600 {
				for d := range dimensions {
					b.Event(d, fmt.Sprintf("/a/value/of/some/length/%d/%d", i, dice.Uint64()), int64(i), Hit{Visitor: dice.Uint64()})
				}
				b.Trim(MaxBreakdownBytes)
			}
			return b.Weight(), b
		}},
		{"rows of 65 visitors", func() (int, any) {
			b := NewBreakdown(DefaultRows)
			for i := range 65 * 100 {
				for d := range dimensions {
					b.Event(d, fmt.Sprint("value ", i%100), int64(i), Hit{Visitor: dice.Uint64()})
				}
				b.Trim(MaxBreakdownBytes)
			}
			return b.Weight(), b
		}},
		{"an hour of 100 visitors", func() (int, any) { return uniques(NewHour(), dice, 100) }},
		{"an hour of 1,024 visitors", func() (int, any) { return uniques(NewHour(), dice, 1024) }},
		{"an hour of 2,000 visitors", func() (int, any) { return uniques(NewHour(), dice, 2000) }},
		{"a minute of 300 visitors", func() (int, any) { return uniques(NewMinute(), dice, 300) }},
		{"a minute's pages", func() (int, any) {
			top := NewTop(50)
			for range 200 {
				top.AddString(fmt.Sprint("/page/", dice.Uint64()))
			}
			return top.Weight(), top
		}},
	} {
		copies := 20
		if strings.HasPrefix(c.name, "rows") {
			copies = slow.Of(t, 5, 20)
		}
		before := int(heap())
		var kept []any
		sum := 0
		for len(kept) < copies || sum < 1<<20 { // The heap has other things too, which take kilobytes.
			n, one := c.weight()
			kept, sum = append(kept, one), sum+n
		}
		took := int(heap()) - before
		runtime.KeepAlive(kept)
		if ratio := float64(sum) / float64(took); ratio < 0.8 || ratio > 1.3 {
			t.Errorf("%s: the weight is %d bytes, and the heap has grown by %d: %.2f times", c.name, sum/len(kept), took/len(kept), ratio)
		} else {
			t.Logf("%s: %d bytes, %.2f of the heap", c.name, sum/len(kept), ratio)
		}
	}
}

func uniques(u *Uniques, dice *rand.Rand, n int) (int, any) {
	for range n {
		u.Add(dice.Uint64())
	}
	return u.Weight(), u
}
