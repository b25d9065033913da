package verify

import (
	"math"
	"math/bits"
	"slices"

	"github.com/cespare/xxhash/v2"
)

// A recount of everything need not fit into memory. Run works in passes, each over the whole log and over the sites whose hash
// lies in a part of all hashes: what is kept of other sites is who was admitted, and what may be repeated. A pass begins with
// all that is left and gives up the sites at the end of its part whenever what it keeps would pass the bound; the next pass
// begins there. So no estimate is needed, nothing is written to disk, and each pass is a comparison by itself: that is what
// --resume goes by. Reading the log again costs the brokers and the network more than sorted files on disk would cost the disk;
// a tenth of the records are folded twice.

// part is a range of hashes of sites, both ends included.
type part struct{ from, to uint64 }

var wholeTable = part{0, math.MaxUint64}

func (p part) has(hash uint64) bool { return p.from <= hash && hash <= p.to }

// first reports whether the part is the first of all, which answers for what belongs to no site.
func (p part) first() bool { return p.from == 0 }

// after returns the part that a pass over p leaves to the next, which is about as large as p was: what it can hold.
func (p part) after() part {
	size := p.to - p.from
	next := part{p.to + 1, math.MaxUint64}
	if room := next.to - next.from; size < room/2 {
		next.to = next.from + size + size/4
	}
	return next
}

// siteHash says in which part a site is.
func siteHash[T ~string | ~[]byte](site T) uint64 { return xxhash.Sum64String(string(site)) }

// Sampled reports whether a share of all sites, 0 to 1, includes one: it is always the same sites that a share does.
func Sampled(site string, share float64) bool { return sampled(siteHash(site), share) }

// sampled does not go by the same bits as parts do.
func sampled(hash uint64, share float64) bool {
	mixed, _ := bits.Mul64(bits.Reverse64(hash)*0x9e3779b97f4a7c15, 1<<53)
	return float64(mixed) < share*(1<<53)
}

// ledger knows how many bytes, about, a pass keeps of each site.
type ledger struct {
	bound int64 // 0: none
	alive int64
	most  int64 // that were alive
	sites map[string]int64
}

// About how many bytes the recount keeps of things, their places in maps included.
const (
	weighRaw        = 166
	weighSighting   = 90 // another record of a raw event
	weighSession    = 1100
	weighVisitor    = 450
	weighArrival    = 250
	weighHour       = 700
	weighHash       = 20 // of a visitor, in an hour
	weighBreakdown  = 6000
	weighBytes      = 4 // of each byte that a breakdown takes in the table, before compression
	weighMinute     = 3000
	weighExpired    = 40
	weighOpening    = 60
	weighListing    = 80
	weighConversion = 600
)

func (l *ledger) grow(site string, bytes int64) {
	l.sites[site] += bytes
	l.alive += bytes
	l.most = max(l.most, l.alive)
}

func (l *ledger) full() bool { return l.bound > 0 && l.alive > l.bound }

func (l *ledger) drop(site string) {
	l.alive -= l.sites[site]
	delete(l.sites, site)
}

// giveUp makes the part smaller until what is kept is half of the bound, and forgets the sites that are no longer in it. A part
// of one site stays as it is.
func (v *model) giveUp() {
	sites := make([]string, 0, len(v.ledger.sites))
	for site := range v.ledger.sites {
		sites = append(sites, site)
	}
	slices.SortFunc(sites, func(a, b string) int {
		if siteHash(a) < siteHash(b) {
			return -1
		}
		return 1
	})
	for len(sites) > 1 && v.ledger.alive > v.ledger.bound/2 {
		last := sites[len(sites)-1]
		sites = sites[:len(sites)-1]
		v.ledger.drop(last)
		v.forget(last)
	}
	if len(sites) > 0 {
		v.hashes.to = min(v.hashes.to, siteHash(sites[len(sites)-1]))
	}
	if len(sites) == 1 && v.ledger.alive > v.ledger.bound/2 {
		v.ledger.bound = 0 // It is all of one site.
	}
}

// forget lets go what is kept of a site. Who was admitted stays: other sites depend on it.
func (v *model) forget(site string) {
	delete(v.raw.sites, site)
	for _, c := range v.chains {
		if c.stats != nil {
			delete(c.stats.sites, site)
		} else {
			delete(c.realtime.sites, site)
		}
	}
}
