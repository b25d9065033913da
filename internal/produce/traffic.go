package produce

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// Config says what synthetic traffic looks like. The zero value is 10 sites, seed 0, nothing odd.
type Config struct {
	Sites   int    // how many, 1 to MaxSites; 0: 10. Their sizes are skewed: the n-th gets 1/n of the first's visits
	Seed    uint64 // same seed, same traffic
	Buckets int    // keys are siteId#0 to siteId#(Buckets-1); 0 and 1: siteId alone

	// Shares of the records, 0 to 1, that are odd on purpose.
	Bad        float64 // malformed, one of each kind in turn: the pipeline rejects them
	Duplicates float64 // one of the last records again, byte for byte
	Late       float64 // event time 1 minute to 60 hours back, few of them far: some are too late to be counted
}

// MaxSites bounds the tables that a Traffic holds, about 200 bytes a site.
const MaxSites = 100_000

// Traffic makes synthetic events: sites of skewed sizes; visitors of whom half come back; sessions of a landing
// page, page views, clicks, engagement pings, custom events and purchases; referrers and campaigns; a fifth of the
// visitors logged in; a twentieth of the visits without sessions, as from a tracker without cookies.
//
// It reads no clock and does no I/O: the same Config and the same instants make the same records, byte for byte.
// Visitors keep their ids from run to run of one seed; ids of events and sessions begin with the instant, so a
// later run repeats none. Not safe for concurrent use.
type Traffic struct {
	config Config
	rng    *rand.Rand
	sites  []site
	shares []float64 // cumulative, of the sites
	visits []visit   // going on
	recent []Record  // the last good records, for duplicates
	next   int       // the place in recent of the next
	bad    int       // how many bad records were made

	longMemory bool // visitors also come back after thousands of others
}

// Sums that bound the traffic's state.
const (
	recentRecords = 256              // a duplicate comes this many records after the first at most
	maxVisits     = 4096             // going on at the same time
	visitGap      = 30 * time.Minute // a visit idle for longer is over
)

// NewTraffic makes traffic. Values outside of their range become the nearest inside it.
func NewTraffic(c Config) *Traffic {
	if c.Sites == 0 {
		c.Sites = 10
	}
	c.Sites = min(max(c.Sites, 1), MaxSites)
	t := &Traffic{config: c, rng: rand.New(rand.NewPCG(c.Seed, 0x666f6f7466616c6c))}
	t.sites = make([]site, c.Sites)
	t.shares = make([]float64, c.Sites)
	sum := 0.0
	for i := range t.sites {
		t.sites[i] = newSite(c.Seed, i)
		sum += 1 / float64(i+1)
		t.shares[i] = sum
	}
	return t
}

// Next makes the next record. Its event's time is now, to the millisecond, unless it is late.
func (t *Traffic) Next(now time.Time) Record {
	now = now.UTC().Truncate(time.Millisecond)
	// One draw decides, whatever the shares: turning one on leaves the records between as they are for longest.
	odd := t.rng.Float64()
	if odd < t.config.Duplicates && len(t.recent) > 0 {
		return t.recent[t.rng.IntN(len(t.recent))]
	}
	odd -= t.config.Duplicates
	v := t.visit(now)
	when := now
	if 0 <= odd && odd < t.config.Late {
		when = now.Add(-t.lateness())
	}
	odd -= t.config.Late
	r := v.event(t, when)
	if 0 <= odd && odd < t.config.Bad {
		r = spoil(r, t.bad)
		t.bad++
		return r
	}
	t.remember(r)
	return r
}

// lateness is log-uniform between a minute and 60 hours: half of them are under an hour, one in 37 is over 48 hours.
func (t *Traffic) lateness() time.Duration {
	const least, most = float64(time.Minute), float64(60 * time.Hour)
	return time.Duration(least * math.Pow(most/least, t.rng.Float64())).Truncate(time.Millisecond)
}

func (t *Traffic) remember(r Record) {
	if t.config.Duplicates <= 0 {
		return
	}
	if len(t.recent) < recentRecords {
		t.recent = append(t.recent, r)
		return
	}
	t.recent[t.next] = r
	t.next = (t.next + 1) % recentRecords
}

// visit picks the visit that the next event belongs to: one that goes on, or a new one. About four a site go on at
// the same time, so at any rate each visit has its events spread over many others'.
func (t *Traffic) visit(now time.Time) *visit {
	going := min(4*len(t.sites)+4, maxVisits)
	for len(t.visits) > 0 && t.rng.IntN(going) < len(t.visits) {
		i := t.rng.IntN(len(t.visits))
		v := &t.visits[i]
		if v.left > 0 && now.Sub(v.last) <= visitGap {
			v.left--
			v.last = now
			return v
		}
		last := len(t.visits) - 1
		t.visits[i] = t.visits[last]
		t.visits = t.visits[:last]
	}
	i, _ := slices.BinarySearch(t.shares, t.rng.Float64()*t.shares[len(t.shares)-1])
	t.visits = append(t.visits, t.begin(&t.sites[min(i, len(t.sites)-1)], now))
	return &t.visits[len(t.visits)-1]
}

// Validate names the first value that is outside of its range.
func (c Config) Validate() error {
	if c.Sites < 0 || c.Sites > MaxSites {
		return fmt.Errorf("--sites %d: choose 1 to %d", c.Sites, MaxSites)
	}
	shares := []struct {
		name  string
		value float64
	}{{"bad", c.Bad}, {"duplicates", c.Duplicates}, {"late", c.Late}}
	sum := 0.0
	for _, s := range shares {
		if !(s.value >= 0 && s.value <= 1) { // So that NaN is outside.
			return fmt.Errorf("--%s %v: choose a share from 0 to 1", s.name, s.value)
		}
		sum += s.value
	}
	if sum > 1 {
		return fmt.Errorf("--bad, --duplicates and --late add up to %v: their sum must be at most 1", sum)
	}
	return nil
}
