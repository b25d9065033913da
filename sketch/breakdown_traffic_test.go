package sketch

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/footfall/footfall/sinks/int128"
)

// call is a call to a Breakdown.
type call struct {
	trim    int // the bytes to trim to; 0: no call of Trim
	booking bool
	d       Dimension
	value   string
	pos     int64
	hit     Hit
	k       Booking
	a       Attention   // not zero: Attend is called instead of Book
	c       Conversions // not zero: Convert is
}

func (c call) to(b *Breakdown) bool {
	switch {
	case c.trim > 0:
		b.Trim(c.trim)
	case c.a != Attention{}:
		return b.Attend(c.value, c.pos, c.a)
	case c.c != Conversions{}:
		return b.Convert(c.d, c.value, c.pos, c.c)
	case c.booking:
		return b.Book(c.d, c.value, c.pos, c.k)
	default:
		b.Event(c.d, c.value, c.pos, c.hit)
	}
	return true
}

// toSpots is to, but counts an event at the spot of the last of its value and visitor while that is there. It returns
// how many it counted so.
func (c call) toSpots(b *Breakdown, spots map[spotKey]Spot) (again int) {
	if c.trim > 0 || c.booking {
		c.to(b)
		return 0
	}
	k := spotKey{c.d, c.value, c.hit.Visitor}
	if b.Again(c.d, spots[k], c.hit) {
		return 1
	}
	spots[k] = b.Event(c.d, c.value, c.pos, c.hit)
	return 0
}

type spotKey struct {
	d       Dimension
	value   string
	visitor uint64
}

func (c call) toNaive(n *naiveBreakdown) bool {
	switch {
	case c.trim > 0:
		n.trim()
	case c.booking:
		return n.book(c.d, c.value, c.pos, c.k, c.a, c.c)
	default:
		n.event(c.d, c.value, c.pos, c.hit)
	}
	return true
}

// traffic draws records as a session's owner feeds them: a record's own events first, then bookings to values that
// have had an event or not, and corrections of bookings that were made before, under their positions, then Trim.
type traffic struct {
	r      *rand.Rand
	zipf   *rand.Zipf
	pos    int64
	values []string
	few    []Dimension
	booked []call
	people int
	limit  int // of bytes
}

func newTraffic(seed uint64, values, people int) *traffic {
	r := rand.New(rand.NewPCG(seed, 5))
	skew := 1.1 + 2*float64(seed%5)/4 // From many values that are seen now and then to one that all but fills the stream.
	t := &traffic{r: r, zipf: rand.NewZipf(r, skew, 4, uint64(values-1)), people: people, limit: MaxBreakdownBytes, pos: r.Int64N(1 << 20)}
	t.values = []string{"~other", "", "/a", "/a/b", "/a/bc", "\xff", strings.Repeat("long/", 60)}
	for len(t.values) < values {
		t.values = append(t.values, fmt.Sprintf("/wiki/%c/%d", 'a'+len(t.values)%26, len(t.values)))
	}
	r.Shuffle(len(t.values), func(i, j int) { t.values[i], t.values[j] = t.values[j], t.values[i] })
	t.few = []Dimension{EventName, Page, Hostname}
	return t
}

func (t *traffic) value() string { return t.values[t.zipf.Uint64()] }

func (t *traffic) visitor() uint64 { return uint64(t.r.IntN(t.people)) * 0x9e3779b97f4a7c15 }

func (t *traffic) record() (calls []call) {
	t.pos += 1 + t.r.Int64N(3)
	for _, d := range t.few {
		if t.r.IntN(3) == 0 { // The record's event belongs to another hour, or has no such value.
			continue
		}
		h := Hit{Visitor: t.visitor(), PageView: t.r.IntN(2) == 0, HasValue: t.r.IntN(2) == 0, Value: t.r.Int64N(2e15) - 1e15}
		calls = append(calls, call{d: d, value: t.value(), pos: t.pos, hit: h})
	}
	for range t.r.IntN(4) {
		if n := len(t.booked); n > 0 && t.r.IntN(2) == 0 {
			i := t.r.IntN(n)
			c := t.booked[i]
			t.booked[i] = t.booked[n-1]
			t.booked = t.booked[:n-1]
			c.c = c.c.Neg()
			c.k, c.a = minus(c.k), Attention{-c.a.Timed, -c.a.TimeMs, -c.a.Scrolled, -c.a.Depth}
			calls = append(calls, c)
			continue
		}
		k := Booking{t.r.Int64N(2), t.r.Int64N(2), t.r.Int64N(1e6), t.r.Int64N(3), t.r.Int64N(200)}
		c := call{booking: true, d: t.few[t.r.IntN(len(t.few))], value: t.value(), pos: t.pos, k: k}
		if c.d == Page && t.r.IntN(2) == 0 {
			c.k, c.a = Booking{}, Attention{t.r.Int64N(2), t.r.Int64N(2e6), t.r.Int64N(2), t.r.Int64N(101)}
		}
		if c.d == Page && t.r.IntN(3) == 0 {
			c.k, c.a = Booking{}, Attention{}
			c.c = Conversions{t.r.Int64N(2), t.r.Int64N(3), int128.From(t.r.Int64N(2e15) - 1e15)}
		}
		calls, t.booked = append(calls, c), append(t.booked, c)
	}
	return append(calls, call{trim: t.limit})
}
