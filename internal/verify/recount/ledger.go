package recount

import (
	"slices"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/verify/scope"
)

// A recount of everything need not fit into memory. Run works in passes, each over the whole log and over the sites whose hash
// lies in a part of all hashes: what is kept of other sites is who was admitted, and what may be repeated. A pass begins with
// all that is left and gives up the sites at the end of its part whenever what it keeps would pass the bound; the next pass
// begins there. So no estimate is needed, nothing is written to disk, and each pass is a comparison by itself: that is what
// --resume goes by. Reading the log again costs the brokers and the network more than sorted files on disk would cost the disk;
// a tenth of the records are folded twice.

// ledger knows how many bytes, about, a pass keeps of each site.
type ledger struct {
	bound int64 // 0: none
	alive int64
	Most  int64 // that were alive
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
	l.Most = max(l.Most, l.alive)
}

func (l *ledger) full() bool { return l.bound > 0 && l.alive > l.bound }

func (l *ledger) drop(site string) {
	l.alive -= l.sites[site]
	delete(l.sites, site)
}

// giveUp makes the part smaller until what is kept is half of the bound, and forgets the sites that are no longer in it. A part
// of one site stays as it is.
func (v *Model) giveUp() {
	sites := make([]string, 0, len(v.Ledger.sites))
	for site := range v.Ledger.sites {
		sites = append(sites, site)
	}
	slices.SortFunc(sites, func(a, b string) int {
		if scope.SiteHash(a) < scope.SiteHash(b) {
			return -1
		}
		return 1
	})
	for len(sites) > 1 && v.Ledger.alive > v.Ledger.bound/2 {
		last := sites[len(sites)-1]
		sites = sites[:len(sites)-1]
		v.Ledger.drop(last)
		v.forget(last)
	}
	if len(sites) > 0 {
		v.Hashes.To = min(v.Hashes.To, scope.SiteHash(sites[len(sites)-1]))
	}
	if len(sites) == 1 && v.Ledger.alive > v.Ledger.bound/2 {
		v.Ledger.bound = 0 // It is all of one site.
	}
}

// forget lets go what is kept of a site. Who was admitted stays: other sites depend on it.
func (v *Model) forget(site string) {
	delete(v.Raw.Sites, site)
	for _, c := range v.Chains {
		if c.Stats != nil {
			delete(c.Stats.Sites, site)
		} else {
			delete(c.Realtime.Sites, site)
		}
	}
}

// takeAll recounts a record, and gives up sites where that is too much to keep.
func (v *Model) takeAll(k *kgo.Record) error {
	if err := v.take(k); err != nil {
		return err
	}
	v.advanced(1)
	if v.Folding && v.Ledger.full() {
		v.giveUp()
	}
	return nil
}
