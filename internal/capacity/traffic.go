package capacity

import (
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	dimensions "github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/event"
)

// visit is a session of the drawn traffic.
type visit struct {
	partition int
	says      event.Event // what all of its events say
	query     string      // of the urls of its events
}

// pageView is an event of the drawn traffic.
type pageView struct {
	at   float64 // seconds since the first hour began
	of   *visit
	page uint64
}

// event is the page view as a decoder returns it.
func (v *pageView) event() event.Event {
	e := v.of.says
	e.Timestamp = instant(v.at)
	e.URL = pageURL(v.page, v.of.query)
	return e
}

// pageURL is the address of a page of the site.
func pageURL(page uint64, query string) []byte {
	const before = "https://www." + site + "/articles/page-"
	url := strconv.AppendUint(append(make([]byte, 0, len(before)+20+1+len(query)), before...), page, 10)
	return append(append(url, '?'), query...)
}

// instant is an instant of the simulated hours, in milliseconds since the epoch.
func instant(at float64) int64 { return firstHour + int64(1000*at) }

const (
	hourSeconds = 3600
	firstHour   = 1_778_544_000_000 // 12 May 2026
	// site is a typical siteId.
	site = "site-1.example"
)

// traffic draws what comes to one site.
type traffic struct {
	w          *Workload
	rate       float64 // events an hour, of the site
	partitions int     // that they lie in
	rng        *rand.Rand
	sessions   uint64 // drawn so far

	pages, cities                    *rand.Zipf
	country, device, browser, system func() []byte
}

// zipfExponent of pages, places and programs: the first of a thousand pages has a fifth of all views.
const zipfExponent = 1.1

// What visitors of a site differ by, the most frequent first. Pages and cities are the workload's: they are what makes breakdowns
// large.
var (
	countries = []string{"DE", "US", "FR", "GB", "IN", "BR", "JP", "NL", "ES", "IT", "PL", "CA", "AU", "SE", "AT", "CH"}
	devices   = []string{"desktop", "mobile", "tablet"}
	browsers  = []string{"Chrome", "Safari", "Firefox", "Edge", "Opera", "Samsung Internet"}
	systems   = []string{"Windows", "Android", "iOS", "macOS", "Linux"}
)

func newTraffic(w *Workload, rate float64, partitions int) *traffic {
	t := &traffic{w: w, rate: rate, partitions: partitions, rng: rand.New(rand.NewPCG(1, 2))}
	t.pages, t.cities = t.law(w.Pages), t.law(w.Cities)
	t.country, t.device, t.browser, t.system = t.one(countries), t.one(devices), t.one(browsers), t.one(systems)
	return t
}

// law draws numbers below n by Zipf's law.
func (t *traffic) law(n int) *rand.Zipf { return rand.NewZipf(t.rng, zipfExponent, 2, uint64(n-1)) }

// one draws one of a list.
func (t *traffic) one(list []string) func() []byte {
	law := t.law(len(list))
	return func() []byte { return []byte(list[law.Uint64()]) }
}

// draw returns the page views of some hours and of their run-up, in the order of their times: those of sessions that begin in this time,
// to their ends, and, of sessions that have begun before and continue in it, the first and those in this time.
func (t *traffic) draw(hours int) (all []pageView) {
	end := float64(hours * hourSeconds)
	every := hourSeconds * t.w.EventsPerSession / t.rate // seconds from one session to the next
	next := func(at float64) float64 {
		if t.w.Even {
			return at + every
		}
		return at + every*t.rng.ExpFloat64()
	}
	start := -t.w.runUp()
	first := next(start - 1.5*t.w.Think.Seconds()*t.w.EventsPerSession)
	if t.w.Even {
		first -= every * t.rng.Float64()
	}
	for begin := first; begin < end; begin = next(begin) {
		v := t.visit(begin)
		from := len(all)
		at := begin
		for n := range t.length() {
			if n == 0 || begin >= start || at >= start && at < end {
				all = append(all, pageView{at, v, t.pages.Uint64()})
			}
			at += t.w.Think.Seconds() * (0.5 + t.rng.Float64())
		}
		if all[len(all)-1].at < start {
			all = all[:from]
		}
	}
	slices.SortStableFunc(all, func(a, b pageView) int { return cmp.Compare(a.at, b.at) })
	return all
}

// runUp is how many seconds are drawn before the hours that are counted. Visits join sessions and so reach far into the next hour: the one
// before the first hour is drawn whole, so that its items have the size that they have at the end of an hour.
func (v *Visits) runUp() float64 {
	if v.Sessionless > 0 {
		return hourSeconds
	}
	return 0
}

// length draws how many events a session has: one of the two whole numbers beside the mean.
func (t *traffic) length() int {
	n := int(t.w.EventsPerSession)
	if t.rng.Float64() < t.w.EventsPerSession-float64(n) {
		n++
	}
	return n
}

// visit draws a session. Its visitor is one of as many as an hour's sessions have at the workload's sessions per visitor. Each visitor
// comes in an hour of their own: these begin at all minutes, so visits pass over the hours of the clock.
func (t *traffic) visit(begin float64) *visit {
	pool := max(1, uint64(t.rate/t.w.EventsPerSession/t.w.SessionsPerVisitor))
	number := t.rng.Uint64N(pool)
	const before = 1000 // hours, which no session lasts
	visitor := uint64(begin/hourSeconds+before+float64(number)/float64(pool))*pool + number
	v := &visit{partition: int(number % uint64(t.partitions))}
	v.says = event.Event{SiteID: []byte(site), Type: []byte("page_view"), VisitorID: id(t.w.IDBytes, visitor)}
	if t.rng.Float64() < t.w.Users {
		v.says.UserID = id(min(t.w.IDBytes, 12), visitor)
	}
	if t.rng.Float64() >= t.w.Sessionless {
		v.says.SessionID = id(t.w.SessionID, t.sessions)
		t.sessions++
	}
	given := &v.says.Given
	given[dimensions.GivenCity] = strconv.AppendUint([]byte("city-"), t.cities.Uint64(), 10)
	given[dimensions.GivenCountry], given[dimensions.GivenDevice], given[dimensions.GivenBrowser], given[dimensions.GivenOS] = t.country(),
		t.device(),
		t.browser(), t.system()
	if t.w.Properties > 0 {
		v.says.Properties = t.properties()
	}
	from := origins[t.rng.IntN(len(origins))]
	v.query = from.query
	if from.referrer != "" {
		v.says.Referrer = []byte(from.referrer)
	}
	return v
}

// propertyValues is how many values each chosen property has.
const propertyValues = 20

// properties draws what the events of a session say in the properties that the site has chosen.
func (t *traffic) properties() []byte {
	object := []byte("{")
	for i, p := range t.w.chosen() {
		if i > 0 {
			object = append(object, ',')
		}
		object = fmt.Appendf(object, "%q:\"value-%d\"", p.Key, t.rng.Uint64N(propertyValues))
	}
	return append(object, '}')
}

// chosen are the properties that a site has chosen.
func (w *Workload) chosen() (all []sites.Property) {
	for i := range w.Properties {
		all = append(all, sites.Property{Key: fmt.Sprintf("property-%d", i+1), N: uint64(i + 1)})
	}
	return all
}

// origins are where visits come from: from searching, from links, by campaigns, or by themselves.
var origins = []struct{ referrer, query string }{
	{"https://www.google.com/", ""},
	{"https://search.example/", ""},
	{"https://news.example/story", ""},
	{"", "utm_source=newsletter&utm_medium=email&utm_campaign=spring"},
	{"https://t.co/x", "utm_source=social&utm_medium=cpc&utm_term=shoes"},
}

// uuidBytes is how long UUIDs are.
const uuidBytes = 36

// id returns the number in base 36, padded to a number of bytes, or a UUID where that has as many. It is longer where the number has more
// digits.
func id(bytes int, number uint64) []byte { return appendID(make([]byte, 0, bytes), bytes, number) }

// appendID appends an id.
func appendID(b []byte, bytes int, number uint64) []byte {
	if bytes == uuidBytes {
		hash := number * 0x9e3779b97f4a7c15
		return appendUUID(b, hash, 8<<60|hash>>12&0xfff<<48|number)
	}
	digits := strconv.FormatUint(number, 36)
	for range bytes - len(digits) {
		b = append(b, 'x')
	}
	return append(b, digits...)
}

// appendUUID appends a UUID of version 4 with these bits.
func appendUUID(b []byte, high, low uint64) []byte {
	raw := make([]byte, 16)
	binary.BigEndian.PutUint64(raw, high&^(0xf<<12)|4<<12)
	binary.BigEndian.PutUint64(raw[8:], low)
	for _, part := range [][]byte{raw[:4], raw[4:6], raw[6:8], raw[8:10]} {
		b = append(hex.AppendEncode(b, part), '-')
	}
	return hex.AppendEncode(b, raw[10:])
}
