package sketch

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// BreakdownRow is a value of a dimension and what was counted of it: at least Events, and at most Error more. Admitted
// is the position of the record that it has its row since; of rows merged from several parts it is 0, as positions of
// different partitions do not compare.
type BreakdownRow struct {
	Value    string
	Error    uint64
	Admitted int64
	Counts
}

// Rank returns Events+Error, the most events that the value can have had. Rows are ordered and evicted by it.
func (r BreakdownRow) Rank() uint64 { return uint64(r.Events) + r.Error }

func byBreakdownRank(a, b BreakdownRow) int {
	return cmp.Or(cmp.Compare(b.Rank(), a.Rank()), cmp.Compare(a.Value, b.Value))
}

// Rows returns copies of the dimension's rows, highest rank first, of equals the least value by bytes first.
func (b *Breakdown) Rows(d Dimension) []BreakdownRow {
	m := b.part(d)
	if m == nil {
		return nil
	}
	rows := make([]BreakdownRow, 0, len(m.top.rows))
	for _, i := range m.places(nil, byRank) {
		rows = append(rows, m.row(i))
	}
	return rows
}

// row returns a copy of the row at this place.
func (m *dimension) row(place int) BreakdownRow {
	row, own := m.top.rows[place], m.more[place].clone()
	return BreakdownRow{row.Value, row.Error, m.more[place].admitted, own.counts(row.Count)}
}

// Other returns what was evicted from the dimension, and what was booked to values that had no row.
func (b *Breakdown) Other(d Dimension) Counts {
	if m := b.part(d); m != nil {
		own := m.other.clone()
		return own.counts(m.top.other)
	}
	return Counts{Visitors: NewRow()}
}

// BreakdownMerge adds up what several parts know of a dimension. A part without a row for a value may have counted as
// many events of it as its floor, which is added to the error of the value's row. Rows and Other hold all that was fed
// to the parts, in whatever order they are added. Make one with NewBreakdownMerge. Not safe for concurrent use.
type BreakdownMerge struct {
	d      Dimension
	rows   map[string]*mergedRow
	floors uint64 // of all parts
	events uint64 // of other
	other  tally
}

// mergedRow is a value's row while parts are merged; below is how much its errors stay under the floors of the parts
// that have it.
type mergedRow struct {
	events, below uint64
	tally
}

// NewBreakdownMerge returns a merge of no parts.
func NewBreakdownMerge(d Dimension) *BreakdownMerge {
	return &BreakdownMerge{d: d, rows: make(map[string]*mergedRow), other: newTally()}
}

// Add takes a part in, which stays as it is.
func (m *BreakdownMerge) Add(part *Breakdown) { m.AddOf(part, m.d) }

// AddOf takes in what a part has of another dimension: a property has another number at each site.
func (m *BreakdownMerge) AddOf(part *Breakdown, d Dimension) {
	p := part.part(d)
	if p == nil {
		return
	}
	m.floors += p.top.floor
	m.events += p.top.other
	m.other.merge(&p.other)
	for i, row := range p.top.rows {
		g := m.rows[row.Value]
		if g == nil {
			g = &mergedRow{tally: newTally()}
			m.rows[row.Value] = g
		}
		g.events += row.Count
		g.below += p.top.floor - row.Error // No row's error is above its part's floor.
		g.merge(&p.more[i].tally)
	}
}

// Rows returns copies of all rows, highest rank first, of equals the least value by bytes.
func (m *BreakdownMerge) Rows() []BreakdownRow {
	rows := make([]BreakdownRow, 0, len(m.rows))
	for value, g := range m.rows {
		own := g.clone()
		rows = append(rows, BreakdownRow{Value: value, Error: m.floors - g.below, Counts: own.counts(g.events)})
	}
	slices.SortFunc(rows, byBreakdownRank)
	return rows
}

// Other returns what values counted while they had no row, together with what the rows of these values did: those that a
// reader does not show.
func (m *BreakdownMerge) Other(hidden ...string) Counts {
	other, events := m.other.clone(), m.events
	for _, value := range hidden {
		if g := m.rows[value]; g != nil {
			events += g.events
			other.merge(&g.tally)
		}
	}
	return other.counts(events)
}

// Together returns what the rows of different values have counted together, and how many events more the values have at most. ok is false
// if none has a row.
func (m *BreakdownMerge) Together(values ...string) (k Counts, atMost uint64, ok bool) {
	sum, events := newTally(), uint64(0)
	for _, value := range values {
		atMost += m.floors
		if g := m.rows[value]; g != nil {
			events, atMost, ok = events+g.events, atMost-g.below, true
			sum.merge(&g.tally)
		}
	}
	return sum.counts(events), atMost, ok
}

// Floor returns how many events a value has at the most that has no row in any part.
func (m *BreakdownMerge) Floor() uint64 { return m.floors }

// Equal reports whether both have the same number of rows a dimension and the same state, so that every further
// sequence of calls ends alike.
func (b *Breakdown) Equal(o *Breakdown) bool { return len(b.Differ(o, 1)) == 0 }

// Differ returns in words in what b differs from o, row by row, at most so many lines: floors, others and rows of the
// dimensions in their order, of rows the least value by bytes first.
func (b *Breakdown) Differ(o *Breakdown, lines int) []string {
	var d difference
	d.number("", "rows a dimension", int64(b.capacity), int64(o.capacity))
	none := &dimension{other: newTally()}
	for i := range allDimensions {
		have, want := cmp.Or(b.part(i), none), cmp.Or(o.part(i), none)
		if have != want && len(d.lines) < lines {
			d.dimension(i, have, want)
		}
	}
	return d.lines[:min(lines, len(d.lines))]
}

// difference gathers lines. Each names something once, and then what differs of it.
type difference struct {
	lines []string
	last  string // what the last line names
}

func (d *difference) say(name, words string) {
	if name != d.last || len(d.lines) == 0 {
		d.lines, d.last = append(d.lines, strings.TrimPrefix(name+": "+words, ": ")), name
		return
	}
	d.lines[len(d.lines)-1] += ", " + words
}

func (d *difference) number(name, what string, have, want int64) {
	if have != want {
		d.say(name, fmt.Sprintf("%s %d instead of %d", what, have, want))
	}
}

func (d *difference) dimension(dim Dimension, have, want *dimension) {
	d.number(dim.String(), "floor", int64(have.top.floor), int64(want.top.floor))
	d.counts(dim.String()+" other", have.other.counts(have.top.other), want.other.counts(want.top.other))
	all := make(map[string]bool)
	for _, m := range []*dimension{have, want} {
		for _, r := range m.top.rows {
			all[r.Value] = true
		}
	}
	for _, v := range slices.Sorted(maps.Keys(all)) {
		name := fmt.Sprintf("%s %q", dim, v)
		i, j := find(&have.top, v), find(&want.top, v)
		switch {
		case i < 0:
			d.say(name, fmt.Sprintf("no row instead of one of %d events", want.top.rows[j].Count))
		case j < 0:
			d.say(name, fmt.Sprintf("a row of %d events instead of none", have.top.rows[i].Count))
		default:
			d.number(name, "error", int64(have.top.rows[i].Error), int64(want.top.rows[j].Error))
			d.number(name, "admitted at", have.more[i].admitted, want.more[j].admitted)
			d.counts(name, have.more[i].counts(have.top.rows[i].Count), want.more[j].counts(want.top.rows[j].Count))
		}
	}
}

func (d *difference) counts(name string, have, want Counts) {
	for _, n := range []struct {
		what       string
		have, want int64
	}{
		{"events", have.Events, want.Events},
		{"page views", have.PageViews, want.PageViews},
		{"sessions", have.Sessions, want.Sessions},
		{"bounces", have.Bounces, want.Bounces},
		{"duration in ms", have.DurationMs, want.DurationMs},
		{"entries", have.Entries, want.Entries},
		{"exits", have.Exits, want.Exits},
		{"timed page views", have.Timed, want.Timed},
		{"time on page in ms", have.TimeMs, want.TimeMs},
		{"scrolled page views", have.Scrolled, want.Scrolled},
		{"scroll depth in percent", have.Depth, want.Depth},
		{"converted sessions", have.Conversions.Sessions, want.Conversions.Sessions},
		{"further conversions", have.Conversions.Further, want.Conversions.Further},
		{"values", have.Values, want.Values},
		{"least value", have.Min, want.Min},
		{"greatest value", have.Max, want.Max},
	} {
		d.number(name, n.what, n.have, n.want)
	}
	if have.Sum != want.Sum {
		d.say(name, fmt.Sprintf("sum of values %s instead of %s", have.Sum, want.Sum))
	}
	if have.Conversions.Worth != want.Conversions.Worth {
		d.say(name, fmt.Sprintf("worth of conversions %s instead of %s", have.Conversions.Worth, want.Conversions.Worth))
	}
	if hashes, registers := have.Visitors.Differ(want.Visitors); hashes+registers > 0 {
		d.say(name, fmt.Sprintf("visitors by %d hashes and %d registers", hashes, registers))
	}
}
