package sketch

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/axiomhq/hyperloglog"
)

// BenchmarkAdd adds visitors that return, as most events' do, to one sketch that stays in the cache.
func BenchmarkAdd(b *testing.B) {
	for _, n := range []int{10, 1000, 4000, 100_000} {
		all := hashes(1, n)
		b.Run(fmt.Sprintf("visitors=%d", n), func(b *testing.B) {
			u := sketchOf(NewHour(), all)
			i := 0
			b.ReportAllocs()
			for b.Loop() {
				u.Add(all[i])
				if i++; i == n {
					i = 0
				}
			}
		})
		b.Run(fmt.Sprintf("visitors=%d/axiomhq", n), func(b *testing.B) {
			u := hyperloglog.New()
			for _, h := range all {
				u.InsertHash(h)
			}
			i := 0
			b.ReportAllocs()
			for b.Loop() {
				u.InsertHash(all[i])
				if i++; i == n {
					i = 0
				}
			}
		})
	}
}

// BenchmarkAddOfManySites adds random visitors to random ones of 100 sites.
func BenchmarkAddOfManySites(b *testing.B) {
	for _, n := range []int{200, 2000, 20_000} {
		b.Run(fmt.Sprintf("visitors=%d", n), func(b *testing.B) {
			sites := make([]*Uniques, 100)
			for i := range sites {
				sites[i] = sketchOf(NewHour(), hashes(uint64(i), n))
			}
			all := hashes(1, 1<<16)
			i := 0
			b.ReportAllocs()
			for b.Loop() {
				h := all[i&(1<<16-1)]
				sites[h%100].Add(h * uint64(n))
				i++
			}
		})
	}
}

func BenchmarkFillFromEmpty(b *testing.B) {
	for _, n := range []int{10, 1000, 100_000} {
		all := hashes(1, n)
		b.Run(fmt.Sprintf("visitors=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sketchOf(NewHour(), all)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/hash")
		})
	}
}

func BenchmarkEstimate(b *testing.B) {
	u := sketchOf(NewHour(), hashes(1, 100_000))
	b.Run("ours", func(b *testing.B) {
		for b.Loop() {
			u.Estimate()
		}
	})
	sk := u.HyperLogLog()
	b.Run("axiomhq", func(b *testing.B) {
		for b.Loop() {
			sk.Estimate()
		}
	})
}

func BenchmarkMerge(b *testing.B) {
	for _, n := range []int{100, 1000, 100_000} {
		o := sketchOf(NewHour(), hashes(2, n))
		u := sketchOf(NewHour(), hashes(1, n))
		b.Run(fmt.Sprintf("visitors=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := u.Merge(o); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	u := sketchOf(NewHour(), hashes(1, 100_000)).HyperLogLog()
	o := sketchOf(NewHour(), hashes(2, 100_000)).HyperLogLog()
	b.Run("visitors=100000/axiomhq", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := u.Merge(o); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkUniquesBytes(b *testing.B) {
	for _, n := range []int{10, 1000, 5000, 100_000} {
		u := sketchOf(NewHour(), hashes(1, n))
		data := encode(b, u)
		b.Run(fmt.Sprintf("append/visitors=%d", n), func(b *testing.B) {
			var buf []byte
			b.ReportAllocs()
			for b.Loop() {
				buf, _ = u.AppendBinary(buf[:0])
			}
			b.ReportMetric(float64(len(data)), "B")
		})
		b.Run(fmt.Sprintf("unmarshal/visitors=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				decode(b, data)
			}
		})
	}
}

func BenchmarkVisitor(b *testing.B) {
	h := newHasher(b, referenceKey)
	id := []byte("0b0f0d2c-3f5e-4f0a-9a3c-1a2b3c4d5e")
	b.ReportAllocs()
	for b.Loop() {
		h.Visitor('v', id)
	}
}

func BenchmarkTopAdd(b *testing.B) {
	for _, c := range []struct {
		name             string
		rows, vocabulary int
	}{{"all have rows", 50, 50}, {"few are evicted", 50, 300}, {"most are evicted", 50, 100_000}, {"most are evicted of 512", 512, 100_000}} {
		all := words(1, 1<<16, c.vocabulary)
		values := make([][]byte, len(all))
		for i, w := range all {
			values[i] = []byte(w)
		}
		b.Run(c.name, func(b *testing.B) {
			t := topOf(c.rows, all)
			i := 0
			b.ReportAllocs()
			for b.Loop() {
				t.Add(values[i&(1<<16-1)])
				i++
			}
		})
	}
}

func BenchmarkTopBytes(b *testing.B) {
	t := topOf(50, words(1, 10_000, 1000))
	data := encodeTop(b, t)
	b.Run("append", func(b *testing.B) {
		var buf []byte
		b.ReportAllocs()
		for b.Loop() {
			buf, _ = t.AppendBinary(buf[:0])
		}
	})
	b.Run("unmarshal", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			decodeTopBytes(b, data)
		}
	})
}

// BenchmarkEvent counts events of values that have rows, or that admit and evict, of visitors that return.
func BenchmarkEvent(b *testing.B) {
	for _, c := range []struct {
		name       string
		vocabulary int
		visitors   uint64
	}{
		{"8 values", 8, 1000},
		{"all have rows", 500, 1000},
		{"all have rows, one visitor", 500, 1},
		{"most are evicted", 100_000, 1000},
	} {
		all := words(1, 1<<16, c.vocabulary)
		b.Run(c.name, func(b *testing.B) {
			state := NewBreakdown(DefaultRows)
			i := 0
			next := func() {
				h := uint64(i) % c.visitors * 0x9e3779b97f4a7c15
				state.Event(Page, all[i&(1<<16-1)], int64(i), Hit{Visitor: h, PageView: true})
				state.Trim(MaxBreakdownBytes)
				i++
			}
			for range 1 << 17 {
				next()
			}
			b.ReportAllocs()
			for b.Loop() {
				next()
			}
		})
	}
}

// BenchmarkRecordAtTheLimit feeds records of 12 dimensions, half of whose values have no row, to a breakdown whose bytes
// are as many as may be, so that each record evicts over all dimensions.
func BenchmarkRecordAtTheLimit(b *testing.B) {
	state := NewBreakdown(4096)
	names := make([]string, 1<<16)
	for i := range names {
		names[i] = fmt.Sprintf("/an-article-with-a-name/%08d", i)
	}
	r := rand.New(rand.NewPCG(1, 2))
	i := int64(0)
	record := func() {
		h := Hit{Visitor: r.Uint64(), PageView: true}
		for d := range Dimension(12) {
			name := names[r.IntN(len(names))]
			if r.IntN(2) == 0 {
				name = names[r.IntN(16)]
			}
			state.Event(d, name, i, h)
		}
		state.Trim(MaxBreakdownBytes)
		i++
	}
	for range 20_000 {
		record()
	}
	b.ReportAllocs()
	for b.Loop() {
		record()
	}
	b.ReportMetric(float64(state.Size()), "B")
}

func BenchmarkBreakdownBytes(b *testing.B) {
	for _, records := range []int{10, 1000, 100_000} {
		state := NewBreakdown(DefaultRows)
		pages := words(1, records, 5000)
		for i, page := range pages {
			h := Hit{Visitor: uint64(i/3) * 0x9e3779b97f4a7c15, PageView: true}
			state.Event(Page, page, int64(i), h)
			state.Event(City, page[6:], int64(i), h)
			for d := range Dimension(10) {
				state.Event(d+2, page[5:7], int64(i), h)
			}
			state.Trim(MaxBreakdownBytes)
		}
		data := encodeBreakdown(b, state)
		b.Run(fmt.Sprintf("append/records=%d", records), func(b *testing.B) {
			var buf []byte
			b.ReportAllocs()
			for b.Loop() {
				buf, _ = state.AppendBinary(buf[:0])
			}
			b.ReportMetric(float64(len(data)), "B")
		})
		b.Run(fmt.Sprintf("unmarshal/records=%d", records), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				decodeBreakdownBytes(b, data)
			}
		})
	}
}
