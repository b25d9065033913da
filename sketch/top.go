package sketch

import (
	"fmt"
	"slices"
)

// Top finds the most frequent values of a stream in a fixed number of rows: Space-Saving (Metwally, Agrawal and
// El Abbadi, "Efficient computation of frequent and top-k elements in data streams", 2005). Any value seen more often
// than Adds divided by rows has a row, and no value without one was seen more often than Floor.
//
// A value without a row gets one with count 0 and error Floor, and is counted then. When there is no room, the row of
// the least rank is evicted first, of equals the one whose value is least by bytes. We depart from the paper in what
// becomes of it: its count goes to Other instead of to the row that takes its place, which gets it as error alone. So
// the counts of the rows and Other always add up to the number of Adds, and errors are in no total.
//
// The state is a function of the sequence of Adds. The zero value has no rows: all that it counts goes to Other. Not
// safe for concurrent use.
type Top struct {
	capacity int
	index    index // of the rows by value
	rows     []Row
	// heap orders rows by the rank they had when they were last looked at. Ranks only grow, so the head is the least
	// once its rank there is its rank now; until then it is brought up to date and sinks. An Add of a value that has
	// a row touches nothing but its count.
	heap         []seen
	floor, other uint64
}

// seen is a row and the rank it had when the heap last looked.
type seen struct {
	rank uint64
	row  int32
}

// NewTop returns an empty Top of so many rows, 0 to MaxRows; it panics on any other number.
func NewTop(rows int) *Top {
	checkRows(rows)
	return &Top{capacity: rows}
}

func checkRows(rows int) {
	if rows < 0 || rows > MaxRows {
		panic(fmt.Sprintf("sketch: a top of %d rows: it must have 0 to %d", rows, MaxRows))
	}
}

// Add counts the value once. It keeps no reference to the bytes, and allocates only for a value that has no row.
func (t *Top) Add(value []byte) {
	if i := find(t, value); i >= 0 {
		t.rows[i].Count++
		return
	}
	t.admit(string(value))
}

// find returns the place of the value's row, -1 if it has none.
func find[V string | []byte](t *Top, value V) int {
	if t.index == nil {
		for i := range t.rows {
			if t.rows[i].Value == string(value) {
				return i
			}
		}
		return -1
	}
	for slot := t.index.slot(hash(value)); t.index[slot] != 0; slot = t.index.next(slot) {
		if i := int(t.index[slot]) - 1; t.rows[i].Value == string(value) {
			return i
		}
	}
	return -1
}

// AddString is Add for a value that is a string already: it keeps it.
func (t *Top) AddString(value string) {
	if i := find(t, value); i >= 0 {
		t.rows[i].Count++
		return
	}
	t.admit(value)
}

// AddTimes does what AddString would, called n times in a row.
func (t *Top) AddTimes(value string, n uint64) {
	switch i := find(t, value); {
	case n == 0:
	case i >= 0:
		t.rows[i].Count += n
	default:
		t.admitTimes(value, n)
	}
}

// admit counts a value that has no row.
func (t *Top) admit(value string) { t.admitTimes(value, 1) }

func (t *Top) admitTimes(value string, n uint64) {
	row := Row{Value: value, Count: n, Error: t.floor}
	switch {
	case t.capacity == 0: // admitted and evicted at once
		t.floor += n
		t.other += n
	case len(t.rows) < t.capacity:
		t.push(row)
	default:
		t.replaceLeast(row)
	}
}

// push gives the row a place of its own. Until the first eviction nobody asks for the least, so the heap is made
// then, all at once.
func (t *Top) push(row Row) {
	if len(t.rows) == cap(t.rows) {
		t.rows = slices.Grow(t.rows, max(1, min(max(len(t.rows), 4), t.capacity-len(t.rows))))
	}
	t.rows = append(t.rows, row)
	t.index.add(t.rows)
	if t.heap != nil { // rows were dropped
		t.heap = append(t.heap, seen{row.Rank(), int32(len(t.rows) - 1)})
		t.raise(len(t.heap) - 1)
	}
}

// least returns the place of the row that is evicted next. There must be one.
func (t *Top) least() int {
	if t.heap == nil {
		t.heapify()
	}
	for {
		head := &t.heap[0]
		now := t.rows[head.row].Rank()
		if head.rank == now {
			return int(head.row)
		}
		head.rank = now
		t.sink(0)
	}
}

// replaceLeast evicts the least row and puts the row in its place. The row's error is the floor as the eviction
// leaves it.
func (t *Top) replaceLeast(row Row) {
	place := t.least()
	t.leave(t.rows[place])
	row.Error = t.floor
	t.index.replace(t.rows, place, row.Value)
	t.rows[place] = row
	t.heap[0].rank = row.Rank()
	t.sink(0)
}

// leave settles what an evicted row leaves behind.
func (t *Top) leave(row Row) {
	t.floor = max(t.floor, row.Rank())
	t.other += row.Count
}

// dropLeast evicts the least row and leaves its room free. The last of the rows moves to its place.
func (t *Top) dropLeast() {
	place, last := t.least(), len(t.rows)-1
	t.leave(t.rows[place])
	t.index.remove(t.rows, place)
	t.heap[0] = t.heap[last]
	t.heap = t.heap[:last]
	if last > 0 {
		t.sink(0)
	}
	if place != last {
		t.index.move(t.rows, last, place)
		// Its entry in the heap may be anywhere. Rows are dropped only where bytes are short.
		i := slices.IndexFunc(t.heap, func(s seen) bool { return int(s.row) == last })
		t.heap[i].row = int32(place)
		t.rows[place] = t.rows[last]
	}
	t.rows[last] = Row{}
	t.rows = t.rows[:last]
}

func (t *Top) heapify() {
	t.heap = make([]seen, len(t.rows))
	for i, r := range t.rows {
		t.heap[i] = seen{r.Rank(), int32(i)}
	}
	for i := len(t.heap)/2 - 1; i >= 0; i-- {
		t.sink(i)
	}
}

// raise moves an entry of the heap up to where it belongs.
func (t *Top) raise(i int) {
	for parent := (i - 1) / 2; i > 0 && t.less(t.heap[i], t.heap[parent]); parent = (i - 1) / 2 {
		t.heap[i], t.heap[parent] = t.heap[parent], t.heap[i]
		i = parent
	}
}

// sink moves an entry of the heap down to where it belongs.
func (t *Top) sink(i int) {
	heap, moved := t.heap, t.heap[i]
	for {
		child := 2*i + 1
		if child >= len(heap) {
			break
		}
		if child+1 < len(heap) && t.less(heap[child+1], heap[child]) {
			child++
		}
		if !t.less(heap[child], moved) {
			break
		}
		heap[i] = heap[child]
		i = child
	}
	heap[i] = moved
}

// less reports whether a is evicted before b.
func (t *Top) less(a, b seen) bool {
	return a.rank < b.rank || a.rank == b.rank && t.rows[a.row].Value < t.rows[b.row].Value
}

// Rows returns the rows, highest rank first, of equals the least value by bytes first.
func (t *Top) Rows() []Row {
	rows := slices.Clone(t.rows)
	slices.SortFunc(rows, byRank)
	return rows
}

// Floor returns the largest rank that was ever evicted, 0 before the first eviction. A value without a row was seen
// that often at most.
func (t *Top) Floor() uint64 { return t.floor }

// Other returns how many Adds are in no row's count because the row was evicted.
func (t *Top) Other() uint64 { return t.other }

// Clone returns a copy that shares nothing with t.
func (t *Top) Clone() *Top {
	c := *t
	c.index = slices.Clone(t.index)
	c.rows = slices.Clone(t.rows)
	c.heap = slices.Clone(t.heap)
	return &c
}

// Equal reports whether both have the same capacity, rows, floor and other, so that every further sequence of Adds
// ends alike.
func (t *Top) Equal(o *Top) bool {
	if t.capacity != o.capacity || t.floor != o.floor || t.other != o.other || len(t.rows) != len(o.rows) {
		return false
	}
	for _, r := range t.rows {
		i := find(o, r.Value)
		if i < 0 || o.rows[i] != r {
			return false
		}
	}
	return true
}

// MergeTops returns what the tops of several parts know together, highest rank first, the first so many rows of it
// (all for 0). A value's count and error are the sums of those it has; a part without a row for it may have seen it
// as often as its floor, which is added to the error. The counts of all rows and all Others add up to the number of
// Adds. The tops stay as they are.
func MergeTops(rows int, tops ...*Top) []Row {
	floors := uint64(0)
	merged := make(map[string]Row)
	for _, t := range tops {
		floors += t.floor
		for _, r := range t.rows {
			m := merged[r.Value]
			// Error gathers, for now, by how much the value stays below the floors: nothing here underflows, as no
			// row's error is above its part's floor.
			merged[r.Value] = Row{r.Value, m.Count + r.Count, m.Error + t.floor - r.Error}
		}
	}
	all := make([]Row, 0, len(merged))
	for _, m := range merged {
		m.Error = floors - m.Error
		all = append(all, m)
	}
	slices.SortFunc(all, byRank)
	if rows > 0 && len(all) > rows {
		all = all[:rows]
	}
	return all
}
