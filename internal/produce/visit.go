package produce

import (
	"encoding/binary"
	"encoding/hex"
	"math"
	"strconv"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/footfall/footfall/internal/eventjson"
)

// site is one site of the traffic.
type site struct {
	id       string
	seed     uint64 // what its visitors' ids and features derive from
	visitors uint64 // the number after that of the last visitor that was seen
	first    uint64 // the number of the first
}

func newSite(seed uint64, i int) site {
	s := site{id: siteID(i)}
	s.seed = mix(seed, xxhash.Sum64String(s.id))
	return s
}

func siteID(i int) string {
	name := "site-" + strconv.Itoa(i+1)
	if i < len(siteNames) {
		name = siteNames[i]
	}
	return name + ".example"
}

// SiteIDs are the ids of the first n sites of the traffic, which have the most of it.
func SiteIDs(n int) []string {
	ids := make([]string, n)
	for i := range ids {
		ids[i] = siteID(i)
	}
	return ids
}

// visit is a visitor on a site for a while.
type visit struct {
	site      *site
	visitor   uint64 // a hash: the visitor's id and features derive from it
	visitorID string
	sessionID string // empty for visitors without sessions
	userID    string // empty until logged in
	arrival   arrival
	page      string // the page last viewed; empty before the first
	left      int    // events to come
	last      time.Time
}

// begin starts a visit. Every second visitor is new; the others come back, the recent ones more often: how far back
// the number lies is exponential, or with longMemory log-uniform over all. Those without sessions do not
// come back: much traffic would make one long visit of theirs, which is a bot's by its rate.
func (t *Traffic) begin(s *site, now time.Time) visit {
	n := s.visitors
	seen := s.visitors - s.first
	back := uint64(t.rng.ExpFloat64() * 50)
	if t.longMemory {
		back = uint64(math.Pow(float64(seen)+1, t.rng.Float64())) - 1
	}
	if seen > 0 && t.rng.IntN(2) == 0 {
		n = s.visitors - 1 - min(back, seen-1)
	}
	h := mix(s.seed, n)
	if n < s.visitors && sessionless(h) {
		n = s.visitors
		h = mix(s.seed, n)
	}
	s.visitors = max(s.visitors, n+1)
	v := visit{site: s, visitor: h, visitorID: "v-" + hexOf(h), arrival: skewed(arrivals, t.rng.Float64()), last: now}
	// A geometric number of events: a third of the visits end with their first page, 3.3 events are the mean.
	v.left = int(math.Log(1-t.rng.Float64()) / math.Log(0.7))
	if !sessionless(h) {
		v.sessionID = "s-" + t.uuid(now)
	}
	if h%5 == 1 && t.rng.IntN(3) > 0 {
		v.userID = "user-" + strconv.FormatUint(h>>8%100_000, 10)
	}
	return v
}

// sessionless reports whether a visitor's events have no sessionId: of one visitor in ten, and so of one visit in twenty.
func sessionless(visitor uint64) bool { return visitor%10 == 0 }

// event makes the visit's next event.
func (v *visit) event(t *Traffic, when time.Time) Record {
	e := eventjson.New(make([]byte, 0, 512), v.site.id, v.kind(t), when)
	e.Text("id", t.uuid(when))
	e.Text("visitorId", v.visitorID)
	e.Text("sessionId", v.sessionID)
	e.Text("userId", v.userID)
	switch e.Kind {
	case "page_view":
		v.browse(t, &e)
	case "click":
		e.Text("url", v.url())
		e.Text("name", skewed(clicks, t.rng.Float64()))
	case "purchase":
		e.Text("url", v.url())
		e.Text("name", "order")
		cents := 199 + int64(t.rng.ExpFloat64()*4000)
		e.Raw("value", strconv.FormatInt(cents/100, 10)+"."+strconv.FormatInt(cents/10%10, 10)+strconv.FormatInt(cents%10, 10))
		e.Raw("properties", `{"currency":"EUR","items":`+strconv.Itoa(1+t.rng.IntN(5))+`,"order":"`+t.uuid(when)+`"}`)
	case "engagement":
		e.Text("url", v.url())
		e.Raw("properties", `{"scroll":`+strconv.Itoa(10*(1+t.rng.IntN(10)))+`}`)
	default:
		e.Text("url", v.url())
		e.Text("name", e.Kind)
	}
	p, a := skewed(places, unit(v.visitor)), skewed(agents, unit(mix(v.visitor, 1)))
	e.Text("userAgent", a.userAgent)
	e.Text("country", p.country)
	e.Text("region", p.region)
	e.Text("city", p.city)
	if v.visitor%2 == 0 { // The other half's trackers leave these to be derived.
		e.Text("device", a.device)
		e.Text("browser", a.browser)
		e.Text("os", a.os)
	}
	return record(&e, v.visitorID, t.config.Buckets, when)
}

// kind draws the type of the visit's next event. A visit begins with a page view.
func (v *visit) kind(t *Traffic) string {
	switch n := t.rng.IntN(100); {
	case v.page == "" || n < 52:
		return "page_view"
	case n < 74:
		return "engagement"
	case n < 91:
		return "click"
	case n < 94:
		return "purchase"
	default:
		return skewed(custom, t.rng.Float64())
	}
}

// browse views a page: a landing page with referrer and campaign, then one that the last page led to.
func (v *visit) browse(t *Traffic, e *eventjson.Writer) {
	from, query := v.arrival.referrer, v.arrival.query
	if v.page != "" {
		from, query = v.url(), ""
	}
	// Pages are ranked by how often they are viewed; the logarithmic draw makes rank r come up about 1/r.
	rank := int(math.Pow(200, t.rng.Float64())) - 1
	v.page = "/"
	title := "Home"
	if rank > 0 {
		section := sections[rank%len(sections)]
		v.page = "/" + section + "/" + strconv.Itoa(rank)
		title = section + " " + strconv.Itoa(rank)
	}
	e.Text("url", v.url()+query)
	e.Text("referrer", from)
	e.Text("title", title+" – "+v.site.id)
}

func (v *visit) url() string { return "https://" + v.site.id + v.page }

// uuid draws a version 7 UUID: the instant in milliseconds, then 74 random bits (RFC 9562).
func (t *Traffic) uuid(when time.Time) string {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:8], uint64(when.UnixMilli())<<16|t.rng.Uint64()&0xfff|7<<12)
	binary.BigEndian.PutUint64(b[8:], t.rng.Uint64()>>2|1<<63)
	s := hex.EncodeToString(b[:])
	return s[:8] + "-" + s[8:12] + "-" + s[12:16] + "-" + s[16:20] + "-" + s[20:]
}

// skewed picks from a list that begins with what is frequent: the square makes the first of n come up 1/sqrt(n) of
// the time.
func skewed[T any](list []T, u float64) T { return list[int(u*u*float64(len(list)))] }

// unit makes a fraction of a hash, below 1.
func unit(h uint64) float64 { return float64(h>>11) / (1 << 53) }

// mix hashes two numbers into one.
func mix(a, b uint64) uint64 {
	var buf [16]byte
	binary.LittleEndian.PutUint64(buf[:8], a)
	binary.LittleEndian.PutUint64(buf[8:], b)
	return xxhash.Sum64(buf[:])
}

func hexOf(h uint64) string {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], h)
	return hex.EncodeToString(b[:])
}
