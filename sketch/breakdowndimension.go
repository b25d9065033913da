package sketch

import "slices"

// dimension is a breakdown by one dimension. The Top keeps values, events, errors, floor and the events of other; more
// has, at the same places, all else of the rows.
type dimension struct {
	top   Top
	more  []rest
	other tally
}

// rest is what a row has besides its value, events and error.
type rest struct {
	admitted int64
	tally
}

// push gives the row a place of its own.
func (m *dimension) push(row Row, more rest) (place int) {
	m.top.push(row)
	m.more = append(m.more, more)
	return len(m.more) - 1
}

func (m *dimension) empty() bool { return len(m.top.rows) == 0 && m.top.other == 0 && m.other.empty() }

// places returns the places of the rows in the order of compare, in the given room if that is enough.
func (m *dimension) places(room []int, compare func(a, b Row) int) []int {
	for i := range m.top.rows {
		room = append(room, i)
	}
	slices.SortFunc(room, func(i, j int) int { return compare(m.top.rows[i], m.top.rows[j]) })
	return room
}

// fixedBytes is the most that the bytes take besides rows and what others have counted: version, mark, capacity,
// number of dimensions and CRC, and for each dimension its number, its floor and the number of its rows.
const fixedBytes = 1 + 1 + 3 + 1 + crcBytes + int(storedProperty)*dimensionBytes

// dimensionBytes is what a dimension takes of them. That of a property, and one that was declared since there are properties, takes as
// much from when it is asked for first: what an earlier release has trimmed to its limit stays within it.
const dimensionBytes = 1 + 9 + 3 + emptyBytes

// emptyBytes is what an other takes that has counted nothing: no events, nothing else, no visitors.
const emptyBytes = 1 + 1 + 1

// bytes returns how many bytes the row takes at most: how much of its value it shares with another is not looked at.
func (m *dimension) bytes(place int) int {
	return rowBytes(m.top.rows[place], &m.more[place])
}

func rowBytes(row Row, more *rest) int {
	value := 1 + uvarintBytes(uint64(len(row.Value))) + len(row.Value)
	numbers := uvarintBytes(row.Count) + optionalBytes(int64(row.Error)) + uvarintBytes(uint64(more.admitted))
	return value + numbers + more.bytes()
}

// otherBytes returns how many bytes other takes.
func (m *dimension) otherBytes() int { return uvarintBytes(m.top.other) + m.other.bytes() }
