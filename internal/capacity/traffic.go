package capacity

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// visit is a session of the drawn traffic, and what a worker knows of it.
type visit struct {
	begin       float64 // seconds since the beginning of the hour
	partition   int     // of those that the site's events lie in
	visitor     uint64  // a hash
	user        bool
	sessionless bool
	first       [len(sinks.DimensionAttrs)]string // what its events say in each dimension but the page, which is each event's own
	entry, exit string                            // pages; "" before its first event
	events      int                               // so far
	last        float64                           // when the last of them was
	step        int                               // of the stats lane that touched it last; -1: none
}

// booked reports whether the visit lies in the hour's buckets, which is where it began.
func (v *visit) booked() bool { return within(v.begin) }

// within reports whether an instant lies in the hour.
func within(at float64) bool { return at >= 0 && at < hourSeconds }

const hourSeconds = 3600

// event is an event of the drawn traffic.
type event struct {
	at   float64 // seconds since the beginning of the hour
	of   *visit
	page string
}

// traffic draws what comes to one site.
type traffic struct {
	w      *Workload
	rate   float64 // events an hour, of the site
	spread int     // partitions that they lie in
	rng    *rand.Rand

	pages, cities, countries, devices, browsers, systems *rand.Zipf
}

// zipfExponent of pages, places and programs: the first of a thousand pages has a fifth of all views.
const zipfExponent = 1.1

// Countries, devices, browsers and systems of a site in an hour. Pages and cities are the workload's: they are what makes
// breakdowns large.
const (
	countries = 16
	devices   = 3
	browsers  = 6
	systems   = 5
)

func newTraffic(w *Workload, rate float64, spread int) *traffic {
	t := &traffic{w: w, rate: rate, spread: spread, rng: rand.New(rand.NewPCG(1, 2))}
	law := func(n int) *rand.Zipf { return rand.NewZipf(t.rng, zipfExponent, 2, uint64(n-1)) }
	t.pages, t.cities = law(w.Pages), law(w.Cities)
	t.countries, t.devices, t.browsers, t.systems = law(countries), law(devices), law(browsers), law(systems)
	return t
}

// hour draws the events of an hour in the order of their times: those of sessions that begin in it, to their ends, and
// those of sessions that have begun before, as far as they lie in it.
func (t *traffic) hour() []event {
	every := hourSeconds * t.w.EventsPerSession / t.rate // seconds from one session to the next
	longest := 1.5 * t.w.Think.Seconds() * t.w.EventsPerSession
	var events []event
	next := func(at float64) float64 {
		if t.w.Even {
			return at + every
		}
		return at + every*t.rng.ExpFloat64()
	}
	first := next(-longest)
	if t.w.Even {
		first -= every * t.rng.Float64()
	}
	for at := first; at < hourSeconds; at = next(at) {
		v := t.visit(at)
		for n := t.length(); n > 0; n-- {
			if v.booked() || within(at) {
				events = append(events, event{at, v, fmt.Sprintf("/articles/page-%d", t.pages.Uint64())})
			}
			at += t.w.Think.Seconds() * (0.5 + t.rng.Float64())
		}
		at = v.begin
	}
	slices.SortStableFunc(events, func(a, b event) int {
		switch {
		case a.at < b.at:
			return -1
		case a.at > b.at:
			return 1
		}
		return 0
	})
	return events
}

// length draws how many events a session has: one of the two whole numbers beside the mean.
func (t *traffic) length() int {
	n := int(t.w.EventsPerSession)
	if t.rng.Float64() < t.w.EventsPerSession-float64(n) {
		n++
	}
	return n
}

// visit draws a session. Its visitor is one of so many as an hour's sessions make at the workload's sessions a visitor.
func (t *traffic) visit(begin float64) *visit {
	pool := max(1, uint64(t.rate/t.w.EventsPerSession/t.w.SessionsPerVisitor))
	visitor := t.rng.Uint64N(pool)
	v := &visit{begin: begin, step: -1, visitor: scramble(visitor), partition: int(visitor % uint64(t.spread)),
		user: t.rng.Float64() < t.w.Users, sessionless: t.rng.Float64() < t.w.Sessionless}
	v.first[sketch.Hostname] = "www." + site
	v.first[sketch.Country] = string([]byte{'A' + byte(t.countries.Uint64()), 'X'})
	v.first[sketch.City] = fmt.Sprintf("city-%d", t.cities.Uint64())
	v.first[sketch.Device] = fmt.Sprintf("device-%d", t.devices.Uint64())
	v.first[sketch.Browser] = fmt.Sprintf("browser-%d", t.browsers.Uint64())
	v.first[sketch.OS] = fmt.Sprintf("system-%d", t.systems.Uint64())
	for d, value := range origins[t.rng.IntN(len(origins))] {
		v.first[d] = value
	}
	return v
}

// origins are where visits come from: from searching, from links, by campaigns, or by themselves.
var origins = []map[sketch.Dimension]string{
	{sketch.Referrer: "Google", sketch.Channel: "Organic Search"},
	{sketch.Referrer: "search.example", sketch.Channel: "Referral"},
	{sketch.Referrer: "news.example", sketch.Channel: "Referral"},
	{sketch.Channel: "Email", sketch.Source: "newsletter", sketch.Medium: "email", sketch.Campaign: "spring"},
	{sketch.Referrer: "Twitter", sketch.Channel: "Paid Social", sketch.Source: "social", sketch.Medium: "cpc", sketch.Term: "shoes"},
}

// scramble makes numbers that follow each other hashes that do not: the finalizer of SplitMix64.
func scramble(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// id is an id of so many bytes.
func id(bytes int) string { return strings.Repeat("x", bytes) }
