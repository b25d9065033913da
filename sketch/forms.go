package sketch

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/klauspost/compress/huff0"
)

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

// denseHeaderBytes are what axiomhq puts before its registers.
const denseHeaderBytes = 8

// appendDense appends what axiomhq marshals for these registers.
func (u *Uniques) appendDense(b []byte) []byte {
	b = append(b, 2, byte(u.Precision()), 0, 0)
	regs := u.registers()
	b = binary.BigEndian.AppendUint32(b, uint32(len(regs)))
	return append(b, regs...)
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
