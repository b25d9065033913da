package sketch

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/footfall/footfall/internal/slow"
)

// TestRowsOfDimensions compares a breakdown whose pages have rows of their own number with breakdowns of that number, also after their
// number has changed, their bytes were read again, and a log was replayed.
func TestRowsOfDimensions(t *testing.T) {
	own := []DimensionRows{{Page, 40}}
	b, few, many := NewBreakdown(10), NewBreakdown(10), NewBreakdown(40)
	replayed := NewBreakdown(10)
	b.SetRows(own)
	var log BreakdownLog
	log.SetRows(own)
	r := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(r, 1.2, 3, 200)
	for pos := range int64(5000) {
		if pos == 2500 {
			bytes, _ := b.AppendBinary(nil)
			b = new(Breakdown)
			if err := b.UnmarshalBinary(bytes); err != nil {
				t.Fatal(err)
			}
			b.SetRows(own)
		}
		values := [dimensions]string{Page: fmt.Sprint("/", zipf.Uint64()), City: fmt.Sprint(zipf.Uint64())}
		hit := Hit{Visitor: r.Uint64N(100)}
		b.Event(Page, values[Page], pos, hit)
		b.Event(City, values[City], pos, hit)
		many.Event(Page, values[Page], pos, hit)
		few.Event(City, values[City], pos, hit)
		log.Event(&values, pos, hit)
	}
	merged := NewBreakdownMerge(Page)
	if merged.Add(b); len(merged.Rows()) != 40 {
		t.Errorf("%d rows of pages, want 40", len(merged.Rows()))
	}
	b.parts[Page].top.capacity, b.parts[City].top.capacity = 40, 10
	if !b.parts[Page].top.Equal(&many.parts[Page].top) || !b.parts[City].top.Equal(&few.parts[City].top) {
		t.Error("rows of their own number are not those of a breakdown of that number")
	}
	if err := replayed.Replay(log.Bytes(), nil); err != nil || !replayed.Equal(b) {
		t.Errorf("replayed: %v, %v", err, replayed.Differ(b, 3))
	}
	b.SetRows(nil)
	b.Event(Page, "/new", 5000, Hit{})
	if rows := b.Rows(Page); len(rows) != 40 {
		t.Errorf("%d rows after their number was reset, want the 40 that were there", len(rows))
	}
	b.SetRows([]DimensionRows{{Page, 41}})
	b.Event(Page, "/newer", 5001, Hit{})
	if rows := b.Rows(Page); len(rows) != 41 {
		t.Errorf("%d rows after their number grew by one, want 41", len(rows))
	}
}

// TestPropertiesAreDimensions compares a breakdown of properties with what its log, its bytes, its clone and a merge make of it.
func TestPropertiesAreDimensions(t *testing.T) {
	b, replayed := NewBreakdown(4), NewBreakdown(4)
	var log BreakdownLog
	last := PropertyDimension(MaxProperty)
	for i := range int64(100) {
		hit := Hit{Visitor: uint64(i % 7), PageView: i%2 == 0}
		log.Event(&[dimensions]string{Page: "/p"}, i, hit)
		b.Event(Page, "/p", i, hit)
		for _, d := range []Dimension{last, PropertyDimension(2), PropertyDimension(1)}[i%3:] {
			value := fmt.Sprint("value ", i%9)
			if i%10 == 9 && !b.EventOfGone(d, value, hit) {
				value = ""
			} else if i%10 != 9 {
				b.Event(d, value, i, hit)
			}
			log.Property(d, value, i, hit)
		}
		if data, _ := b.AppendBinary(nil); len(data) > b.Size() {
			t.Fatalf("%d bytes, more than the size %d", len(data), b.Size())
		}
	}
	if err := replayed.Replay(log.Bytes(), nil); err != nil || !replayed.Equal(b) {
		t.Errorf("replayed: %v, %v", err, replayed.Differ(b, 3))
	}
	data, _ := b.AppendBinary(nil)
	read := new(Breakdown)
	if err := read.UnmarshalBinary(data); err != nil || !read.Equal(b) || read.Size() != b.Size() || !b.Clone().Equal(b) {
		t.Errorf("read: %v, %v", err, read.Differ(b, 3))
	}
	var sum BreakdownSum
	sum.Add(b)
	sum.Add(read)
	for _, d := range []Dimension{Page, PropertyDimension(1), PropertyDimension(2), last} {
		twice, whole := NewBreakdownMerge(d), NewBreakdownMerge(d)
		twice.Add(b)
		twice.Add(b)
		whole.Add(sum.Breakdown(MaxBreakdownBytes))
		same := func(x, y BreakdownRow) bool {
			return x.Value == y.Value && x.Error == y.Error && x.Events == y.Events && x.PageViews == y.PageViews && x.Visitors.Equal(y.Visitors)
		}
		if !slices.EqualFunc(twice.Rows(), whole.Rows(), same) || len(whole.Rows()) == 0 {
			t.Errorf("%s: rows of a sum %v, want %v", d, whole.Rows(), twice.Rows())
		}
	}
	if n, ok := last.Property(); n != MaxProperty || !ok || last.String() != "property 100" {
		t.Errorf("the last property is %d, %t, %s", n, ok, last)
	}
}

// TestWideDimensionsAreTrimmedFirst fills a breakdown with rows of pages and of cities.
func TestWideDimensionsAreTrimmedFirst(t *testing.T) {
	b := NewBreakdown(10)
	b.SetRows([]DimensionRows{{Page, 100}})
	for i := range int64(100) {
		for range 3 {
			b.Event(Page, fmt.Sprintf("/pages/%02d", i), i, Hit{Visitor: uint64(i)})
		}
		if i < 10 {
			b.Event(City, fmt.Sprintf("city %d", i), i, Hit{Visitor: uint64(i)})
		}
	}
	for _, c := range []struct{ most, pages, cities int }{{b.Size() - 1, 99, 10}, {b.Size() - 60*24, 40, 10}} {
		b.Trim(c.most)
		if p, n := len(b.Rows(Page)), len(b.Rows(City)); p > c.pages || n != c.cities {
			t.Errorf("%d rows of pages and %d of cities in %d bytes, want at most %d and %d", p, n, c.most, c.pages, c.cities)
		}
	}
	for b.Size() > fixedBytes && len(b.Rows(Page)) > 10 {
		b.Trim(b.Size() - 1)
	}
	if b.Trim(b.Size() - 1); len(b.Rows(City)) != 9 {
		t.Errorf("%d cities left, want 9: once pages have no more rows than others, the least row is a city's", len(b.Rows(City)))
	}
}

// TestRowsCoverTheLongTail draws views of 50,000 pages by Zipf's law (exponent 1) and compares the share of the views that rows count with
// 512 rows, and with as many as a site can have, in the bytes of an item. What pages count while they have no row is in no row.
func TestRowsCoverTheLongTail(t *testing.T) {
	const pages, most = 50_000, 5000
	sums := make([]float64, pages+1)
	for i := range pages {
		sums[i+1] = sums[i] + 1/float64(i+1)
	}
	cases := []struct {
		views, rows int
		least       float64
	}{{20_000, DefaultRows, 0.40}, {20_000, most, 0.75}, {200_000, DefaultRows, 0.40}, {200_000, most, 0.58}}
	for _, c := range cases[:slow.Of(t, 2, len(cases))] {
		b, r := NewBreakdown(DefaultRows), rand.New(rand.NewPCG(3, 4))
		b.SetRows([]DimensionRows{{Page, c.rows}})
		for pos := range int64(c.views) {
			hit := Hit{Visitor: r.Uint64N(uint64(c.views)/3) * 0x9e3779b97f4a7c15, PageView: true}
			b.Event(Page, fmt.Sprintf("/articles/2026/%05d/title-of-a-page", drawn(r, sums)), pos+1e9, hit)
			b.Event(Country, fmt.Sprint("country ", r.IntN(50)), pos+1e9, hit)
			b.Trim(MaxBreakdownBytes)
		}
		counted, kept := int64(0), b.Rows(Page)
		for _, row := range kept {
			counted += row.Events
		}
		packed, err := PackBreakdown(b)
		share := float64(counted) / float64(c.views)
		t.Logf("%d views, %d rows: %.1f %% of the views in %d rows, %d bytes, %d in the item", c.views, c.rows, 100*share, len(kept), b.Size(),
			len(packed))
		if err != nil || share < c.least || len(packed) > MaxBreakdownBytes {
			t.Errorf("%d rows count %.1f %% of the views in %d bytes (%v), want %.0f %% at least", c.rows, 100*share, len(packed), err, 100*c.least)
		}
	}
}

// drawn draws a number by the sums of the weights of those before it.
func drawn(r *rand.Rand, sums []float64) int {
	at := r.Float64() * sums[len(sums)-1]
	low, high := 0, len(sums)-1
	for low+1 < high {
		if mid := (low + high) / 2; sums[mid] <= at {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}
