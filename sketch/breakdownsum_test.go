package sketch

import (
	"fmt"
	"slices"
	"testing"
)

// partsOf returns breakdowns of so many hours, in which some values come again and others do not.
func partsOf(hours, rows, limit int) (parts []*Breakdown, fed truth) {
	fed = truth{}
	for hour := range hours {
		records := newTraffic(uint64(hour), 150, 300)
		records.limit = limit
		part := NewBreakdown(rows)
		for range 400 {
			for _, c := range records.record() {
				c.to(part)
				fed.take(c)
			}
		}
		parts = append(parts, part)
	}
	return parts, fed
}

func sumOf(parts ...*Breakdown) *BreakdownSum {
	s := new(BreakdownSum)
	for _, p := range parts {
		s.Add(p)
	}
	return s
}

// sameMerge compares what readers see of two merges.
func sameMerge(t *testing.T, text string, d Dimension, have, want *BreakdownMerge) {
	t.Helper()
	if have.Floor() != want.Floor() {
		t.Errorf("%s: floor %d, want %d", text, have.Floor(), want.Floor())
	}
	show := func(m *BreakdownMerge) (lines []string) {
		for _, r := range m.Rows() {
			visitors := r.Visitors.Estimate()
			r.Visitors = nil
			lines = append(lines, fmt.Sprintf("%+v of %d", r, visitors))
		}
		o := m.Other()
		visitors := o.Visitors.Estimate()
		o.Visitors = nil
		return append(lines, fmt.Sprintf("other %+v of %d", o, visitors))
	}
	if h, w := show(have), show(want); !slices.Equal(h, w) {
		t.Errorf("%s, %s: %d lines\n%.300q\nwant %d\n%.300q", text, d, len(h), h, len(w), w)
	}
}

// A sum of sums, written and read again in between, is what readers make of the parts: values, errors, floors, others.
func TestBreakdownSumIsTheMergeOfItsParts(t *testing.T) {
	for _, rows := range []int{0, 1, 20, 300} {
		parts, _ := partsOf(6, rows, MaxBreakdownBytes)
		again := new(BreakdownSum)
		for i := 0; i < len(parts); i += 2 {
			day := sumOf(parts[i], parts[i+1]).Breakdown(MaxBreakdownBytes)
			back := decodeBreakdownBytes(t, encodeBreakdown(t, day))
			if !back.Equal(day) || back.Size() != day.Size() {
				t.Errorf("%d rows: a sum of size %d comes back as %d: %q", rows, day.Size(), back.Size(), back.Differ(day, 3))
			}
			again.Add(back)
		}
		month := again.Breakdown(MaxBreakdownBytes)
		for _, d := range Dimensions() {
			direct, sealed := NewBreakdownMerge(d), NewBreakdownMerge(d)
			for _, p := range parts {
				direct.Add(p)
			}
			sealed.Add(month)
			sameMerge(t, fmt.Sprint(rows, " rows"), d, sealed, direct)
		}
	}
}

// A sum that must give up rows keeps to its bytes, has lost nothing of the totals, and its errors are true bounds.
func TestTrimmedBreakdownSumHasTrueBounds(t *testing.T) {
	parts, fed := partsOf(8, 40, 8000)
	for _, most := range []int{MaxBreakdownBytes, 12_000, 3_000} {
		s := sumOf(parts...).Breakdown(most)
		if n := len(encodeBreakdown(t, s)); n > most || s.Size() > most {
			t.Errorf("%d bytes of size %d, want at most %d", n, s.Size(), most)
		}
		for _, d := range Dimensions() {
			rows, other := s.Rows(d), s.Other(d)
			total, want := totalOf(rows, other), fed.total(d)
			if total.Events != want.events || total.PageViews != want.pageViews || total.Booking != want.Booking ||
				total.Values != int64(len(want.values)) {
				t.Errorf("%d bytes, %s: totals %+v, want %+v", most, d, total, want)
			}
			known := make(map[string]bool)
			for _, r := range rows {
				known[r.Value] = true
				if n := fed.of(d, r.Value).events; r.Events > n || r.Rank() < uint64(n) {
					t.Errorf("%d bytes, %s %q: %d events to %d, of %d", most, d, r.Value, r.Events, r.Rank(), n)
				}
			}
			for value, c := range fed[d] {
				if !known[value] && uint64(c.events) > s.Floor(d) {
					t.Errorf("%d bytes, %s %q: %d events and no row, at floor %d", most, d, value, c.events, s.Floor(d))
				}
			}
		}
	}
}

// A sum of more rows than may be in memory gives up some on the way, and still adds up.
func TestBreakdownSumIsBounded(t *testing.T) {
	s, events := new(BreakdownSum), 0
	for hour := range 5 {
		part := NewBreakdown(MaxRows)
		for i := range maxSumRows / 4 {
			part.Event(Page, fmt.Sprintf("/%d/%d", hour, i), int64(i), Hit{Visitor: uint64(i)})
			events++
		}
		part.Event(Page, "/", 1<<40, Hit{Visitor: 1})
		part.Event(City, fmt.Sprint(hour), 1<<40, Hit{Visitor: 1})
		events++
		s.Add(part)
	}
	if n := len(s.merges[Page].rows); n > maxSumRows {
		t.Errorf("%d rows in memory, want at most %d", n, maxSumRows)
	}
	b := s.Breakdown(MaxBreakdownBytes)
	total := totalOf(b.Rows(Page), b.Other(Page))
	if first := b.Rows(Page)[0]; total.Events != int64(events) || first.Value != "/" || first.Events > 5 || first.Rank() < 5 {
		t.Errorf("%d events with %+v first, want %d and five events of /", total.Events, first, events)
	}
}
