package recount

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
