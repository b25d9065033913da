package scope

import (
	"math"
	"math/bits"

	"github.com/cespare/xxhash/v2"
)

// Part is a range of hashes of sites, both ends included.
type Part struct{ From, To uint64 }

var WholeTable = Part{0, math.MaxUint64}

func (p Part) has(hash uint64) bool { return p.From <= hash && hash <= p.To }

// First reports whether the part is the first of all, which answers for what belongs to no site.
func (p Part) First() bool { return p.From == 0 }

// After returns the part that a pass over p leaves to the next, which is about as large as p was: what it can hold.
func (p Part) After() Part {
	size := p.To - p.From
	next := Part{p.To + 1, math.MaxUint64}
	if room := next.To - next.From; size < room/2 {
		next.To = next.From + size + size/4
	}
	return next
}

// SiteHash says in which part a site is.
func SiteHash[T ~string | ~[]byte](site T) uint64 { return xxhash.Sum64String(string(site)) }

// Sampled reports whether a share of all sites, 0 to 1, includes the one of a hash: it is always the same sites that a share does. It does
// not go by the same bits as parts do.
func Sampled(hash uint64, share float64) bool {
	mixed, _ := bits.Mul64(bits.Reverse64(hash)*0x9e3779b97f4a7c15, 1<<53)
	return float64(mixed) < share*(1<<53)
}
