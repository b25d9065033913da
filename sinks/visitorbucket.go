package sinks

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// A VisitorBucket is the visitors whose hashes, see VisitorHash, begin with the same bits. The zero value is all visitors.
type VisitorBucket struct {
	Depth int // how many bits, 0 to MaxVisitorDepth
	Bits  int // these bits, less than 1<<Depth
}

const (
	// MaxVisitorDepth is the depth of the smallest buckets. There are 256 of these.
	MaxVisitorDepth = 8

	// perVisitorBucket is how many sessions a bucket has at least, on average. Each takes 28 bytes, so 16 to 32 mostly lie within one
	// write unit.
	perVisitorBucket = 16
)

// VisitorDepth returns the depth of the buckets of n sessions that are listed together.
func VisitorDepth(n int) int {
	return min(max(0, bits.Len(uint(n/perVisitorBucket))-1), MaxVisitorDepth)
}

// VisitorBucketOf returns the bucket of a visitor's hash at a depth.
func VisitorBucketOf(hash uint64, depth int) VisitorBucket {
	return VisitorBucket{depth, int(hash >> (64 - depth))} // At depth 0 the shift leaves nothing.
}

// Has reports whether the bucket has the visitor of a hash.
func (b VisitorBucket) Has(hash uint64) bool { return VisitorBucketOf(hash, b.Depth) == b }

// String spells the bucket as keys do: 0, or 3-5.
func (b VisitorBucket) String() string { return string(b.append(nil)) }

func (b VisitorBucket) append(key []byte) []byte {
	if b.Depth == 0 {
		return append(key, '0')
	}
	return strconv.AppendInt(append(strconv.AppendInt(key, int64(b.Depth), 10), '-'), int64(b.Bits), 10)
}

// ParseVisitorBucket reads what String spelled.
func ParseVisitorBucket(s string) (VisitorBucket, error) {
	depth, n, _ := strings.Cut(s, "-")
	d, err1 := strconv.Atoi(depth)
	var err2 error
	var b VisitorBucket
	if b.Depth = d; d > 0 {
		b.Bits, err2 = strconv.Atoi(n)
	}
	if err1 != nil || err2 != nil || d < 0 || d > MaxVisitorDepth || b.Bits < 0 || b.Bits >= 1<<d || b.String() != s {
		return VisitorBucket{}, fmt.Errorf("%q is not a bucket of visitors as in 3-5", s)
	}
	return b, nil
}
