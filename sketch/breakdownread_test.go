package sketch

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/footfall/footfall/sinks/int128"
)

// feed replays records into a breakdown and counts the truth beside it, by dimension and value.
type truth map[Dimension]map[string]*naiveCounts

func (t truth) of(d Dimension, value string) *naiveCounts {
	if t[d] == nil {
		t[d] = map[string]*naiveCounts{}
	}
	if t[d][value] == nil {
		t[d][value] = &naiveCounts{}
	}
	return t[d][value]
}

func (t truth) take(c call) {
	switch {
	case c.trim > 0:
	case c.booking:
		t.of(c.d, c.value).add(naiveCounts{Booking: c.k, attention: c.a, conversions: c.c})
	default:
		n := naiveCounts{events: 1, visitors: map[uint64]bool{c.hit.Visitor: true}}
		if c.hit.PageView {
			n.pageViews = 1
		}
		if c.hit.HasValue && c.d == EventName {
			n.values = []int64{c.hit.Value}
		}
		t.of(c.d, c.value).add(n)
	}
}

// total returns all that was fed to a dimension.
func (t truth) total(d Dimension) naiveCounts {
	var all naiveCounts
	for _, c := range t[d] {
		all.add(*c)
	}
	return all
}

// totalOf adds up rows and other.
func totalOf(rows []BreakdownRow, other Counts) Counts {
	sum := func(a, b Counts) Counts {
		v := a.Visitors.Clone()
		if err := v.Merge(b.Visitors); err != nil {
			panic(err)
		}
		c := Counts{a.Events + b.Events, a.PageViews + b.PageViews, sum(a.Booking, b.Booking), together(a.Attention, b.Attention),
			a.Conversions.Plus(b.Conversions),
			a.Values + b.Values, a.Sum.Plus(b.Sum), a.Min, a.Max, v}
		switch {
		case a.Values == 0:
			c.Min, c.Max = b.Min, b.Max
		case b.Values > 0:
			c.Min, c.Max = min(a.Min, b.Min), max(a.Max, b.Max)
		}
		return c
	}
	for _, r := range rows {
		other = sum(other, r.Counts)
	}
	return other
}

// Whatever was evicted and wherever bookings went, rows and other hold all that was fed: events, sessions, values with
// their sum, least and greatest, and every visitor.
func TestBreakdownTotalsAreExact(t *testing.T) {
	for _, c := range []struct{ rows, limit int }{{0, MaxBreakdownBytes}, {1, MaxBreakdownBytes}, {30, MaxBreakdownBytes}, {300, 6000},
		{300, 1}} {
		b, fed := NewBreakdown(c.rows), truth{}
		records := newTraffic(uint64(c.rows), 400, 1000)
		records.limit = c.limit
		for range 8000 {
			for _, c := range records.record() {
				if !c.to(b) {
					t.Fatalf("%+v is refused", c)
				}
				fed.take(c)
			}
		}
		for _, d := range records.few {
			want := fed.total(d).counts()
			if got := totalOf(b.Rows(d), b.Other(d)); !equalCounts(got, want) {
				t.Errorf("%d rows, limit %d, %s: rows and other are %+v, want %+v", c.rows, c.limit, d, got, want)
			}
		}
		if c.limit >= 6000 && b.Size() > c.limit {
			t.Errorf("%d rows: size %d, limit %d", c.rows, b.Size(), c.limit)
		}
		if anew := decodeBreakdownBytes(t, encodeBreakdown(t, b)).Size(); b.Size() != anew {
			t.Errorf("%d rows: size %d, summed up anew %d", c.rows, b.Size(), anew)
		}
	}
}

// A value has had as many events as its row says, a value without a row no more than the floor.
func TestBreakdownBoundsHold(t *testing.T) {
	b, fed := NewBreakdown(40), truth{}
	records := newTraffic(3, 300, 500)
	records.limit = 5000
	for range 6000 {
		for _, c := range records.record() {
			c.to(b)
			fed.take(c)
		}
	}
	for _, d := range records.few {
		for value, n := range fed[d] {
			i := slices.IndexFunc(b.Rows(d), func(r BreakdownRow) bool { return r.Value == value })
			if i < 0 {
				if uint64(n.events) > b.Floor(d) {
					t.Errorf("%s %q has no row, but %d events, more than the floor %d", d, value, n.events, b.Floor(d))
				}
			} else if r := b.Rows(d)[i]; n.events < r.Events || uint64(n.events) > r.Rank() {
				t.Errorf("%s %q has %d events, its row says %d to %d", d, value, n.events, r.Events, r.Rank())
			}
		}
	}
}

// Readers see the parts of several partitions: what they merge bounds each value as the rows of one part do, adds up to
// all that was fed whatever the limit, and does not depend on the order of the parts.
func TestMergedBreakdownsBoundEveryValue(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for round := range 30 {
		parts := make([]*Breakdown, 1+r.IntN(5))
		sources := make([]*traffic, len(parts))
		for i := range parts {
			parts[i] = NewBreakdown(5 + r.IntN(40))
			sources[i] = newTraffic(uint64(round), 150, 200)
			sources[i].limit = 2000 + r.IntN(10_000)
			sources[i].r = rand.New(rand.NewPCG(uint64(round), uint64(i)))
		}
		fed := truth{}
		for range 1500 {
			i := r.IntN(len(parts))
			for _, c := range sources[i].record() {
				c.to(parts[i])
				fed.take(c)
			}
		}
		for _, d := range sources[0].few {
			want := fed.total(d).counts()
			rows, other := merged(d, 0, parts...)
			for _, m := range rows {
				if n := fed.of(d, m.Value).events; n < m.Events || uint64(n) > m.Rank() {
					t.Fatalf("round %d: %s %q has %d events, the merged row says %d to %d",
						round, d, m.Value, n, m.Events, m.Rank())
				}
			}
			if got := totalOf(rows, other); !equalCounts(got, want) {
				t.Fatalf("round %d: rows and other of %s are %+v, want %+v", round, d, got, want)
			}
			r.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
			few, rest := merged(d, 3, parts...)
			if got := totalOf(few, rest); len(few) != 3 || !equalCounts(got, want) {
				t.Fatalf("round %d: %d rows and other of %s are %+v, want 3 and %+v", round, len(few), d, got, want)
			}
			for i := range few {
				same := few[i].Value == rows[i].Value && few[i].Error == rows[i].Error
				if !same || !equalCounts(few[i].Counts, rows[i].Counts) {
					t.Fatalf("round %d: row %d of %s is %+v in another order of parts, want %+v", round, i, d, few[i], rows[i])
				}
			}
		}
	}
}

// merged returns the first limit rows, all for 0, of what the parts know together, and all else.
func merged(d Dimension, limit int, parts ...*Breakdown) (rows []BreakdownRow, other Counts) {
	m := NewBreakdownMerge(d)
	for _, p := range parts {
		m.Add(p)
	}
	rows = m.Rows()
	var hidden []string
	if limit > 0 {
		for _, r := range rows[limit:] {
			hidden = append(hidden, r.Value)
		}
		rows = rows[:limit]
	}
	return rows, m.Other(hidden...)
}

// events feeds one event after the other, each of a visitor of its own.
func events(b *Breakdown, d Dimension, position int64, values ...string) {
	for i, v := range values {
		b.Event(d, v, position+int64(i), Hit{Visitor: uint64(position) + uint64(i), PageView: true})
	}
}

func TestMergeAddsTheFloorsOfThoseThatLackAValue(t *testing.T) {
	a, b, c := NewBreakdown(2), NewBreakdown(2), NewBreakdown(1)
	events(a, Page, 10, "x", "x", "x", "p", "q", "q") // q replaced p: floor 1
	events(b, Page, 20, "x", "y", "y", "y")           // floor 0
	events(c, Page, 30, "z", "z", "y")                // y replaced z: floor 2
	a.Event(Browser, "another dimension", 40, Hit{})
	rows, other := merged(Page, 0, a, b, c, NewBreakdown(1))
	got := fmt.Sprintf("other %d", other.Events)
	for _, r := range rows {
		got += fmt.Sprintf(", %s %d to %d of %d visitors at %d", r.Value, r.Events, r.Rank(), r.Visitors.Estimate(), r.Admitted)
	}
	want := "other 3, y 4 to 7 of 4 visitors at 0, x 4 to 6 of 4 visitors at 0, q 2 to 5 of 2 visitors at 0"
	if got != want {
		t.Errorf("merged %s, want %s", got, want)
	}
	if rows, other := merged(Page, 0); len(rows) != 0 || !equalCounts(other, Counts{Visitors: NewRow()}) {
		t.Errorf("no parts merge to %v and %+v", rows, other)
	}
}

func TestMergeLeavesTheParts(t *testing.T) {
	a, b := NewBreakdown(3), NewBreakdown(3)
	events(a, Page, 10, "x", "y", "z", "p")
	events(b, Page, 20, "x", "x", "q")
	wasA, wasB := a.Clone(), b.Clone()
	rows, other := merged(Page, 2, a, b)
	for i := range rows {
		rows[i].Visitors.Add(99)
	}
	other.Visitors.Add(99)
	if !a.Equal(wasA) || !b.Equal(wasB) {
		t.Error("merging, or adding to what came of it, changed a part")
	}
}

func TestRowsAndOtherAreCopies(t *testing.T) {
	b := NewBreakdown(1)
	events(b, Page, 10, "x", "y")
	before := b.Clone()
	b.Rows(Page)[0].Visitors.Add(99)
	b.Other(Page).Visitors.Add(99)
	if !b.Equal(before) {
		t.Error("adding to the visitors of a copy changed the breakdown")
	}
}

func TestBreakdownDiffersInWords(t *testing.T) {
	base := func() *Breakdown {
		b := NewBreakdown(2)
		events(b, Page, 10, "/a", "/a", "/b", "/c")
		b.Event(EventName, "buy", 20, Hit{Visitor: 1, HasValue: true, Value: 5})
		return b
	}
	for name, c := range map[string]struct {
		change func(b *Breakdown)
		want   []string
	}{
		"nothing": {func(b *Breakdown) {}, nil},
		"booked and taken back": {func(b *Breakdown) {
			b.Book(City, "", 1, Booking{Exits: 1})
			b.Book(City, "", 1, Booking{Exits: -1})
		}, nil},
		"another event": {func(b *Breakdown) { events(b, Page, 10, "/a") },
			[]string{`page "/a": events 3 instead of 2, page views 3 instead of 2`}},
		"another visitor": {func(b *Breakdown) { b.parts[Page].more[0].visitors.add(7, nil) },
			[]string{`page "/a": visitors by 1 hashes and 0 registers`}},
		"another booking": {func(b *Breakdown) { b.Book(Page, "/c", 13, Booking{Sessions: 1}) },
			[]string{`page "/c": sessions 1 instead of 0`}},
		"another time on page": {func(b *Breakdown) { b.Attend("/c", 13, Attention{Timed: 1, TimeMs: 5, Scrolled: 2, Depth: 70}) },
			[]string{`page "/c": timed page views 1 instead of 0, time on page in ms 5 instead of 0, scrolled page views 2 instead of 0, ` +
				`scroll depth in percent 70 instead of 0`}},
		"another conversion": {func(b *Breakdown) { b.Convert(Page, "/c", 13, Conversions{1, 2, int128.From(-7)}) },
			[]string{`page "/c": converted sessions 1 instead of 0, further conversions 2 instead of 0, worth of conversions -7 instead of 0`}},
		"another booking of other": {func(b *Breakdown) { b.Book(Page, "/c", 12, Booking{Sessions: 1}) },
			[]string{`page other: sessions 1 instead of 0`}},
		"another value": {func(b *Breakdown) { b.parts[EventName].more[0].addValues(values{1, int128.From(-2), -2, -2}) },
			[]string{`event "buy": values 2 instead of 1, least value -2 instead of 5, sum of values 3 instead of 5`}},
		"admitted later": {func(b *Breakdown) { b.parts[Page].more[1].admitted++ },
			[]string{`page "/c": admitted at 14 instead of 13`}},
		"a row more": {func(b *Breakdown) { b.Event(OS, "BeOS", 1, Hit{}) },
			[]string{`os "BeOS": a row of 1 events instead of none`}},
		"a row evicted": {func(b *Breakdown) { b.drop(b.parts[EventName]) }, []string{
			`event: floor 1 instead of 0`,
			`event other: events 1 instead of 0, values 1 instead of 0, least value 5 instead of 0, ` +
				`greatest value 5 instead of 0, sum of values 5 instead of 0, visitors by 1 hashes and 0 registers`,
			`event "buy": no row instead of one of 1 events`}},
		"nothing there": {func(b *Breakdown) { *b = *NewBreakdown(3) }, []string{
			`rows a dimension 3 instead of 2`,
			`page: floor 0 instead of 1`,
			`page other: events 0 instead of 1, page views 0 instead of 1, visitors by 1 hashes and 0 registers`}},
	} {
		t.Run(name, func(t *testing.T) {
			b := base()
			c.change(b)
			if got := b.Differ(base(), 3); !slices.Equal(got, c.want) {
				t.Errorf("differs by %q, want %q", got, c.want)
			}
			if len(c.want) > 1 && len(b.Differ(base(), 1)) != 1 {
				t.Error("more lines than asked for")
			}
			if b.Equal(base()) != (len(c.want) == 0) || base().Equal(b) != (len(c.want) == 0) {
				t.Error("Equal and Differ disagree")
			}
		})
	}
}
