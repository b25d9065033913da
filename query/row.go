package query

import (
	"fmt"

	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/sketch"
)

// A row is a bucket with what the table holds of it.
type row struct {
	calendar.Bucket
	part     calendar.Span // of the bucket that the range holds
	source   calendar.Source
	tail     calendar.Span // the stored day at the end of a row made of days that is cut within it: it is made of hours; empty: none
	found    bool          // the source holds something of it
	sums     sums
	visitors *sketch.Uniques // of the hours that are there; nil: none
	extremes extremes        // of the same hours
	known    bool            // whether these are all its visitors and values

	// incomplete says that sums are too low, or may be: some of what they are made of has expired.
	incomplete bool
	sealed     bool  // a sealed month has the beginning of the row
	kept       int64 // ms that a day of the row outlives its end, the least of all; -1: for ever, or no day
}

func newRow(b calendar.Bucket, s calendar.Span, k calendar.Clock) *row {
	part := b.In(s)
	return &row{Bucket: b, part: part, source: k.SourceOf(part), known: true, kept: -1}
}

// newCutRow is newRow for a range that may end within a stored day.
func newCutRow(b calendar.Bucket, s calendar.Span, k calendar.Clock) *row {
	r := newRow(b, s, k)
	if last := k.Day(r.part.To); last.From < r.part.To && k.SourceOf(calendar.Span{From: r.part.From, To: last.To}) == calendar.DayItems {
		r.source, r.tail = calendar.DayItems, last
	}
	return r
}

// ofHours reports whether the sums of a stored day, or of an hour of it, are those of its hours.
func (r *row) ofHours(at int64) bool { return r.source == calendar.HourItems || r.tail.Has(at) }

// addHour folds in an hour of the row's part.
func (r *row) addHour(h hour) error {
	if h.counted && r.ofHours(h.start) {
		r.found = true
		r.sums.plus(h.sums)
	}
	r.extremes.plus(h.extremes)
	if r.visitors == nil {
		r.visitors = h.visitors // It has no other user by now.
		return nil
	}
	if err := r.visitors.Merge(h.visitors); err != nil {
		return fmt.Errorf("merge the visitors of %s: %w", calendar.Instant(h.start), err)
	}
	return nil
}

// addDay folds in what is known of a stored day that overlaps the row's part. Its hours come by addHour.
func (r *row) addDay(d storedDay, now int64) {
	ofHours := r.ofHours(d.From)
	switch {
	case ofHours:
	case d.counted:
		r.found = true
		r.sums.plus(d.sums)
		r.kept = shorter(r.kept, d.kept)
	default: // The day's own item has expired before its hours, or comes a moment later.
		ofHours = true
		for _, h := range d.hours {
			if h.counted {
				r.found = true
				r.sums.plus(h.sums)
			}
		}
	}
	if !d.complete(max(d.From, r.part.From), now) {
		r.known = false
		r.incomplete = r.incomplete || ofHours
	}
}

// addSealed folds in a sealed day or month, which lies in the row's part; the row is made of days.
func (r *row) addSealed(d storedDay) error {
	r.found = true
	r.sums.plus(d.sums)
	if d.month {
		r.sealed = r.sealed || d.From <= r.part.From
		r.incomplete = r.incomplete || d.low
	} else {
		r.kept = shorter(r.kept, d.kept)
	}
	r.extremes.plus(d.values)
	switch {
	case d.known == nil:
		r.known = false
	case r.visitors == nil:
		r.visitors = d.known
	default:
		if err := r.visitors.Merge(d.known); err != nil {
			return fmt.Errorf("merge the visitors from %s on: %w", calendar.Instant(d.From), err)
		}
	}
	return nil
}

// done ends the row, after its last item. If the days at its beginning have expired, it is unknown whether they had anything.
func (r *row) done(now int64) {
	if r.kept >= 0 && !r.sealed && r.part.From+calendar.DayMs+r.kept <= now {
		r.known, r.incomplete = false, true
	}
}

// there reports whether the row is worth showing: it holds something, or held something that has expired.
func (r *row) there() bool { return r.found || r.incomplete }

// figures derives the row's figures.
func (r *row) figures(of senders) Figures {
	if !r.known {
		return r.sums.figures(nil, of)
	}
	visitors := r.visitors
	if visitors == nil {
		visitors = sketch.NewHour()
	}
	f := r.sums.figures(visitors, of)
	f.extremes(r.extremes, &r.sums, of)
	return f
}

// A total sums up rows. Its visitors are the union of those of the rows.
type total struct {
	sums       sums
	visitors   *sketch.Uniques
	extremes   extremes
	known      bool
	incomplete bool
}

func newTotal() *total { return &total{visitors: sketch.NewHour(), known: true} }

// add folds in a row. The visitors of one that is not shown count, too: their hours may be written a moment before
// the day that they belong to.
func (t *total) add(r *row) error {
	if r.visitors != nil {
		if err := t.visitors.Merge(r.visitors); err != nil {
			return fmt.Errorf("merge the visitors from %s on: %w", calendar.Instant(r.part.From), err)
		}
	}
	t.extremes.plus(r.extremes)
	if r.there() {
		t.sums.plus(r.sums)
		t.known = t.known && r.known
		t.incomplete = t.incomplete || r.incomplete
	}
	return nil
}

// figures derives the figures of the whole range.
func (t *total) figures(of senders) Figures {
	if !t.known {
		return t.sums.figures(nil, of)
	}
	f := t.sums.figures(t.visitors, of)
	f.extremes(t.extremes, &t.sums, of)
	return f
}
