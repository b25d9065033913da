package sketch

import "unsafe"

// Minute is what a realtime minute keeps: its visitors, of NewMinute's kind, and its pages. It has room for the first of each, because
// most minutes of small sites have one or two. Reset makes it ready; it must not be copied after that. Not safe for concurrent use.
type Minute struct {
	Visitors Uniques
	Pages    Top
	first    [firstSet]uint64     // the first table of Visitors
	rows     [firstMinuteRows]Row // the first rows of Pages
}

// firstMinuteRows is for how many pages a minute has room in itself.
const firstMinuteRows = 2

// Reset empties the minute and sets how many rows its pages may have, 0 to MaxRows. It panics on any other number.
func (m *Minute) Reset(pages int) {
	checkRows(pages)
	*m = Minute{Visitors: Uniques{kind: minutely}, Pages: Top{capacity: pages}}
	m.Visitors.set = m.first[:]
	m.Pages.rows = m.rows[:0:min(pages, firstMinuteRows)]
}

// Weight returns about how many bytes the minute takes in memory beside itself. It costs a look at each of the rows.
func (m *Minute) Weight() int {
	n := m.Visitors.Weight() + m.Pages.Weight() - uniquesRoom - int(unsafe.Sizeof(m.Pages))
	if len(m.Visitors.set) > 0 && &m.Visitors.set[0] == &m.first[0] {
		n -= len(m.first) * 8
	}
	if rows := m.Pages.rows[:cap(m.Pages.rows)]; len(rows) > 0 && &rows[0] == &m.rows[0] {
		n -= len(rows) * rowRoom
	}
	return n
}
