package verify

// A cell is something that the recount keeps of an item, in two versions: as of the end of the chain's last step,
// and as of its beginning where the step changes it. V is a pointer; nil is what does not exist.
type cell[V interface{ Clone() V }] struct {
	end, begin V
	split      bool // the last step changes it: begin holds. If not, begin is the same as end
}

// cut is the end of its chain's last step that an item is compared at.
type cut uint8

const (
	atBegin cut = iota // as of f: the last step has not reached the item
	atEnd              // as of t
)

// at returns the version as of a cut; nil when the item does not exist then. A nil cell never existed.
func (c *cell[V]) at(when cut) (v V) {
	switch {
	case c == nil:
		return v
	case when == atBegin && c.split:
		return c.begin
	}
	return c.end
}

func (c *cell[V]) settle() {
	var none V
	c.begin, c.split = none, false
}

// A step knows which cells the chain's last step has changed.
type step struct {
	open    bool // the records that come now belong to the last step
	touched []interface{ settle() }
}

// settle makes the ends of all cells their only versions: the chain has gone on to another step.
func (s *step) settle() {
	for _, c := range s.touched {
		c.settle()
	}
	s.open, s.touched = false, s.touched[:0]
}

// change returns the cell of a key, which the caller is about to change. A fresh cell's end is nil.
func change[K comparable, V interface{ Clone() V }](s *step, cells map[K]*cell[V], key K) *cell[V] {
	c := cells[key]
	fresh := c == nil
	if fresh {
		c = new(cell[V])
		cells[key] = c
	}
	if s.open && !c.split {
		if !fresh {
			c.begin = c.end.Clone()
		}
		c.split = true
		s.touched = append(s.touched, c)
	}
	return c
}
