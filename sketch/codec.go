package sketch

import (
	"errors"
	"fmt"
	"slices"

	"github.com/axiomhq/hyperloglog"
	"github.com/klauspost/compress/huff0"
)

const (
	formExact     = 0
	formRegisters = 1
	formHuff0     = 2
)

// AppendBinary appends the sketch's bytes as the package comment draws them. The error is always nil; it is there for
// encoding.BinaryAppender.
func (u *Uniques) AppendBinary(b []byte) ([]byte, error) {
	from := len(b)
	b = append(b, version, traits[u.kind].mark)
	if u.kind == rowly {
		v := rowVisitors{u: *u}
		v.count()
		return seal(v.append(b), from), nil
	}
	if u.regs == nil {
		b = append(slices.Grow(b, 1+8*int(u.n)+crcBytes), formExact)
		return seal(u.appendHashes(b), from), nil
	}
	// A fresh Scratch each time: one that remembers tables would make bytes depend on what it packed before.
	packed, _, err := huff0.Compress4X(u.regs, &huff0.Scratch{Reuse: huff0.ReusePolicyNone})
	if err == nil && len(packed) < len(u.regs) {
		b = append(append(b, formHuff0), packed...)
	} else { // does not compress, or all registers are equal
		b = u.appendDense(append(b, formRegisters))
	}
	return seal(b, from), nil
}

// UnmarshalBinary makes u what AppendBinary wrote, its precision included. On an error u is what it was before. It
// allocates 64 KB at most, whatever the bytes say, and keeps none of them.
func (u *Uniques) UnmarshalBinary(b []byte) error {
	d, err := decodeUniques(b)
	if err != nil {
		return fmt.Errorf("sketch of uniques: %w", err)
	}
	*u = *d
	return nil
}

func decodeUniques(b []byte) (*Uniques, error) {
	b, err := open(b)
	if err != nil {
		return nil, err
	}
	if len(b) < 2 {
		return nil, errors.New("precision and form are missing")
	}
	mark, form, payload := b[0], b[1], b[2:]
	u := &Uniques{}
	switch mark {
	case traits[hourly].mark:
	case traits[minutely].mark:
		u.kind = minutely
	case traits[rowly].mark:
		return decodeRowVisitors(b[1:])
	default:
		return nil, fmt.Errorf("precision %d: it must be %d or %d, or %d for the visitors of a row",
			mark, HourPrecision, MinutePrecision, traits[rowly].mark)
	}
	switch form {
	case formExact:
		return u, u.setExact(payload)
	case formRegisters:
		return u, u.setDense(payload)
	case formHuff0:
		regs, err := inflate(payload, 1<<u.Precision())
		if err != nil {
			return nil, err
		}
		return u, u.setRegisters(regs)
	}
	return nil, fmt.Errorf("form %d: it must be %d, %d or %d", form, formExact, formRegisters, formHuff0)
}

// HyperLogLog returns a copy of the sketch as axiomhq's, dense, for programs that work with that library. What is
// still exact here is not there.
func (u *Uniques) HyperLogLog() *hyperloglog.Sketch {
	var sk hyperloglog.Sketch
	if err := sk.UnmarshalBinary(u.appendDense(nil)); err != nil {
		panic(fmt.Sprintf("sketch: axiomhq refuses our registers: %v", err)) // the layouts are the same
	}
	return &sk
}
