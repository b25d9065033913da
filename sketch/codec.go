package sketch

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

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

// appendHashes appends the hashes of the exact set, ascending.
func (u *Uniques) appendHashes(b []byte) []byte {
	var room [RowExact]uint64 // a breakdown has thousands of rows
	hashes := slices.Grow(room[:0], int(u.n))
	u.each(func(h uint64) { hashes = append(hashes, h) })
	slices.Sort(hashes)
	for _, h := range hashes {
		b = binary.BigEndian.AppendUint64(b, h)
	}
	return b
}

// denseHeaderBytes are what axiomhq puts before its registers.
const denseHeaderBytes = 8

// appendDense appends what axiomhq marshals for these registers.
func (u *Uniques) appendDense(b []byte) []byte {
	b = append(b, 2, byte(u.Precision()), 0, 0)
	regs := u.registers()
	b = binary.BigEndian.AppendUint32(b, uint32(len(regs)))
	return append(b, regs...)
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

func (u *Uniques) setExact(payload []byte) error {
	n := len(payload) / 8
	if len(payload)%8 != 0 || n > u.limit() {
		return fmt.Errorf("an exact set of %d bytes: it must be 8 for each of at most %d hashes", len(payload), u.limit())
	}
	if n == 0 {
		return nil
	}
	u.n = int32(n)
	u.grow(nil)
	last := uint64(0)
	for i := range n {
		h := binary.BigEndian.Uint64(payload[8*i:])
		switch {
		case i > 0 && h <= last:
			return fmt.Errorf("hash %d of the exact set is not above the one before it", i)
		case h == 0:
			u.zero = true
		default:
			slot, _ := u.slot(h)
			u.set[slot] = h
		}
		last = h
	}
	return nil
}

func (u *Uniques) setDense(payload []byte) error {
	if want := denseHeaderBytes + 1<<u.Precision(); len(payload) != want {
		return fmt.Errorf("a dense sketch of %d bytes: at precision %d it must have %d", len(payload), u.Precision(), want)
	}
	regs := slices.Clone(payload[denseHeaderBytes:])
	if err := u.setRegisters(regs); err != nil {
		return err
	}
	if want := u.appendDense(nil)[:denseHeaderBytes]; !slices.Equal(payload[:denseHeaderBytes], want) {
		return fmt.Errorf("the dense sketch begins with % x: it must be % x", payload[:denseHeaderBytes], want)
	}
	return nil
}

func (u *Uniques) setRegisters(regs []byte) error {
	highest := byte(65 - u.Precision())
	for i, r := range regs {
		if r > highest {
			return fmt.Errorf("register %d is %d: at precision %d it can be %d at most", i, r, u.Precision(), highest)
		}
	}
	u.regs = regs
	return nil
}

// inflate returns the registers that huff0 packed. The capacity of what it is given bounds what huff0 writes.
func inflate(packed []byte, registers int) ([]byte, error) {
	table, rest, err := huff0.ReadTable(packed, nil)
	if err != nil {
		return nil, fmt.Errorf("table of the packed registers: %w", err)
	}
	regs, err := table.Decoder().Decompress4X(make([]byte, 0, registers), rest)
	if err != nil {
		return nil, fmt.Errorf("packed registers: %w", err)
	}
	if len(regs) != registers {
		return nil, fmt.Errorf("packed registers: %d of %d", len(regs), registers)
	}
	return regs, nil
}
