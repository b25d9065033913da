package sketch

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
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
	trimmed, evicted, refused := 0, 0, 0
	for seed := range uint64(30) {
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
	if trimmed < 100 || evicted < 25 || refused < 100 {
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

func TestRowAdmittedAgainDoesNotGetAnOldCorrection(t *testing.T) {
	b := NewBreakdown(1)
	events(b, Page, 10, "/a")
	book(t, b, "/a", 10, 1) // a record books after its own event: the row
	events(b, Page, 11, "/b", "/a")
	book(t, b, "/a", 12, 1) // the second row
	if got, want := rowsOf(b, Page), "/a 1+2 @12 1; other 2, 1 sessions; floor 2"; got != want {
		t.Fatalf("before: %s, want %s", got, want)
	}
	book(t, b, "/a", 10, -1)
	if got, want := rowsOf(b, Page), "/a 1+2 @12 1; other 2, 0 sessions; floor 2"; got != want {
		t.Errorf("the first taken back: %s, want %s", got, want)
	}
	book(t, b, "/a", 12, -1)
	if got, want := rowsOf(b, Page), "/a 1+2 @12 0; other 2, 0 sessions; floor 2"; got != want {
		t.Errorf("the second taken back: %s, want %s", got, want)
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

func TestBreakdownEvictsTheLeastByBytesOfEquals(t *testing.T) {
	b := NewBreakdown(3)
	events(b, Page, 10, "c", "a", "b", "d")
	if got, want := rowsOf(b, Page), "d 1+1 @13 0, b 1+0 @12 0, c 1+0 @10 0; other 1, 0 sessions; floor 1"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Trim looks at all dimensions: the least rank goes first, of equals the first dimension's, then the least value.
func TestTrimEvictsOverAllDimensions(t *testing.T) {
	b := NewBreakdown(10)
	events(b, EventName, 10, "x", "x", "y")
	events(b, City, 20, "b", "a", "c", "c", "c")
	events(b, Page, 30, "/", "/", "/q")
	for _, want := range []string{"page /q", "city a", "city b", "event y", "page /", "event x", "city c"} {
		before := b.Clone()
		b.Trim(b.Size() - 1)
		var gone []string
		for _, d := range Dimensions() {
			for _, r := range before.Rows(d) {
				if !slices.ContainsFunc(b.Rows(d), func(o BreakdownRow) bool { return o.Value == r.Value }) {
					gone = append(gone, d.String()+" "+r.Value)
				}
			}
		}
		if len(gone) != 1 || gone[0] != want {
			t.Fatalf("%q went, want %q alone", gone, want)
		}
	}
	b.Trim(1) // There is nothing that could still go.
	if b.Floor(City) != 3 || b.Other(City).Events != 5 || b.Floor(Hostname) != 0 {
		t.Errorf("floor %d and %d events in other of city, floor %d of hostname, want 3, 5 and 0",
			b.Floor(City), b.Other(City).Events, b.Floor(Hostname))
	}
}

// A row is admitted where Trim made room: its error is the floor all the same.
func TestRowAdmittedAfterTrimHasTheFloorAsError(t *testing.T) {
	b := NewBreakdown(10)
	events(b, Page, 10, "a", "a", "b", "b", "b")
	b.Trim(b.Size() - 1)
	events(b, Page, 20, "c")
	if got, want := rowsOf(b, Page), "b 3+0 @12 0, c 1+2 @20 0; other 2, 0 sessions; floor 2"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// However many values there are in all dimensions, the bytes stay under the limit, and what is frequent keeps its row.
func TestBreakdownStaysUnderItsLimit(t *testing.T) {
	b := NewBreakdown(DefaultRows)
	r := rand.New(rand.NewPCG(8, 8))
	most := 0
	for i := range 15_000 {
		h := Hit{Visitor: r.Uint64(), PageView: true}
		for _, d := range Dimensions() {
			value := fmt.Sprintf("/%s/%08x/%08x", d, r.Uint32(), r.Uint32())
			if r.IntN(2) == 0 {
				value = fmt.Sprintf("/%s/popular/%d", d, r.IntN(10))
			}
			b.Event(d, value, int64(1e9+i), h)
		}
		b.Trim(MaxBreakdownBytes)
		if b.Size() > MaxBreakdownBytes {
			t.Fatalf("record %d: size %d", i, b.Size())
		}
		most = max(most, b.Size())
	}
	bytes := encodeBreakdown(t, b)
	t.Logf("size at most %d, in the end %d, %d bytes; floor of pages %d", most, b.Size(), len(bytes), b.Floor(Page))
	if len(bytes) > b.Size() || most < MaxBreakdownBytes*99/100 {
		t.Errorf("%d bytes of size %d, at most %d: the limit was not reached, or passed", len(bytes), b.Size(), most)
	}
	for _, d := range Dimensions() {
		for i, row := range b.Rows(d)[:10] {
			if !strings.Contains(row.Value, "popular") {
				t.Errorf("row %d of %s is %q", i, d, row.Value)
			}
		}
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
