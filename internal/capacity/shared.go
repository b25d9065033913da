package capacity

import (
	"math"
	"time"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

const (
	// storedBytes are what DynamoDB adds to each item and entry when it bills storage.
	storedBytes = 100
	// headBytes are those of a checkpoint beside the settings that it names.
	headBytes = 245
	// monthBytes are those of a month's stats: keys and sums, the bounce rate, and 20 bytes for each of 31 days.
	monthBytes = 777
	// sealedBytes are those of a sealed item beside its part: keys, marks and counters.
	sealedBytes = 135
	// figureBytes are those of the figures that sealed visitors repeat in plain attributes.
	figureBytes = 63
)

// checkpoints adds what the chains of all partitions write in an hour with so many events. A lane writes its checkpoint once a
// step, and once more in the first interval without a record, to mark the last step as done. Sessions that touch an
// interval begin at random, so of n intervals n*exp(-x) have none, where x of them touch one on average: a partition's
// sessions in an interval, times the intervals that each touches.
func (w *Workload) checkpoints(b book, events float64, e ends) {
	f := b.of(itemCheckpoint)
	sessions := events / w.EventsPerSession / float64(w.Partitions)
	bytes := headBytes + len(w.Settings.String())
	for lane, interval := range w.longest() {
		intervals := hourSeconds / interval.Seconds()
		empty := math.Exp(-sessions / intervals * w.perStep(interval))
		steps := w.steps(lane, interval, &e)
		f.writeTimes(float64(w.Partitions)*steps*((1-empty)+empty*(1-empty)), bytes)
		f.store(float64(w.Partitions)/24, bytes) // They are stored once, for all hours.
	}
}

// daily is what a day adds to what its hours have written: what sealing puts, three items a site and day, and two a site and month.
// What arrives late has days sealed again, which is left out.
func (w *Workload) daily(day book) book {
	b := make(book)
	sites := float64(w.Sites)
	events := w.EventsPerDay / sites
	visitors := events / w.EventsPerSession / w.SessionsPerVisitor
	seal := func(item string, times float64, part int) {
		b.of(item).writeTimes(times, sealedBytes+part)
		b.of(item).store(times, sealedBytes+part)
	}
	seal(itemDayUniques, sites, figureBytes+uniquesOf(visitors))
	seal(itemMonUniques, sites/monthDays, figureBytes+uniquesOf(visitors*monthDays))
	if w.Settings.Breakdowns > 0 {
		part := w.breakdownOf(events)
		seal(itemDayBreak, sites, part)
		if events < mostEvents { // Else a month has as many rows as a day.
			part = w.breakdownOf(events * monthDays)
		}
		seal(itemMonBreak, sites/monthDays, part)
	}
	month := b.of(itemMonth)
	month.writeTimes(sites, monthBytes)
	month.store(sites/monthDays, monthBytes)
	// A pass an hour looks at a site for some 2 units, by package seal. A day's hours are read whole once, strongly.
	month.reads += sites * 24 * 2
	for _, item := range []string{itemHour, itemUniques, itemBreakdown, itemJournal} {
		if f := day[item]; f != nil {
			month.reads += math.Ceil(f.bytes / 4096)
		}
	}
	return b
}

// uniquesOf returns the size of a sketch of an hour, a day or a month with that many visitors.
func uniquesOf(visitors float64) int {
	u := sketch.NewHour()
	var visitor []byte
	for i := range uint64(min(visitors, 200_000)) {
		visitor = appendID(visitor[:0], uuidBytes, i)
		u.Add(sketch.Hasher{}.Visitor('v', visitor))
	}
	b, err := u.AppendBinary(nil)
	must(err)
	return len(b)
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
	case itemEvent, itemPack:
		return days(kept.RawDays)
	case itemSession, itemVisitor:
		return days(kept.SessionDays)
	case itemNew, itemListed:
		return days(kept.SessionDays) + 1.5 // They live to the second midnight after.
	case itemArrival:
		if kept.SessionDays == checkpoint.Never {
			return yearDays
		}
		return days(kept.SessionDays + sinks.DefaultVisitorDays)
	case itemHour, itemUniques, itemBreakdown, itemJournal:
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

const daySeconds = 86_400
