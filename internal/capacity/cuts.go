package capacity

import (
	"fmt"
	"math"
	"time"

	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/pipeline/aggregate"
	"github.com/footfall/footfall/pipeline/checkpoint"
)

// A flush ends early when it reaches a limit, which depends on all sites of its partition. So a site is drawn twice if need be: first
// with whole intervals, to see how its part of a flush grows, and again with the ends that follow from the growth of all sites of a
// partition together.

// schedule says when the flushes of a lane end.
type schedule struct {
	interval float64 // seconds
	phase    float64 // how long before whole intervals it flushes
	pace     float64 // seconds in which a flush is written
	full     float64 // seconds in which a flush reaches a limit; +Inf: it never does

	tick       int     // of the next whole interval
	begin, end float64 // of the flush that accumulates
}

// newSchedule begins with the flush that a record at an instant falls into.
func newSchedule(interval, phase, pace, full, at float64) *schedule {
	s := &schedule{interval: interval, phase: phase, pace: pace, full: full, tick: int(math.Floor((at + phase) / interval))}
	for s.end = s.whole(); s.end <= at; {
		s.next()
	}
	return s
}

// ceilingSteps is that of package pipeline: if a flush reaches a limit that many times before the last one is written, the partition
// stops folding. Then it is behind, and no longer spreads its writes.
const ceilingSteps = 2

// whole is the end of the interval.
func (s *schedule) whole() float64 { return float64(s.tick)*s.interval - s.phase }

// next begins the flush after this one. It ends with its interval, or as it reaches a limit, but not before this one is written.
func (s *schedule) next() {
	s.begin = s.end
	for s.whole() <= s.begin {
		s.tick++
	}
	s.end = max(min(s.whole(), s.begin+s.full), s.begin+s.pace)
}

// pace is how long the writes of a lane's flush are spread by package pipeline, in seconds: for half an interval, and in the realtime
// lane for half a second at most.
func (w *Workload) pace(lane int, e *ends) float64 {
	switch {
	case e.behind[lane]:
		return 0
	case checkpoint.Lanes[lane] == checkpoint.LaneRealtime:
		return min(w.Realtime.Seconds()/2, 0.5)
	}
	return w.Stats.Seconds() / 2
}

// ages are at how many ages of a flush its size is taken.
const ages = 32

// growth is how large a flush of a lane is at each age, on average: after 1/32 of the interval, 2/32 and so on.
type growth [ages]struct{ items, bytes, events float64 }

// growths are those of the lanes of a partition.
type growths [aggregate.Lanes]growth

func (g *growths) add(o *growths, times float64) {
	for i := range g {
		for age := range g[i] {
			g[i][age].items += times * o[i][age].items
			g[i][age].bytes += times * o[i][age].bytes
			g[i][age].events += times * o[i][age].events
		}
	}
}

// gauge takes the sizes of a lane's flushes as they grow.
type gauge struct {
	growth
	age int // that is taken next
}

// until notes that the flush which the fold accumulates has its size until an instant.
func (g *gauge) until(at float64, s *schedule, l *lane, counts bool) {
	for ; g.age < ages && s.begin+float64(g.age+1)/ages*s.interval <= at; g.age++ {
		if counts {
			items, bytes := l.fold.Size()
			g.growth[g.age].events += float64(l.events)
			g.growth[g.age].items += float64(items)
			g.growth[g.age].bytes += float64(bytes)
		}
	}
}

// full returns after which part of an interval a flush that grows so reaches a limit times over, and which one; +Inf: none.
func (w *Workload) full(g *growth, times float64) (part float64, limit string) {
	before := growth{}[0]
	for age, now := range g {
		part := 2.0
		for _, l := range []struct {
			name              string
			before, now, most float64
		}{
			{limitItems, before.items, now.items, times * float64(w.FlushItems)},
			{limitBytes, before.bytes, now.bytes, times * float64(w.FlushBytes)},
		} {
			if l.now < l.most {
				continue
			}
			if at := (l.most - l.before) / (l.now - l.before); at < part {
				part, limit = at, l.name
			}
		}
		if limit != "" {
			return (float64(age) + part) / ages, limit
		}
		before = now
	}
	return math.Inf(1), ""
}

const (
	limitItems = "limits.flushItems"
	limitBytes = "limits.flushBytes"
)

// An Early says that flushes end before their interval.
type Early struct {
	Lane     string  `json:"lane"`
	Limit    string  `json:"limit"`    // the field of the configuration
	Seconds  float64 `json:"seconds"`  // after which a flush reaches it, at the peak
	Interval float64 `json:"interval"` // of the lane, in seconds
}

// ends are after how many seconds the flushes of each lane reach a limit; +Inf: never.
type ends struct {
	full   [aggregate.Lanes]float64
	behind [aggregate.Lanes]bool // the partition has no time to spread the lane's writes
	early  []Early
	calm   bool // the realtime lane flushes later than at each interval
}

// calm returns after which part of the longest interval of the realtime lane a flush that grows so ends: with the first interval at
// whose end it has enough records for its items.
func (w *Workload) calm(g *growth) float64 {
	longest := w.longest()[realtimeLane]
	for n := 1.0; n*w.Realtime.Seconds() < longest.Seconds(); n++ {
		part := n * w.Realtime.Seconds() / longest.Seconds()
		at := g[max(0, int(math.Round(part*ages))-1)]
		if at.events >= pipeline.CalmEvents*at.items {
			return part
		}
	}
	return 1
}

// The places of the lanes among the lanes.
const (
	statsLane    = 0
	realtimeLane = 1
)

// never are the ends of flushes that reach no limit.
var never = ends{full: [aggregate.Lanes]float64{math.Inf(1), math.Inf(1)}}

// ends returns those of a partition whose flushes grow so.
func (w *Workload) ends(g *growths) ends {
	e := never
	for i, interval := range w.longest() {
		if i == realtimeLane && interval > w.Realtime {
			e.calm, e.full[i] = true, w.calm(&g[i])*interval.Seconds()
		}
		if part, limit := w.full(&g[i], 1); limit != "" {
			e.full[i] = min(e.full[i], max(leastFull, part*interval.Seconds()))
			ceiling, _ := w.full(&g[i], ceilingSteps)
			e.behind[i] = ceiling*interval.Seconds() < w.pace(i, &e)
			e.early = append(e.early, Early{checkpoint.Lanes[i], limit, e.full[i], interval.Seconds()})
		}
	}
	return e
}

// leastFull keeps a plan from taking forever. Such a partition has more to write than it can.
const leastFull = 0.1

// steps is how many flushes a lane makes in an hour.
func (w *Workload) steps(lane int, interval time.Duration, e *ends) float64 {
	const intervals = 20
	s := newSchedule(interval.Seconds(), 0, w.pace(lane, e), e.full[lane], 0)
	n := 0
	for ; s.begin < intervals*interval.Seconds(); n++ {
		s.next()
	}
	return float64(n) / intervals * hourSeconds / interval.Seconds()
}

func (e *Early) remark() string {
	return fmt.Sprintf("At the peak, flushes of the %s lane reach %s after %.0f s of their %.0f s, and end early: what they touch is "+
		"written more often. More partitions, or a higher limit, avoid that.", e.Lane, e.Limit, e.Seconds, e.Interval)
}
