package sketch

// room is what a breakdown has ready for its dimensions and their first rows, several of them in an allocation: an hour of a small site
// has a dozen dimensions of a few rows each. The zero value is ready.
type room struct {
	dims          []dimension
	first, second rows
}

// rows is room for the rows of several dimensions.
type rows struct {
	row  []Row
	more []rest
}

const (
	// dimensionsAtOnce is how many dimensions share an allocation, and their first rows one: two of each are enough for most hours.
	dimensionsAtOnce = 6
	// secondRows is for how many rows a dimension has room after its first one, and secondAtOnce how many dimensions share that.
	secondRows   = 4
	secondAtOnce = 4
)

// dimension returns a zero dimension.
func (r *room) dimension() *dimension {
	if len(r.dims) == 0 {
		r.dims = make([]dimension, dimensionsAtOnce)
	}
	m := &r.dims[0]
	r.dims = r.dims[1:]
	return m
}

// grow gives the dimension room for another row if it has no more than one.
func (r *room) grow(m *dimension) {
	switch n := len(m.more); {
	case n == 0 && m.more == nil && m.top.rows == nil:
		r.first.give(m, 1, dimensionsAtOnce)
	case n == 1 && cap(m.more) == 1 && m.top.capacity >= secondRows:
		r.second.give(m, secondRows, secondAtOnce)
	}
}

// give moves the rows of the dimension to room for n of them. Room is allocated for atOnce dimensions together.
func (r *rows) give(m *dimension, n, atOnce int) {
	if len(r.row) == 0 {
		r.row, r.more = make([]Row, n*atOnce), make([]rest, n*atOnce)
	}
	m.top.rows, r.row = append(r.row[:0:n], m.top.rows...), r.row[n:]
	m.more, r.more = append(r.more[:0:n], m.more...), r.more[n:]
}
