package sketch

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"math/big"
	"math/bits"
	"slices"
	"strings"

	"github.com/footfall/footfall/sinks/int128"
)

// naiveCounts is what naiveBreakdown counts of a value: every visitor, and every value of a named event.
type naiveCounts struct {
	events, pageViews int64
	Booking
	attention   Attention
	conversions Conversions
	values      []int64
	visitors    map[uint64]bool
}

func (c *naiveCounts) add(o naiveCounts) {
	c.events += o.events
	c.pageViews += o.pageViews
	c.Booking = sum(c.Booking, o.Booking)
	c.attention = together(c.attention, o.attention)
	c.conversions = c.conversions.Plus(o.conversions)
	c.values = append(c.values, o.values...)
	if c.visitors == nil {
		c.visitors = map[uint64]bool{}
	}
	maps.Copy(c.visitors, o.visitors)
}

func together(a, b Attention) Attention {
	return Attention{a.Timed + b.Timed, a.TimeMs + b.TimeMs, a.Scrolled + b.Scrolled, a.Depth + b.Depth}
}

func sum(a, b Booking) Booking {
	return Booking{a.Sessions + b.Sessions, a.Bounces + b.Bounces, a.DurationMs + b.DurationMs,
		a.Entries + b.Entries, a.Exits + b.Exits}
}

func minus(a Booking) Booking {
	return Booking{-a.Sessions, -a.Bounces, -a.DurationMs, -a.Entries, -a.Exits}
}

func negative(a Booking) bool {
	return min(a.Sessions, a.Bounces, a.DurationMs, a.Entries, a.Exits) < 0
}

// counts returns what the breakdown should say.
func (c naiveCounts) counts() Counts {
	k := Counts{Events: c.events, PageViews: c.pageViews, Booking: c.Booking, Attention: c.attention, Conversions: c.conversions,
		Values: int64(len(c.values))}
	k.Visitors = NewRow()
	if len(c.values) > 0 {
		k.Min, k.Max = slices.Min(c.values), slices.Max(c.values)
	}
	total := new(big.Int)
	for _, v := range c.values {
		total.Add(total, big.NewInt(v))
	}
	k.Sum, _ = int128.Parse(total.String())
	for h := range c.visitors {
		k.Visitors.Add(h)
	}
	return k
}

func uvarint(n int64) int { return len(binary.AppendUvarint(nil, uint64(n))) }

// bytes tells anew how many bytes the counts take, without events.
func (c naiveCounts) bytes() int {
	n := 1
	for _, k := range []int64{c.pageViews, c.Sessions, c.Bounces, c.DurationMs, c.Entries, c.Exits, int64(len(c.values))} {
		if k > 0 {
			n += uvarint(k)
		}
	}
	for _, k := range []int64{c.attention.Timed, c.attention.TimeMs, c.attention.Scrolled, c.attention.Depth} {
		if k > 0 {
			n += uvarint(k)
		}
	}
	for _, k := range []int64{c.conversions.Sessions, c.conversions.Further} {
		if k > 0 {
			n += uvarint(k)
		}
	}
	if c.conversions.Worth.Sign() != 0 {
		hi, lo := c.conversions.Worth.Zigzag()
		n += len(binary.AppendUvarint(nil, hi)) + len(binary.AppendUvarint(nil, lo))
	}
	if len(c.values) > 0 || c.attention != (Attention{}) || c.conversions != (Conversions{}) {
		n++
	}
	if len(c.values) > 0 {
		k := naiveCounts{values: c.values}.counts()
		n += len(binary.AppendVarint(nil, k.Min)) + len(binary.AppendVarint(nil, k.Max))
		hi, lo := k.Sum.Zigzag()
		n += len(binary.AppendUvarint(nil, hi)) + len(binary.AppendUvarint(nil, lo))
	}
	if len(c.visitors) <= 64 {
		return n + 1 + 8*len(c.visitors)
	}
	registers := map[uint64]int{}
	for h := range c.visitors {
		registers[h>>52] = max(registers[h>>52], bits.LeadingZeros64(h<<12|1<<11)+1)
	}
	unary, half := 4096, 2048
	for _, r := range registers {
		unary += r
		if r >= 15 {
			half++
		}
	}
	if few := len(registers); few < 1024 {
		groups := math.MaxInt
		for k := range 12 {
			groups = min(groups, 4096>>k+few*(1+k))
		}
		return n + 2 + (unary-4096+groups+7)/8
	}
	return n + 1 + min((unary+7)/8, half)
}

type naiveRow struct {
	naiveCounts
	value    string
	error    int64
	admitted int64
}

func (r naiveRow) rank() int64 { return r.events + r.error }

// naiveBreakdown is Breakdown's rules told step by step: scans for everything, sizes summed up anew.
type naiveBreakdown struct {
	capacity, limit int
	rows            [dimensions][]naiveRow
	floor           [dimensions]int64
	other           [dimensions]naiveCounts
}

func (n *naiveBreakdown) event(d Dimension, value string, pos int64, h Hit) {
	i := slices.IndexFunc(n.rows[d], func(r naiveRow) bool { return r.value == value })
	if i < 0 {
		if n.capacity > 0 && len(n.rows[d]) == n.capacity {
			n.evict(d, n.least(d))
		}
		n.rows[d] = append(n.rows[d], naiveRow{value: value, error: n.floor[d], admitted: pos})
		i = len(n.rows[d]) - 1
	}
	c := naiveCounts{events: 1, visitors: map[uint64]bool{h.Visitor: true}}
	if h.PageView {
		c.pageViews = 1
	}
	if h.HasValue && d == EventName {
		c.values = []int64{h.Value}
	}
	n.rows[d][i].add(c)
	if n.capacity == 0 {
		n.evict(d, i)
	}
}

func (n *naiveBreakdown) least(d Dimension) int {
	least := 0
	for i, r := range n.rows[d] {
		l := n.rows[d][least]
		if r.rank() < l.rank() || r.rank() == l.rank() && r.value < l.value {
			least = i
		}
	}
	return least
}

func (n *naiveBreakdown) evict(d Dimension, i int) {
	r := n.rows[d][i]
	n.floor[d] = max(n.floor[d], r.rank())
	n.other[d].add(r.naiveCounts)
	n.rows[d] = slices.Delete(n.rows[d], i, i+1)
}

func (n *naiveBreakdown) book(d Dimension, value string, at int64, k Booking, a Attention, won Conversions) bool {
	c := &n.other[d]
	for i := range n.rows[d] {
		if r := &n.rows[d][i]; r.value == value && r.admitted <= at {
			c = &r.naiveCounts
		}
	}
	attention := together(c.attention, a)
	if negative(sum(c.Booking, k)) || min(attention.Timed, attention.TimeMs, attention.Scrolled, attention.Depth) < 0 {
		return false
	}
	conversions := c.conversions.Plus(won)
	if min(conversions.Sessions, conversions.Further) < 0 {
		return false
	}
	c.conversions = conversions
	c.Booking, c.attention = sum(c.Booking, k), attention
	return true
}

func (n *naiveBreakdown) trim() {
	for n.size() > n.limit {
		evict, least := Dimension(0), naiveRow{}
		found := false
		for d := range dimensions {
			if len(n.rows[d]) == 0 {
				continue
			}
			if r := n.rows[d][n.least(d)]; !found || r.rank() < least.rank() {
				found, evict, least = true, d, r
			}
		}
		if !found {
			return
		}
		n.evict(evict, n.least(evict))
	}
}

func (n *naiveBreakdown) size() int {
	size := 10 + 16*13
	for d := range dimensions {
		size += uvarint(n.other[d].events) + n.other[d].bytes()
		for _, r := range n.rows[d] {
			size += 1 + uvarint(int64(len(r.value))) + len(r.value) + uvarint(r.events) + uvarint(r.admitted) + r.bytes()
			if r.error > 0 {
				size += uvarint(r.error)
			}
		}
	}
	return size
}

// differ tells the first difference between the breakdown and the rules.
func (n *naiveBreakdown) differ(b *Breakdown) string {
	for d := range dimensions {
		if int64(b.Floor(d)) != n.floor[d] {
			return fmt.Sprintf("%s: floor %d, want %d", d, b.Floor(d), n.floor[d])
		}
		if got, want := b.Other(d), n.other[d].counts(); !equalCounts(got, want) {
			return fmt.Sprintf("%s: other %+v, want %+v", d, got, want)
		}
		rows := slices.Clone(n.rows[d])
		slices.SortFunc(rows, func(a, b naiveRow) int {
			return cmp.Or(cmp.Compare(b.rank(), a.rank()), strings.Compare(a.value, b.value))
		})
		got := b.Rows(d)
		if len(got) != len(rows) {
			return fmt.Sprintf("%s: %d rows, want %d", d, len(got), len(rows))
		}
		for i, want := range rows {
			g := got[i]
			same := g.Value == want.value && int64(g.Error) == want.error && g.Admitted == want.admitted
			if !same || !equalCounts(g.Counts, want.counts()) {
				return fmt.Sprintf("%s: row %d is %+v, want %+v", d, i, g, want)
			}
		}
	}
	if b.Size() != n.size() {
		return fmt.Sprintf("size %d, want %d", b.Size(), n.size())
	}
	return ""
}

func equalCounts(a, b Counts) bool {
	equal := a.Visitors.Equal(b.Visitors)
	a.Visitors, b.Visitors = nil, nil
	return equal && a == b
}
