package query_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/sinktest"
	"github.com/footfall/footfall/sketch"
)

// A seen event is what the recount is made of. Some open a session.
type seen struct {
	at      time.Time
	visitor int
	view    bool
	session bool
}

// history makes events of 60 visitors, in bursts and with pauses, up to now. Seven months hold both changes of the
// clocks, and days on which a zone has no midnight or two.
func history(seed uint64) []seen {
	random := rand.New(rand.NewPCG(seed, 0))
	var events []seen
	for at := time.Date(2025, 9, 28, 13, 0, 0, 0, time.UTC); at.Before(now); {
		events = append(events, seen{at, random.IntN(60), random.IntN(3) > 0, random.IntN(4) == 0})
		if random.IntN(3) > 0 {
			at = at.Add(time.Duration(random.Int64N(int64(20 * time.Minute))))
		} else {
			at = at.Add(time.Duration(random.Int64N(int64(30 * time.Hour))))
		}
	}
	return events
}

// counts are what a recount says of a bucket.
type counts struct {
	views, events, sessions int64
	visitors                map[int]bool
}

func (c *counts) add(e seen) {
	c.events++
	if e.view {
		c.views++
	}
	if e.session {
		c.sessions++
	}
	if c.visitors == nil {
		c.visitors = make(map[int]bool)
	}
	c.visitors[e.visitor] = true
}

func recount(events []seen) (c counts) {
	for _, e := range events {
		c.add(e)
	}
	return c
}

// kept says how long stats by hour and by day outlive their buckets. 0: for ever.
type kept struct{ hour, day time.Duration }

var usual = kept{90 * 24 * time.Hour, 730 * 24 * time.Hour}

// record puts what the pipeline makes of events: stats by hour and day, and the visitors of hours as two partitions
// saw them, of which one has outgrown the stats item in every third hour.
func (w *world) record(site string, events []seen, k kept) {
	w.t.Helper()
	w.site(site, 16)
	w.recordIn(time.UTC, site, events, k)
}

// recordIn is record for a site whose hours and days are those of a zone.
func (w *world) recordIn(loc *time.Location, site string, events []seen, k kept) {
	w.t.Helper()
	w.recordBy(func(at time.Time) (hour, day time.Time) {
		start, _ := sites.HourOf(loc, at.UnixMilli())
		y, m, d := at.In(loc).Date()
		return time.UnixMilli(start).UTC(), time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	}, site, events, k)
}

// recordBy is record for a site; bucketsOf says when the hour of an instant begins, and its day's date in UTC.
func (w *world) recordBy(bucketsOf func(time.Time) (hour, day time.Time), site string, events []seen, k kept) {
	w.t.Helper()
	hours, days := make(map[time.Time][]seen), make(map[time.Time][]seen)
	for _, e := range events {
		hour, day := bucketsOf(e.at)
		hours[hour], days[day] = append(hours[hour], e), append(days[day], e)
	}
	var batch []sinks.Item
	put := func(key sinks.Key, ends time.Time, lives time.Duration, it sinks.Item) {
		it[sinks.AttrPK], it[sinks.AttrSK] = sinks.Str(key.PK), sinks.Str(key.SK)
		if lives > 0 {
			it[sinks.AttrTTL] = sinks.Int(ends.Add(lives).Unix())
		}
		if batch = append(batch, it); len(batch) == sinks.MaxBatchPut {
			w.putAll(batch)
			batch = nil
		}
	}
	stats := func(events []seen) sinks.Item {
		c := recount(events)
		return figures(c.views, c.events, c.sessions)
	}
	for day, events := range days {
		put(w.keys.DayStats(site, day.UnixMilli()), day.Add(24*time.Hour), k.day, stats(events))
	}
	for hour, events := range hours {
		it := stats(events)
		parts := map[sinks.TP]*sketch.Uniques{tp0: sketch.NewHour(), tp1: sketch.NewHour()}
		for _, e := range events {
			tp := tp0
			if e.visitor%3 == 0 {
				tp = tp1
			}
			parts[tp].Add(xxhash.Sum64String(fmt.Sprint("visitor ", e.visitor)))
		}
		for tp, u := range parts {
			v := visitors(u, 0, 0)
			if tp == tp1 && hour.Hour()%3 == 0 {
				put(w.keys.Uniques(site, hour.UnixMilli(), tp), hour.Add(time.Hour), k.hour, sinks.Item{sinks.AttrPart: v})
			} else {
				it[sinks.AttrUniques(tp)] = v
			}
		}
		put(w.keys.HourStats(site, hour.UnixMilli()), hour.Add(time.Hour), k.hour, it)
	}
	w.putAll(batch)
}

// putAll puts up to MaxBatchPut items, again those that the store does not take.
func (w *world) putAll(items []sinks.Item) {
	w.t.Helper()
	for range 100 {
		if len(items) == 0 {
			return
		}
		r, err := w.table.BatchPut(w.t.Context(), sinktest.Batch(items...))
		if err != nil {
			w.t.Fatal(err)
		}
		items = slices.DeleteFunc(items, func(it sinks.Item) bool { return !slices.Contains(r.Left, it.Key()) })
	}
	w.t.Fatalf("%d items are not taken", len(items))
}

// label names the bucket of an instant by what the clocks and calendars of its zone show.
func label(by query.By, at time.Time) string {
	switch by {
	case query.Hour:
		start, _ := sites.HourOf(at.Location(), at.UnixMilli())
		return time.UnixMilli(start).UTC().Format("2006-01-02T15:04")
	case query.Week:
		y, w := at.ISOWeek()
		return fmt.Sprintf("%d-W%02d", y, w)
	case query.Month:
		return at.Format("2006-01")
	case query.Year:
		return at.Format("2006")
	}
	return at.Format(time.DateOnly)
}

// model answers a question by going through events, and through nothing else. It tells the range by its labels.
type model struct {
	loc      *time.Location
	by       query.By
	from, to string // labels of the first and the last hour or day
}

func modelOf(loc *time.Location, by query.By, from, to time.Time) model {
	small := query.Day
	if by == query.Hour {
		small = query.Hour
	}
	return model{loc, by, label(small, from.In(loc)), label(small, to.Add(-time.Millisecond).In(loc))}
}

// in returns the events of the range.
func (m model) in(events []seen) []seen {
	var found []seen
	for _, e := range events {
		small := e.at.In(m.loc).Format(time.DateOnly)
		if m.by == query.Hour {
			small = label(query.Hour, e.at.In(m.loc))
		}
		if m.from <= small && small <= m.to {
			found = append(found, e)
		}
	}
	return found
}

// rows are the counts of the range's events by the labels of their buckets.
func (m model) rows(events []seen) map[string]*counts {
	rows := make(map[string]*counts)
	for _, e := range m.in(events) {
		name := label(m.by, e.at.In(m.loc))
		if rows[name] == nil {
			rows[name] = &counts{}
		}
		rows[name].add(e)
	}
	return rows
}

func (c counts) String() string {
	return fmt.Sprintf("%d views, %d events, %d sessions, %d visitors", c.views, c.events, c.sessions, len(c.visitors))
}

func said(f query.Figures) string {
	visitors := "unknown"
	if f.UniqueVisitors != nil {
		visitors = fmt.Sprint(*f.UniqueVisitors)
	}
	return fmt.Sprintf("%d views, %d events, %d sessions, %s visitors", f.PageViews, f.Events, f.Sessions, visitors)
}
