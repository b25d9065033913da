package sketch

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/slow"
)

func encodeBreakdown(t testing.TB, b *Breakdown) []byte {
	t.Helper()
	bytes, err := b.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	return bytes
}

func decodeBreakdownBytes(t testing.TB, bytes []byte) *Breakdown {
	t.Helper()
	b := NewBreakdown(0)
	if err := b.UnmarshalBinary(bytes); err != nil {
		t.Fatal(err)
	}
	return b
}

// After every record the state is that of the rules told step by step, also when it has just been through bytes, and
// what is taken back is always there.
func TestBreakdownFollowsTheRules(t *testing.T) {
	trimmed, evicted, refused, seeds := 0, 0, 0, slow.Of(t, 10, 30)
	for seed := range uint64(seeds) {
		r := rand.New(rand.NewPCG(seed, 6))
		capacity, limit := r.IntN(20), 500+r.IntN(2500)
		if seed%3 == 0 {
			limit = MaxBreakdownBytes
		}
		b, naive := NewBreakdown(capacity), &naiveBreakdown{capacity: capacity, limit: limit}
		records := newTraffic(seed, 8+r.IntN(40), 3+r.IntN(600))
		records.limit = limit
		for i := range 400 {
			for _, c := range records.record() {
				before := len(b.Rows(Page))
				if ok, want := c.to(b), c.toNaive(naive); !ok || !want {
					t.Fatalf("seed %d, record %d: %+v is refused: %v, by the rules %v", seed, i, c, !ok, !want)
				}
				if c.trim > 0 && len(b.Rows(Page)) < before {
					trimmed++
				}
			}
			if r.IntN(10) == 0 { // More than there is.
				c := call{booking: true, d: Page, value: records.value(), pos: records.pos, k: Booking{1, 0, 0, 0, -1 << 40}}
				if c.to(b) || c.toNaive(naive) {
					t.Fatalf("seed %d, record %d: a number fell below zero", seed, i)
				}
				refused++
			}
			if r.IntN(20) == 0 {
				b = decodeBreakdownBytes(t, encodeBreakdown(t, b))
			}
			if words := naive.differ(b); words != "" {
				t.Fatalf("seed %d, %d rows, limit %d, record %d: %s", seed, capacity, limit, i, words)
			}
			if n := len(encodeBreakdown(t, b)); n > b.Size() {
				t.Fatalf("seed %d, record %d: %d bytes, size %d", seed, i, n, b.Size())
			}
		}
		if b.Floor(Page) > 0 {
			evicted++
		}
	}
	if trimmed < 100 || evicted < seeds*5/6 || refused < 100 {
		t.Errorf("%d times trimmed, %d streams with evictions, %d refusals: too little was tried", trimmed, evicted, refused)
	}
}

// Wherever a stream is cut and the state goes through bytes, it ends equal, in equal bytes.
func TestBreakdownGoesThroughBytesAnywhere(t *testing.T) {
	for seed := range uint64(3) {
		records := newTraffic(seed, 40, 300)
		records.limit = 3000
		var calls []call
		for len(calls) < 900 {
			calls = append(calls, records.record()...)
		}
		whole := NewBreakdown(10)
		for _, c := range calls {
			c.to(whole)
		}
		for cut := range calls {
			b := NewBreakdown(10)
			for i, c := range calls {
				if i == cut {
					b = decodeBreakdownBytes(t, encodeBreakdown(t, b))
				}
				c.to(b)
			}
			if !b.Equal(whole) || b.Size() != whole.Size() {
				t.Fatalf("seed %d, through bytes before call %d: size %d, want %d; %q",
					seed, cut, b.Size(), whole.Size(), b.Differ(whole, 3))
			}
			if string(encodeBreakdown(t, b)) != string(encodeBreakdown(t, whole)) {
				t.Fatalf("seed %d, through bytes before call %d: equal, in other bytes", seed, cut)
			}
		}
	}
}

// Events counted at the spots of others leave the state that they would leave by their values, rows that have moved or gone
// and bytes in between or not.
func TestEventsCountAgainAtTheirSpots(t *testing.T) {
	all, again := 0, 0
	for seed := range uint64(30) {
		records := newTraffic(seed, 30, 5)
		records.limit = 1500
		plain, b, spots := NewBreakdown(9), NewBreakdown(9), map[spotKey]Spot{}
		for i := range 600 {
			for _, c := range records.record() {
				c.to(plain)
				again += c.toSpots(b, spots)
				all++
			}
			if i%100 == 99 {
				b = decodeBreakdownBytes(t, encodeBreakdown(t, b))
			}
			if !b.Equal(plain) || b.Size() != plain.Size() {
				t.Fatalf("seed %d, record %d: size %d, want %d; %q", seed, i, b.Size(), plain.Size(), b.Differ(plain, 3))
			}
		}
		if plain.Floor(Page) == 0 {
			t.Errorf("seed %d: nothing was evicted", seed)
		}
	}
	if again < all/10 {
		t.Errorf("%d of %d calls counted at a spot: too few were tried", again, all)
	}
	empty := NewBreakdown(1)
	for _, at := range []Spot{0, NewBreakdown(1).Event(Page, "/a", 0, Hit{})} {
		if empty.Again(Page, at, Hit{}) {
			t.Errorf("an event was counted at spot %d of a breakdown that is empty", at)
		}
	}
}

// Hits leave the state that their events would leave, one by one, also where others come between them.
func TestHitsCountAsTheirEvents(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	one, many := NewBreakdown(20), NewBreakdown(20)
	spots := map[string]Spot{}
	for position := range int64(3000) {
		value := fmt.Sprint("city-", rng.IntN(20))
		h := Hits{Visitor: rng.Uint64N(100) * 0x9e3779b97f4a7c15, Events: 1 + rng.Int64N(300)}
		h.PageViews = rng.Int64N(h.Events + 1)
		for i := range h.Events {
			one.Event(City, value, position, Hit{Visitor: h.Visitor, PageView: i < h.PageViews})
		}
		at := fmt.Sprint(value, h.Visitor)
		if !many.HitsAgain(City, spots[at], h) {
			spots[at] = many.Hits(City, value, position, h)
		}
		if !many.Equal(one) || many.Size() != one.Size() {
			t.Fatalf("hits %d: size %d, want %d; %q", position, many.Size(), one.Size(), many.Differ(one, 3))
		}
	}
	if len(spots) > 3000*2/3 {
		t.Errorf("%d spots of 3,000 hits: too few were counted at one", len(spots))
	}
}

// rowsOf shows each row as its value, events+error, @admitted and sessions, and then what is not in rows.
func rowsOf(b *Breakdown, d Dimension) string {
	var rows []string
	for _, r := range b.Rows(d) {
		rows = append(rows, fmt.Sprintf("%s %d+%d @%d %d", r.Value, r.Events, r.Error, r.Admitted, r.Sessions))
	}
	other := b.Other(d)
	return fmt.Sprintf("%s; other %d, %d sessions; floor %d",
		strings.Join(rows, ", "), other.Events, other.Sessions, b.Floor(d))
}

func book(t *testing.T, b *Breakdown, value string, at, sessions int64) {
	t.Helper()
	if !b.Book(Page, value, at, Booking{Sessions: sessions}) {
		t.Fatalf("%d sessions of %q at %d are refused", sessions, value, at)
	}
}

func TestBookingNeverAdmits(t *testing.T) {
	b := NewBreakdown(4)
	book(t, b, "/a", 10, 2)
	events(b, Page, 11, "/a")
	book(t, b, "/a", 10, -1)
	if got, want := rowsOf(b, Page), "/a 1+0 @11 0; other 0, 1 sessions; floor 0"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestBookRefusesWhatLeavesTheRange(t *testing.T) {
	b := NewBreakdown(1)
	events(b, Page, 10, "/a")
	b.Book(Page, "/a", 10, Booking{Sessions: 2, DurationMs: maxCount, Exits: 1})
	b.Book(Page, "", 10, Booking{Bounces: 1})
	before := b.Clone()
	for name, c := range map[string]struct {
		value string
		at    int64
		k     Booking
	}{
		"sessions of a row":            {"/a", 10, Booking{Sessions: -3}},
		"exits, the last of the five":  {"/a", 10, Booking{Sessions: 1, Exits: -2}},
		"a duration beyond the range":  {"/a", 10, Booking{DurationMs: 1}},
		"a duration that would wrap":   {"/a", 10, Booking{DurationMs: 1<<63 - 1}},
		"the least there is":           {"/a", 10, Booking{Entries: -1 << 63}},
		"other, before the admission":  {"/a", 9, Booking{Sessions: -1}},
		"other, of a value without":    {"/b", 10, Booking{Bounces: -2}},
		"a dimension that has nothing": {"/a", 10, Booking{Bounces: -1}},
	} {
		d := Page
		if name == "a dimension that has nothing" {
			d = City
		}
		if b.Book(d, c.value, c.at, c.k) {
			t.Errorf("%s: booked", name)
		}
		if !b.Equal(before) || b.Size() != before.Size() {
			t.Fatalf("%s: refused, but %q", name, b.Differ(before, 3))
		}
	}
}

func TestValueSpelledOtherIsAValue(t *testing.T) {
	b := NewBreakdown(2)
	events(b, Page, 10, "~other", "/a", "~other", "/b", "/c")
	if got, want := rowsOf(b, Page), "/c 1+2 @14 0, ~other 2+0 @10 0; other 2, 0 sessions; floor 2"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestVisitorsOfARowAreThoseOfItsEvents(t *testing.T) {
	b := NewBreakdown(4)
	r := rand.New(rand.NewPCG(9, 9))
	seen := map[string]map[uint64]bool{"/few": {}, "/64": {}, "/many": {}}
	all := hashes(9, 20_000)
	for i := range 60_000 {
		for value, visitors := range map[string]int{"/few": 3, "/64": 64, "/many": 20_000} {
			h := all[r.IntN(visitors)]
			seen[value][h] = true
			b.Event(Page, value, int64(i), Hit{Visitor: h})
		}
	}
	for _, row := range b.Rows(Page) {
		n := len(seen[row.Value])
		want := NewRow()
		for h := range seen[row.Value] {
			want.Add(h)
		}
		if !row.Visitors.Equal(want) {
			t.Errorf("%s: other visitors than the set's", row.Value)
		}
		if got := int(row.Visitors.Estimate()); n <= RowExact && got != n || got < n*9/10 || got > n*11/10 {
			t.Errorf("%s: %d visitors, want %d", row.Value, got, n)
		}
	}
}

func TestBreakdownWithoutRowsCountsOther(t *testing.T) {
	var b Breakdown
	events(&b, Page, 10, "x", "y", "x")
	book(t, &b, "x", 12, 2)
	if got, want := rowsOf(&b, Page), "; other 3, 2 sessions; floor 3"; got != want || b.Other(Page).Visitors.Estimate() != 3 {
		t.Errorf("%s and %d visitors, want %s and 3", got, b.Other(Page).Visitors.Estimate(), want)
	}
}

func TestBreakdownOfImpossibleSizePanics(t *testing.T) {
	for _, rows := range []int{-1, MaxRows + 1} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("a breakdown of %d rows was made", rows)
				}
			}()
			NewBreakdown(rows)
		}()
	}
}

func TestBreakdownCloneSharesNothing(t *testing.T) {
	fill := func(b *Breakdown, seed uint64, records int) *Breakdown {
		source := newTraffic(seed, 100, 300)
		for range records {
			for _, c := range source.record() {
				c.to(b)
			}
		}
		return b
	}
	for _, n := range []int{0, 5, 1000} {
		b := fill(NewBreakdown(20), 1, n)
		c := b.Clone()
		if !c.Equal(b) || c.Size() != b.Size() {
			t.Fatalf("the clone after %d records is not equal", n)
		}
		fill(c, 2, 500)
		if !b.Equal(fill(NewBreakdown(20), 1, n)) {
			t.Errorf("feeding the clone changed the breakdown of %d records", n)
		}
	}
}
