package produce

import (
	"container/heap"
	"io"
	"math"
	"slices"
	"time"
)

// Audience is traffic as sites have it: visits last minutes, days and weeks have their rhythm, and of the visitors some come back on the
// same day and some after weeks. Visits and events are otherwise those of Traffic.
//
// It reads no clock: the same Config, beginning and instants make the same records, byte for byte. Visitors of another beginning are
// others. Not safe for concurrent use.
type Audience struct {
	traffic *Traffic
	due     visitsDue
}

// maxAudience bounds the visits that go on at the same time, some 200 bytes each. With more, visits are shorter.
const maxAudience = 100_000

// NewAudience makes an audience whose first visitors come at an instant.
func NewAudience(c Config, began time.Time) *Audience {
	t := NewTraffic(c)
	t.longMemory = true
	for i := range t.sites {
		s := &t.sites[i]
		s.first = uint64(max(began.UnixMilli(), 0))
		s.visitors = s.first
	}
	return &Audience{traffic: t}
}

// Next makes the next record: of a visit whose next event is due, or of a new visit. Its event's time is now, to the millisecond.
func (a *Audience) Next(now time.Time) Record {
	now = now.UTC().Truncate(time.Millisecond)
	for len(a.due) > 0 && (!a.due[0].next.After(now) || len(a.due) >= maxAudience) {
		v := heap.Pop(&a.due).(*visitDue)
		if now.Sub(v.last) > visitGap {
			continue // There was no event for so long that the visit is over.
		}
		return a.event(v, now)
	}
	t := a.traffic
	i, _ := slices.BinarySearch(t.shares, t.rng.Float64()*t.shares[len(t.shares)-1])
	return a.event(&visitDue{visit: t.begin(&t.sites[min(i, len(t.sites)-1)], now)}, now)
}

// event makes a visit's event, and plans the next one.
func (a *Audience) event(v *visitDue, now time.Time) Record {
	r := v.event(a.traffic, now)
	v.last = now
	if v.left > 0 {
		v.left--
		v.next = now.Add(a.pause())
		heap.Push(&a.due, v)
	}
	return r
}

// pause is how long a visitor looks at a page: log-normal, with a median of half a minute, from 2 seconds to 20 minutes.
func (a *Audience) pause() time.Duration {
	const median, spread = 30, 1
	seconds := median * math.Exp(spread*a.traffic.rng.NormFloat64())
	return time.Duration(min(max(seconds, 2), 1200) * float64(time.Second))
}

// Rhythm is the part of the average traffic that sites have at an instant: most in the afternoon, in UTC, and on days of work. Its average
// over a week is 1.
func Rhythm(t time.Time) float64 {
	t = t.UTC()
	hour := float64(t.Hour()) + float64(t.Minute())/60
	day := 1.12
	if d := t.Weekday(); d == time.Saturday || d == time.Sunday {
		day = 0.7
	}
	return day * (1 - 0.7*math.Cos((hour-3)*math.Pi/12))
}

// Past makes an audience's records of a range of time.
type Past struct {
	Audience *Audience
	From, To time.Time
	Daily    float64 // events a day, on average over a week

	at time.Time // of the last record
}

// Next returns the next record, io.EOF at the end of the range.
func (p *Past) Next() (Record, error) {
	if p.at.IsZero() {
		p.at = p.From
	}
	const day = float64(24 * time.Hour)
	p.at = p.at.Add(time.Duration(day / p.Daily / Rhythm(p.at)))
	if !p.at.Before(p.To) {
		return Record{}, io.EOF
	}
	return p.Audience.Next(p.at), nil
}

// visitDue is a visit and the time of its next event.
type visitDue struct {
	visit
	next time.Time
}

// visitsDue is a heap of visits: the one whose event is due first is the first.
type visitsDue []*visitDue

func (h visitsDue) Len() int           { return len(h) }
func (h visitsDue) Less(i, j int) bool { return h[i].next.Before(h[j].next) }
func (h visitsDue) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *visitsDue) Push(x any)        { *h = append(*h, x.(*visitDue)) }
func (h *visitsDue) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	return x
}
