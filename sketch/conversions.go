package sketch

import "github.com/footfall/footfall/sinks/int128"

// Conversions are those of sessions, or a change of them: negative numbers take back. Rows of pages, which are the entry pages of the
// sessions, and of where sessions came from have them.
type Conversions struct {
	Sessions int64      // that have reached a goal
	Further  int64      // goals that these have reached besides one each
	Worth    int128.Int // of all of them, in millionths
}

// All is how many conversions there are.
func (c Conversions) All() int64 { return c.Sessions + c.Further }

// Plus returns c + o.
func (c Conversions) Plus(o Conversions) Conversions {
	return Conversions{c.Sessions + o.Sessions, c.Further + o.Further, c.Worth.Plus(o.Worth)}
}

// Neg returns -c.
func (c Conversions) Neg() Conversions { return Conversions{-c.Sessions, -c.Further, c.Worth.Neg()} }

// Converts reports whether rows of the dimension have conversions.
func (d Dimension) Converts() bool { return Page <= d && d <= Term }

// bytes returns how many bytes they take without the byte that says which they are.
func (c *Conversions) bytes() (n int) {
	if c == nil {
		return 0
	}
	n = optionalBytes(c.Sessions) + optionalBytes(c.Further)
	if c.Worth != (int128.Int{}) {
		hi, lo := c.Worth.Zigzag()
		n += uvarintBytes(hi) + uvarintBytes(lo)
	}
	return n
}
