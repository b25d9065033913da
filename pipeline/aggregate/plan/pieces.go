package plan

import "fmt"

// Pieces has the bytes of a step's sketches one after the other in larger pieces, which are freed together, once their writes are
// answered. The zero value is ready.
type Pieces struct {
	rest    []byte // of the present piece
	scratch []byte // for one sketch
}

const (
	// sketchPiece is what a piece takes. A sketch that takes more than ownPiece has one of its own.
	sketchPiece = 16 << 10
	ownPiece    = 2 << 10
)

// encodable is a sketch of any kind.
type encodable interface {
	AppendBinary(to []byte) ([]byte, error)
}

// Append returns the bytes of a sketch.
func (p *Pieces) Append(s encodable) []byte {
	b, err := s.AppendBinary(p.scratch[:0])
	if err != nil {
		panic(fmt.Sprintf("our own sketch does not encode: %v", err))
	}
	p.scratch = b
	return p.Copy(b)
}

// Copy returns a copy of the bytes.
func (p *Pieces) Copy(b []byte) []byte {
	n := len(b)
	if len(p.rest) < n {
		if n > ownPiece {
			return append(make([]byte, 0, n), b...)
		}
		p.rest = make([]byte, sketchPiece)
	}
	own := p.rest[:n:n]
	p.rest = p.rest[n:]
	copy(own, b)
	return own
}
