package sketch

import (
	"bytes"
	"fmt"

	"github.com/klauspost/compress/s2"
)

// PackBreakdown returns the breakdown's bytes compressed, as items keep them: a block of S2, Snappy's successor in
// klauspost/compress. Zstandard would save a tenth more and keep a megabyte of tables for each partition.
func PackBreakdown(b *Breakdown) ([]byte, error) {
	var p Packer
	return p.Pack(b)
}

// Packer packs breakdowns one after the other, and keeps the room that one takes for the next. The zero value is ready.
// Not safe for concurrent use.
type Packer struct{ plain, packed []byte }

// Pack returns what PackBreakdown does.
func (p *Packer) Pack(b *Breakdown) ([]byte, error) {
	packed, err := p.PackShared(b)
	return bytes.Clone(packed), err
}

// PackShared is Pack, but the bytes are the Packer's: the next call overwrites them.
func (p *Packer) PackShared(b *Breakdown) ([]byte, error) {
	plain, err := b.AppendBinary(p.plain[:0])
	if err != nil {
		return nil, err
	}
	p.plain = plain
	p.packed = s2.EncodeBetter(p.packed, plain)
	return p.packed, nil
}

// UnpackBreakdown makes b what PackBreakdown was given. On an error b is what it was before. What it allocates is bounded
// by a multiple of maxPlainBytes, whatever the bytes claim to hold.
func UnpackBreakdown(packed []byte, b *Breakdown) error {
	size, err := s2.DecodedLen(packed)
	if err == nil && size > maxPlainBytes {
		err = fmt.Errorf("%d bytes unpacked: more than %d", size, maxPlainBytes)
	}
	var plain []byte
	if err == nil {
		plain, err = s2.Decode(nil, packed)
	}
	if err != nil {
		return fmt.Errorf("breakdown: %w", err)
	}
	return b.UnmarshalBinary(plain)
}

// maxPlainBytes is well above what Trim allows.
const maxPlainBytes = 512 << 10
