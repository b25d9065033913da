package examples

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/int128"
	"github.com/footfall/footfall/sketch"
)

// encoded is an encoded attribute, and what the decoders are to print of it.
type encoded struct {
	name, entity, attr string
	data               []byte
	want               any
}

// uniquesOf are visitors as an item holds them.
func uniquesOf(t *testing.T, name, entity, attr string, u *sketch.Uniques) encoded {
	t.Helper()
	data, err := u.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	return encoded{name, entity, attr, data, visitorsOf(u)}
}

// filled adds n hashes to a sketch.
func filled(u *sketch.Uniques, rng *rand.Rand, n int) *sketch.Uniques {
	for range n {
		u.Add(rng.Uint64())
	}
	return u
}

// drawnBreakdown counts events of a few or of many values.
func drawnBreakdown(rng *rand.Rand, rows, events, values int) *sketch.Breakdown {
	b := sketch.NewBreakdown(rows)
	for i := range events {
		n := int(float64(values) * rng.Float64() * rng.Float64())
		hit := sketch.Hit{Visitor: rng.Uint64N(uint64(1+events/2)) * 0x9E3779B97F4A7C15, PageView: rng.IntN(3) > 0}
		page := fmt.Sprintf("/künste/%04d/%s", n, strings.Repeat("x", n%40))
		b.Event(sketch.Page, page, int64(i), hit)
		if i%3 == 0 {
			b.Book(sketch.Page, page, int64(i), sketch.Booking{Sessions: 1, Bounces: int64(i & 1), DurationMs: int64(i) * 100_000,
				Entries: 1, Exits: 1})
			b.Convert(sketch.Page, page, int64(i), sketch.Conversions{Sessions: 1, Further: int64(i & 1), Worth: int128.From(int64(i) - 500)})
			b.Attend(page, int64(i), sketch.Attention{Timed: 1, TimeMs: int64(i) * 70, Scrolled: int64(i & 2), Depth: int64(i&2) * 40})
		}
		b.Event(sketch.Country, []string{"DE", "FR", "IN"}[n%3], int64(i), hit)
		if i%4 == 0 {
			b.Event(sketch.PropertyDimension(1), []string{"true", "12.50", "größer"}[n%3], int64(i), hit)
			b.Event(sketch.PropertyDimension(uint64(sketch.MaxProperty)), page, int64(i), hit)
		}
		if hit.HasValue = i%2 == 0; hit.HasValue {
			hit.Value = rng.Int64() - 1<<62
		}
		b.Event(sketch.EventName, []string{"buy", "search"}[n%2], int64(i), hit)
	}
	return b
}

// drawn are attributes in every form that the formats have: each form of visitors, rows that were evicted, values of either sign.
// Breakdowns have at most rows rows a dimension.
func drawn(t *testing.T, seed uint64, rows int) (all []encoded) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 14))
	for _, n := range []int{0, 1, 64, 1024, 1025, 2000, 20_000, 300_000} {
		all = append(all, uniquesOf(t, fmt.Sprint(n, " visitors of an hour"), sinks.EntityUniques, sinks.AttrPart,
			filled(sketch.NewHour(), rng, n)))
	}
	all = append(all, uniquesOf(t, "some visitors within an hour's stats", sinks.EntityStats,
		sinks.AttrUniques(sinks.TP{Topic: 3, Partition: 12}), filled(sketch.NewHour(), rng, 5)))
	all = append(all, drawnSessions()...)
	even := sketch.NewHour()
	for i := range uint64(1 << sketch.HourPrecision) {
		even.Add(i<<(64-sketch.HourPrecision) | 1<<(63-sketch.HourPrecision))
	}
	all = append(all, uniquesOf(t, "equal registers, which do not compress", sinks.EntitySealedUniques, sinks.AttrPart, even))
	for _, n := range []int{0, 128, 129, 5000} {
		all = append(all, uniquesOf(t, fmt.Sprint(n, " visitors of a minute"), sinks.EntityRealtime, sinks.AttrVisitors,
			filled(sketch.NewMinute(), rng, n)))
	}
	for _, n := range []int{0, 3, 4000} {
		top := sketch.NewTop(50)
		for range n {
			top.AddString(fmt.Sprintf("/%d", int(200*rng.Float64()*rng.Float64())))
		}
		data, err := top.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, encoded{fmt.Sprint("pages of ", n, " views"), sinks.EntityRealtime, sinks.AttrPages, data, topOf(top)})
	}
	for _, c := range []struct{ rows, events, values int }{{16, 0, 1}, {16, 40, 5}, {rows, 8 * rows, rows}, {rows, 40 * rows, 8 * rows}} {
		all = append(all, packed(t, fmt.Sprintf("breakdown of %d events", c.events), drawnBreakdown(rng, c.rows, c.events, c.values)))
	}
	all = append(all, packed(t, "rows of many visitors", crowded(rng)))
	return append(all, drawnPacks(t, rng)[:3]...)
}

// packed is a breakdown as an item holds it.
func packed(t *testing.T, name string, b *sketch.Breakdown) encoded {
	t.Helper()
	data, err := sketch.PackBreakdown(b)
	if err != nil {
		t.Fatal(err)
	}
	return encoded{name, sinks.EntityBreakdown, sinks.AttrPart, data, breakdownOf(t, b)}
}

// crowded has rows whose visitors are written in each form: hashes, registers in groups of two sizes, in unary, and as half bytes.
func crowded(rng *rand.Rand) *sketch.Breakdown {
	b := sketch.NewBreakdown(8)
	for i, visitors := range []int{64, 65, 900, 3000, 30_000} {
		for range visitors {
			b.Event(sketch.Page, fmt.Sprint("/", i), 0, sketch.Hit{Visitor: rng.Uint64(), PageView: true})
		}
	}
	return b
}
