package aggregate

import (
	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// buckets are the hours and days of the accumulating step: their sums, and this partition's part of the visitors of hours.
type buckets struct {
	*accumulating
	hours []*hour // in the order of first touch
	days  []*day
}

// hourBytes is about what the request of an hour or a day takes.
const hourBytes = 500

// want asks for the hour's part of the visitors, and with it for its least and greatest value.
func (b *buckets) want(h *hour, l Asker) {
	if !h.visitors.asked {
		h.visitors.asked = true
		b.kept.Weigh(&h.bytes, hourRoom)
		b.ask(h, l)
	}
}

// ask reads this partition's part of the hour's visitors, which lies in the stats item, in an item of its
// own, or, after it has grown, in both: the part is their union.
func (b *buckets) ask(h *hour, l Asker) {
	h.visitors.Uniques, h.of = sketch.NewHour(), b.accumulating
	l.Ask(b.keys.HourStats(h.Site.ID, &h.Site.names, h.start), (*askedStats)(h))
	l.Ask(b.keys.Uniques(h.Site.ID, &h.Site.names, h.start), (*askedUniques)(h))
}

// askedStats is an hour whose stats are read.
type askedStats hour

// Fill implements Filler.
func (x *askedStats) Fill(it sinks.Item) error {
	h := (*hour)(x)
	h.visitors.mark = it[h.of.Mark].Int()
	return h.of.readHour(h, it)
}

// askedUniques is an hour whose visitors are read, as far as they have an item of their own.
type askedUniques hour

// Fill implements Filler.
func (x *askedUniques) Fill(it sinks.Item) error {
	h := (*hour)(x)
	h.visitors.parted = it != nil
	return h.of.readUniques(h, it)
}

// add counts a record's event in the hour and the day of its time, and its visitor in the hour.
func (b *buckets) add(r *Input) {
	e, h := &r.Event, r.hour
	b.touchHour(h)
	h.sums.Add(e)
	if e.HasValue {
		h.extremes.Take(e.Value)
	}
	if h.visitors.Add(r.Visitor) {
		h.visitors.unlogged = h.visitors.unlogged || r.Over
		if !h.visitors.news {
			h.visitors.news = true
			b.bytes += partBytes(h.visitors.Uniques)
		}
	}
	d := h.Site.day(e.Timestamp)
	b.touchDay(d)
	d.sums.Add(e)
	if r.Foreign {
		h.sums.Counts[figures.ForeignEvents]++
		d.sums.Counts[figures.ForeignEvents]++
	}
	if r.Over {
		h.sums.Counts[figures.OverBudgetEvents]++
		d.sums.Counts[figures.OverBudgetEvents]++
	}
}

// partBytes is about what the hour's part of the visitors encodes to.
func partBytes(u *sketch.Uniques) int {
	if n := u.Entries(); n >= 0 {
		return 8 * n
	}
	return 6 << 10
}

// addSession moves what a session contributes from the buckets of its start before the step to those after it.
func (b *buckets) addSession(x *touchedSession) {
	for _, c := range []struct {
		state *state.Session
		sign  int64
	}{{&x.before, -1}, {&x.Cur, 1}} {
		if c.state.Events == 0 {
			continue
		}
		h, d := x.site.hourAt(c.state.Hour), x.site.dayAt(c.state.Day)
		b.touchHour(h)
		b.touchDay(d)
		h.sums.Book(c.state, c.sign)
		d.sums.Book(c.state, c.sign)
	}
}

func (b *buckets) touchHour(h *hour) {
	if h.step != b.step {
		h.step = b.step
		b.hours = append(b.hours, h)
		b.bytes += hourBytes
	}
}

func (b *buckets) touchDay(d *day) {
	if d.step != b.step {
		d.step = b.step
		b.days = append(b.days, d)
		b.bytes += hourBytes
	}
}

func (h *hour) LastStep() int64 { return h.step }

func (h *hour) Drop() (bytes int) {
	delete(h.Site.Hours, h.start)
	for _, x := range h.journal.entries {
		x.release()
	}
	if h.Site.last.hour == h {
		h.Site.last.hour = nil
	}
	return int(h.bytes)
}

// lastBuckets are the buckets of the event before, nil at first and when they have been let go: most events fall into them.
type lastBuckets struct {
	hour     *hour
	minute   *minute
	day      *day
	hourEnd  int64
	dayBegin int64
	dayEnd   int64
}

// inHour reports whether an instant lies in the last hour.
func (b *lastBuckets) inHour(t int64) bool {
	return b.hour != nil && b.hour.start <= t && t < b.hourEnd
}

// inDay reports whether an instant lies in the last day.
func (b *lastBuckets) inDay(t int64) bool { return b.day != nil && b.dayBegin <= t && t < b.dayEnd }
