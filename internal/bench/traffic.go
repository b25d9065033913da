package main

import (
	"container/heap"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// load says what traffic is made: sessions that begin one after the other, evenly spaced, on sites of equal size,
// and whose events interleave as those of many visitors do.
type load struct {
	sites      int
	partitions int32
	hourly     int           // events an hour, of all sites together
	script     []string      // the types of a session's events, in order
	think      time.Duration // between two events of a session, on average

	sessionless bool                // events have no sessionId: a visitor's are visits
	agents      int                 // different user agents, without fields of device, browser and system; 0: one, and the fields
	dimensions  int                 // how many of the fields that breakdowns count are given; 0: all
	settings    checkpoint.Settings // zero: the default ones
	interval    time.Duration       // between two flushes of the stats lane; 0: the default one
	realtimeMax time.Duration       // the longest between two of the realtime lane; 0: the default one
	limits      pipeline.Limits     // zero: the default ones
	then        func(sinks.Table)   // looks at the table in the end; nil: nothing does
}

var (
	// readers view three pages and leave: the sessions of the loads that write units are told for.
	readers = []string{"page_view", "page_view", "page_view"}
	// clickers are what CPU is measured with: interactive events between the page views.
	clickers = []string{"page_view", "click", "page_view", "click", "page_view"}
)

// traffic makes the records of a load, in the order of their times. It reads no clock and is the same every time.
type traffic struct {
	load
	start    time.Time
	rng      *rand.Rand
	sessions int // begun
	pending  events
}

// event is one event of a session that has begun.
type event struct {
	at      time.Time
	session int // its number; everything else follows from it
	step    int // its place in the session's script
}

// events are a heap by time.
type events []event

func (q events) Len() int           { return len(q) }
func (q events) Less(i, j int) bool { return q[i].at.Before(q[j].at) }
func (q events) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *events) Push(x any)        { *q = append(*q, x.(event)) }
func (q *events) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}

func newTraffic(l load, start time.Time) *traffic {
	return &traffic{load: l, start: start.Truncate(time.Millisecond), rng: rand.New(rand.NewPCG(1, 2))}
}

// begins returns when a session begins.
func (t *traffic) begins(session int) time.Time {
	return t.start.Add(time.Duration(float64(session) * float64(len(t.script)) * float64(time.Hour) / float64(t.hourly)))
}

// next returns the next record. Its timestamp is the event's time.
func (t *traffic) next(topic string) *kgo.Record {
	for len(t.pending) == 0 || !t.begins(t.sessions).After(t.pending[0].at) {
		heap.Push(&t.pending, event{t.begins(t.sessions), t.sessions, 0})
		t.sessions++
	}
	e := t.pending[0]
	if e.step+1 < len(t.script) {
		pause := t.think/2 + upTo(t.rng, t.think)
		t.pending[0] = event{e.at.Add(pause), e.session, e.step + 1}
		heap.Fix(&t.pending, 0)
	} else {
		heap.Pop(&t.pending)
	}
	return t.record(topic, e)
}

// upTo draws a span from 0 to d.
func upTo(rng *rand.Rand, d time.Duration) time.Duration {
	return time.Duration(rng.Int64N(int64(d) + 1))
}

// Shares: a visitor has so many sessions an hour, and one visitor in so many has logged in.
const (
	sessionsPerVisitor = 1.25
	visitorsPerUser    = 5
)

// What visitors differ by, for breakdowns: what comes first is had most often.
var (
	countries = []string{"DE", "US", "FR", "GB", "IN", "BR", "JP", "NL", "ES", "IT", "PL", "CA", "AU", "SE", "AT", "CH"}
	devices   = []string{"desktop", "mobile", "tablet"}
	browsers  = []string{"Chrome", "Safari", "Firefox", "Edge", "Opera", "Samsung Internet"}
	systems   = []string{"Windows", "Android", "iOS", "macOS", "Linux"}
	origins   = []struct{ referrer, query string }{
		{"https://www.google.com/", "ref=top"}, {"https://search.example/", "ref=newsletter"}, {"https://news.example/story", ""},
		{"", "utm_source=newsletter&utm_medium=email&utm_campaign=spring"}, {"https://t.co/x", "utm_source=social&utm_medium=cpc&utm_term=shoes"},
	}
)

// pick draws one of a list, the first most often.
func pick(rng *rand.Rand, list []string) string { return list[upToZipf(rng, len(list))] }

// upToZipf draws a number below n, by Zipf's law with the exponent 1.1.
func upToZipf(rng *rand.Rand, n int) int {
	return int(rand.NewZipf(rng, 1.1, 2, uint64(n-1)).Uint64())
}

// record spells the event: some 530 bytes with every field that a browser's tracker sends.
func (t *traffic) record(topic string, e event) *kgo.Record {
	// Numbers that look drawn but follow from the session's: the same in whatever order sessions are asked for.
	draw := rand.New(rand.NewPCG(uint64(e.session), 3))
	site := e.session % t.sites
	hourlySessions := float64(t.hourly) / float64(len(t.script)*t.sites)
	pool := max(1, int(hourlySessions/sessionsPerVisitor))
	visitor := draw.IntN(pool)
	hour := t.begins(e.session).Sub(t.start).Hours() + float64(visitor)/float64(pool) // Each visitor comes in an hour of their own.
	visitor += int(hour) * pool
	who := uuid(visitorIDs, uint64(site)<<32|uint64(visitor))
	partition := visitor // A site on its own is spread by its visitors.
	name := "site-" + strconv.Itoa(site)
	if t.sites > 1 {
		h := fnv.New32a()
		h.Write([]byte(name))
		partition = int(h.Sum32() >> 1)
	}
	page := upToZipf(rand.New(rand.NewPCG(uint64(e.session), uint64(3+t.page(e.step)))), 1000)
	b := make([]byte, 0, 512)
	b = fmt.Appendf(b, `{"siteId":%q,"type":%q,"timestamp":%q,"id":%q,"visitorId":%q`, name,
		t.script[e.step], e.at.UTC().Format("2006-01-02T15:04:05.000Z"), uuid(eventIDs, uint64(e.session)<<8|uint64(e.step)), who)
	if !t.sessionless {
		b = fmt.Appendf(b, `,"sessionId":%q`, uuid(sessionIDs, uint64(e.session)))
	}
	if visitor%visitorsPerUser == 0 {
		b = fmt.Appendf(b, `,"userId":"user-%d"`, visitor)
	}
	for _, f := range t.fields(draw, name, page, visitor) {
		if t.dimensions == 0 || f.rank < t.dimensions {
			b = fmt.Appendf(b, `,"%s":"%s"`, f.name, f.text)
		}
	}
	b = fmt.Appendf(b, `,"properties":{"plan":"free","scroll":%d}}`, page%100)
	return &kgo.Record{Topic: topic, Partition: int32(partition) % t.partitions, Key: []byte(name), Value: b, Timestamp: e.at}
}

// field is a field of an event that breakdowns count, or that what they count is derived from.
type field struct {
	rank       int // of load.dimensions
	name, text string
}

// fields draws what an event says about its page and its visitor, in the order in which they are spelled.
func (l load) fields(draw *rand.Rand, site string, page, visitor int) []field {
	from := origins[draw.IntN(len(origins))]
	list := []field{
		{0, "url", fmt.Sprintf("https://www.%s.example/articles/page-%d?%s", site, page, from.query)},
		{3, "referrer", from.referrer}, {7, "title", fmt.Sprintf("The title of page %d", page)}, {7, "userAgent", l.agent(visitor)},
		{1, "country", pick(draw, countries)}, {2, "city", fmt.Sprintf("city-%d", upToZipf(draw, 400))},
	}
	if l.agents == 0 {
		list = append(list, field{4, "device", pick(draw, devices)}, field{5, "browser", pick(draw, browsers)},
			field{6, "os", pick(draw, systems)})
	}
	return list
}

// agent returns the user agent of a visitor.
func (l load) agent(visitor int) string {
	if l.agents == 0 {
		return "Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/128.0"
	}
	n := visitor % l.agents
	return fmt.Sprintf(agents[n%len(agents)], n/len(agents))
}

// agents are user agents but for their version.
var agents = []string{
	"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.%d.0 Safari/537.36",
	"Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/121.0.%d.0 Mobile Safari/537.36",
	"Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.%d Mobile/15E148 Safari/604.1",
	"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.2.%d Safari/605.1.15",
	"Mozilla/5.0 (X11; Linux x86_64; rv:128.%d) Gecko/20100101 Firefox/128.0",
	"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36 Edg/120.0.%d.0",
}

// page returns which page of its session an event is on, from 1: each page view is of another one.
func (l load) page(step int) (n int) {
	for _, kind := range l.script[:step+1] {
		if kind == "page_view" {
			n++
		}
	}
	return n
}

// What has ids.
const (
	eventIDs = iota
	visitorIDs
	sessionIDs
)

// uuid makes the id that follows from a number, like the random UUIDs of trackers: version 4, with 122 bits that nothing shortens.
func uuid(of, number uint64) string {
	low := scramble(number + of<<60)
	high := scramble(low)
	return fmt.Sprintf("%08x-%04x-4%03x-%04x-%012x", high>>32, high>>16&0xffff, high&0xfff, low>>48&0x3fff|0x8000, low&(1<<48-1))
}

// scramble is the finalizer of SplitMix64: numbers that follow each other become ids that do not.
func scramble(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
