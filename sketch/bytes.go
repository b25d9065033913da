package sketch

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"math/bits"

	"github.com/footfall/footfall/sinks/int128"
)

const (
	version  = 1
	crcBytes = 4
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// seal appends the CRC of what was appended since from.
func seal(b []byte, from int) []byte {
	return binary.BigEndian.AppendUint32(b, crc32.Checksum(b[from:], castagnoli))
}

// open returns what lies between the version and the CRC, both of which must be right.
func open(b []byte) ([]byte, error) {
	if len(b) < 1+crcBytes {
		return nil, fmt.Errorf("%d bytes are too few", len(b))
	}
	if b[0] != version {
		return nil, fmt.Errorf("version %d is unknown: this program reads version %d, use the one that wrote it", b[0], version)
	}
	body, crc := b[:len(b)-crcBytes], binary.BigEndian.Uint32(b[len(b)-crcBytes:])
	if sum := crc32.Checksum(body, castagnoli); sum != crc {
		return nil, fmt.Errorf("the CRC is %08x, that of the bytes is %08x: they were damaged", crc, sum)
	}
	return body[1:], nil
}

const (
	maxShared = 255
	// maxCount bounds every number in a Top's bytes: sums of two stay far inside 64 bits, and no topic is that long.
	maxCount = 1 << 60
	// maxValueBytes bounds the length of a value: an int holds it wherever there is Go.
	maxValueBytes = 1 << 30
)

// appendValue appends a value. The reader has the one before it.
func appendValue(b []byte, last, value string) []byte {
	shared := sharedPrefix(last, value)
	b = append(b, byte(shared))
	b = binary.AppendUvarint(b, uint64(len(value)-shared))
	return append(b, value[shared:]...)
}

func sharedPrefix(a, b string) int {
	n := min(len(a), len(b), maxShared)
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// appendWide appends a number of 128 bits in zigzag, the high half first.
func appendWide(b []byte, n int128.Int) []byte {
	hi, lo := n.Zigzag()
	return binary.AppendUvarint(binary.AppendUvarint(b, hi), lo)
}

// reader takes apart the bytes of a Top or a Breakdown; its first error stays.
type reader struct {
	b   []byte
	err error
}

var errShort = errors.New("the bytes end too soon")

func (r *reader) number(limit uint64) uint64 {
	n, size := binary.Uvarint(r.b)
	switch {
	case r.err != nil:
		return 0
	case size == 0:
		r.err = errShort
		return 0
	case size < 0 || n > limit:
		r.err = fmt.Errorf("a number above %d", limit)
		return 0
	case size > 1 && n>>(7*(size-1)) == 0:
		r.err = fmt.Errorf("the number %d takes %d bytes: fewer would do", n, size)
		return 0
	}
	r.b = r.b[size:]
	return n
}

// bytes reads n bytes. The result aliases the input.
func (r *reader) bytes(n int) []byte {
	switch {
	case r.err != nil:
		return nil
	case n > len(r.b):
		r.err = errShort
		return nil
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

// value reads a value; last is the one before it.
func (r *reader) value(last string) string {
	first := r.bytes(1)
	rest := r.bytes(int(r.number(maxValueBytes)))
	if r.err != nil {
		return ""
	}
	shared := int(first[0])
	if shared > len(last) {
		r.err = fmt.Errorf("it shares %d bytes with %q", shared, last)
		return ""
	}
	value := last[:shared] + string(rest)
	if shared != sharedPrefix(last, value) {
		r.err = fmt.Errorf("%q shares %d bytes with %q, not %d", value, sharedPrefix(last, value), last, shared)
	}
	return value
}

func (r *reader) wide() int128.Int {
	hi := r.number(math.MaxUint64)
	return int128.Unzigzag(hi, r.number(math.MaxUint64))
}

// varint reads a number of either sign.
func (r *reader) varint() int64 {
	n := r.number(math.MaxUint64)
	return int64(n>>1) ^ -int64(n&1)
}

// optionalBytes returns how many bytes a number takes that is left out when it is 0.
func optionalBytes(n int64) int {
	if n == 0 {
		return 0
	}
	return uvarintBytes(uint64(n))
}

// growth returns how many bytes more the number takes than the one before it, where 0 takes none.
func growth(n int64) int {
	if n&(n-1) != 0 { // lengths change at powers of 2 alone
		return 0
	}
	return uvarintBytes(uint64(n)) - optionalBytes(n-1)
}

func uvarintBytes(n uint64) int { return (bits.Len64(n|1) + 6) / 7 }

func varintBytes(n int64) int { return uvarintBytes(uint64(n)<<1 ^ uint64(n>>63)) }
