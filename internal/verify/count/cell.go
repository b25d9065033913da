package count

// A cell is something that the recount keeps of an item, in two versions: as of the end of the chain's last step,
// and as of its beginning where the step changes it. V is a pointer; nil is what does not exist.
type Cell[V interface{ Clone() V }] struct {
	End, begin V
	Split      bool // the last step changes it: begin holds. If not, begin is the same as end
}

// Cut is the end of its chain's last step that an item is compared at.
type Cut uint8

const (
	AtBegin Cut = iota // as of f: the last step has not reached the item
	AtEnd              // as of t
)

// At returns the version as of a cut; nil when the item does not exist then. A nil cell never existed.
func (c *Cell[V]) At(when Cut) (v V) {
	switch {
	case c == nil:
		return v
	case when == AtBegin && c.Split:
		return c.begin
	}
	return c.End
}

func (c *Cell[V]) settle() {
	var none V
	c.begin, c.Split = none, false
}

// A step knows which cells the chain's last step has changed.
type Step struct {
	Open    bool // the records that come now belong to the last step
	touched []interface{ settle() }
}

// Settle makes the ends of all cells their only versions: the chain has gone on to another step.
func (s *Step) Settle() {
	for _, c := range s.touched {
		c.settle()
	}
	s.Open, s.touched = false, s.touched[:0]
}

// Change returns the cell of a key, which the caller is about to change. A fresh cell's end is nil.
func Change[K comparable, V interface{ Clone() V }](s *Step, cells map[K]*Cell[V], key K) *Cell[V] {
	c := cells[key]
	fresh := c == nil
	if fresh {
		c = new(Cell[V])
		cells[key] = c
	}
	if s.Open && !c.Split {
		if !fresh {
			c.begin = c.End.Clone()
		}
		c.Split = true
		s.touched = append(s.touched, c)
	}
	return c
}
