package capacity

import (
	"math"
	"time"

	"github.com/footfall/footfall/pipeline/checkpoint"
)

// checkpoints adds what the chains of all partitions write in an hour with so many events. A lane writes its checkpoint once a
// step, and once more in the first interval without a record, to mark the last step as done. Sessions that touch an
// interval begin at random, so of n intervals n*exp(-x) have none, where x of them touch one on average: a partition's
// sessions in an interval, times the intervals that each touches.
func (w *Workload) checkpoints(b book, events float64) {
	f := b.of(itemCheckpoint)
	s := w.scales()
	sessions := events / w.EventsPerSession / float64(w.Partitions)
	for _, lane := range []struct {
		interval time.Duration
		bytes    int
	}{{w.Stats, s.statsHead}, {w.Realtime, s.realtimeHead}} {
		intervals := hourSeconds / lane.interval.Seconds()
		empty := math.Exp(-sessions / intervals * w.perStep(lane.interval))
		f.writeTimes(float64(w.Partitions)*intervals*((1-empty)+empty*(1-empty)), lane.bytes)
		f.store(float64(w.Partitions)/24, lane.bytes) // They are there once, whatever the hour.
	}
}

// daily is what a day adds to what its hours have written: the day's stats, which are there once, and what sealing puts, three
// items a site and day, and two a site and month. What arrives late has days sealed again, which is left out.
func (w *Workload) daily(day book) book {
	b := make(book)
	scales, sites := w.scales(), float64(w.Sites)
	b.of(itemDay).store(sites, scales.dayOf(w.spread()))
	events := w.EventsPerDay / sites
	visitors := events / w.EventsPerSession / w.SessionsPerVisitor
	uniques := func(item string, times, visitors float64) {
		size := scales.sealed + uniquesOf(visitors)
		b.of(item).writeTimes(times, size)
		b.of(item).store(times, size)
	}
	uniques(itemDayUniques, sites, visitors)
	uniques(itemMonUniques, sites/monthDays, visitors*monthDays)
	if w.Settings.Breakdowns > 0 {
		for item, span := range map[string]float64{itemDayBreak: 1, itemMonBreak: monthDays} {
			size := scales.sealed + w.breakdownOf(events*span)
			b.of(item).writeTimes(sites/span, size)
			b.of(item).store(sites/span, size)
		}
	}
	month := b.of(itemMonth)
	month.writeTimes(sites, scales.monthStats)
	month.store(sites/monthDays, scales.monthStats)
	// A pass an hour looks at a site for some 2 units, by package seal. A day's hours are read whole once, strongly.
	month.reads += sites * 24 * 2
	for _, item := range []string{itemHour, itemUniques, itemBreakdown} {
		if f := day[item]; f != nil {
			month.reads += math.Ceil(f.bytes / 4096)
		}
	}
	return b
}

// breakdownOf weighs a breakdown of so many events of a site, all partitions together. Above mostEvents it has nearly all
// the rows that it can have.
func (w *Workload) breakdownOf(events float64) int {
	t := newTraffic(w, max(w.EventsPerSession, min(events, mostEvents)), 1)
	r := rehearsal{w: w, scales: w.scales(), traffic: t, times: 1, book: make(book)}
	r.hour()
	return packedBytes(&r.packer, r.parts[0].breakdown)
}

// monthDays are those of an average month.
const monthDays = 365.0 / 12

// kept is how many days an item stays, what DynamoDB takes to delete it included. What is kept for ever is counted for a
// year.
func (w *Workload) kept(item string) float64 {
	lag := deletionLag.Hours() / 24
	days := func(retention int64) float64 {
		if retention == checkpoint.Never {
			return yearDays
		}
		return float64(retention) + lag
	}
	kept := w.Settings.Retention
	switch item {
	case itemEvent:
		return days(kept.RawDays)
	case itemSession, itemVisitor:
		return days(kept.SessionDays)
	case itemHour, itemUniques, itemBreakdown:
		return days(kept.HourDays)
	case itemDay, itemDayUniques, itemDayBreak:
		return days(kept.DayDays)
	case itemRecent:
		return checkpoint.RecentTTL.Hours()/24 + lag
	case itemRealtime:
		return checkpoint.RealtimeTTL.Hours()/24 + lag
	case itemCheckpoint:
		return 1
	}
	return yearDays // Months stay for ever.
}

const (
	yearDays = 365
	// deletionLag is how long expired items stay: "within a few days", says DynamoDB's documentation.
	deletionLag = 48 * time.Hour
)
