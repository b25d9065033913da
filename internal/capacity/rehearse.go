package capacity

import (
	"math"
	"time"

	"github.com/footfall/footfall/internal/toprows"
	"github.com/footfall/footfall/pipeline/aggregate"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// How much is drawn: enough that plans of different draws differ by less than a hundredth, and no more than takes a second.
const (
	leastEvents = 30_000
	mostHours   = 3000
	mostEvents  = 80_000 // of an hour
)

// rehearsal is what an hour of a site costs in requests, and how many bytes of the items made in that hour are stored in the end.
type rehearsal struct {
	book
	growths // of a flush of a partition, by this site
}

// rehearse rehearses flushes that end so, at a rate of events an hour.
func (w *Workload) rehearse(rate float64, e ends) rehearsal {
	spread := float64(w.spread())
	one := min(rate/spread, mostEvents) // events of a partition
	parts := max(1, min(spread, math.Floor(mostEvents/one)))
	hours := max(1, min(mostHours, math.Ceil(leastEvents/(one*parts))))
	drawn := simulate(w, newTraffic(w, one*parts, int(parts)), int(spread), int(hours), e)
	sample, grow := spread/parts/hours, rate/spread/one
	all := make(book)
	all.add(drawn.book, sample)
	for _, item := range scaling {
		all.of(item).scale(grow, grow)
	}
	for _, item := range []string{itemHour, itemDay} { // Partitions share them.
		all.of(item).scale(1, parts/spread)
	}
	// Sessions that were not drawn fill items of recent sessions.
	recent, was := all.of(itemRecent), drawn.book.of(itemRecent)
	more := drawn.book.of(itemSession).made / aggregate.RecentPerItem * (grow - 1)
	recent.writes, recent.made = (was.writes+more)*sample, (was.made+more)*sample
	r, drew := rehearsal{book: all}, drawn.growths()
	r.growths.add(&drew, grow)
	w.packHour(&r, rate, &e)
	return r
}

// breakdownOf returns the size of a sealed breakdown after a number of events of a site, all partitions together, with the rows that it
// repeats in plain attributes. Above mostEvents it has nearly all the rows that it can have.
func (w *Workload) breakdownOf(events float64) int {
	day := *w // It is flushed rarely: only the last state counts.
	day.Stats, day.Realtime = time.Hour, time.Hour
	drawn := simulate(&day, newTraffic(&day, max(w.EventsPerSession, min(events, mostEvents)), 1), 1, 1, never)
	part := drawn.largest(itemBreakdown).Item[sinks.AttrPart].Bytes()
	b, plain := new(sketch.Breakdown), make(sinks.Item)
	must(sketch.UnpackBreakdown(part, b))
	toprows.Set(plain, b)
	return len(part) + plain.Size()
}
