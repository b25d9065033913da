package sketch

import (
	"encoding/binary"
	"fmt"

	"github.com/footfall/footfall/sinks/int128"
)

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

// Convert adds to the row that Book would add to, or takes back. It returns false, and changes nothing, if a number of sessions or
// conversions would leave the range from 0 to 2^60.
func (b *Breakdown) Convert(d Dimension, value string, position int64, k Conversions) (ok bool) {
	t := b.booked(d, value, position)
	sum := t.converted().Plus(k)
	if max(uint64(sum.Sessions), uint64(sum.Further)) > maxCount {
		return false
	}
	b.size -= t.moreBytes()
	if t.conversions == nil {
		t.conversions = new(Conversions)
	}
	*t.conversions = sum
	b.size += t.moreBytes()
	return true
}

func (t *tally) converted() Conversions {
	if t.conversions == nil {
		return Conversions{}
	}
	return *t.conversions
}

// Convert notes a Breakdown.Convert.
func (l *BreakdownLog) Convert(d Dimension, value string, position int64, k Conversions) {
	l.ops = append(l.ops, opConvert, byte(d))
	l.text(value)
	for _, n := range [...]int64{position, k.Sessions, k.Further} {
		l.ops = binary.AppendVarint(l.ops, n)
	}
	l.ops = appendWide(l.ops, k.Worth)
}

func (r *logReader) conversions(b *Breakdown) {
	d, value := Dimension(r.byte()), r.text()
	position := r.varint()
	k := Conversions{Sessions: r.varint(), Further: r.varint()}
	hi := r.uvarint()
	k.Worth = int128.Unzigzag(hi, r.uvarint())
	if r.err == nil && !d.Converts() {
		r.err = fmt.Errorf("conversions of dimension %d", d)
	}
	if b != nil && r.err == nil {
		b.Convert(d, value, position, k)
	}
}
