package sitetable

import (
	"fmt"

	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/sketch"
)

// A Row is a bucket with what the table holds of it.
type Row struct {
	calendar.Bucket
	Part     calendar.Span // of the bucket that the range holds
	source   calendar.Source
	tail     calendar.Span // the stored day at the end of a row made of days that is cut within it: it is made of hours; empty: none
	found    bool          // the source holds something of it
	Sums     Sums
	Visitors *sketch.Uniques // of the hours that are there; nil: none
	Extremes Extremes        // of the same hours
	Known    bool            // whether these are all its visitors and values

	// incomplete says that sums are too low, or may be: some of what they are made of has expired.
	Incomplete bool
	sealed     bool  // a sealed month has the beginning of the row
	kept       int64 // ms that a day of the row outlives its end, the least of all; -1: for ever, or no day
}

func newRow(b calendar.Bucket, s calendar.Span, k calendar.Clock) *Row {
	part := b.In(s)
	return &Row{Bucket: b, Part: part, source: k.SourceOf(part), Known: true, kept: -1}
}

// newCutRow is newRow for a range that may end within a stored day.
func newCutRow(b calendar.Bucket, s calendar.Span, k calendar.Clock) *Row {
	r := newRow(b, s, k)
	if last := k.Day(r.Part.To); last.From < r.Part.To && k.SourceOf(calendar.Span{From: r.Part.From, To: last.To}) == calendar.DayItems {
		r.source, r.tail = calendar.DayItems, last
	}
	return r
}

// ofHours reports whether the sums of a stored day, or of an hour of it, are those of its hours.
func (r *Row) ofHours(at int64) bool { return r.source == calendar.HourItems || r.tail.Has(at) }

// addHour folds in an hour of the row's part.
func (r *Row) addHour(h hour) error {
	if h.Counted && r.ofHours(h.Start) {
		r.found = true
		r.Sums.Merge(h.Sums)
	}
	r.Extremes.plus(h.extremes)
	if r.Visitors == nil {
		r.Visitors = h.Visitors // It has no other user by now.
		return nil
	}
	if err := r.Visitors.Merge(h.Visitors); err != nil {
		return fmt.Errorf("merge the visitors of %s: %w", calendar.Instant(h.Start), err)
	}
	return nil
}

// addDay folds in what is known of a stored day that overlaps the row's part. Its hours come by addHour.
func (r *Row) addDay(d storedDay, now int64) {
	ofHours := r.ofHours(d.From)
	switch {
	case ofHours:
	case d.counted:
		r.found = true
		r.Sums.Merge(d.sums)
		r.kept = Shorter(r.kept, d.kept)
	default: // The day's own item has expired before its hours, or comes a moment later.
		ofHours = true
		for _, h := range d.hours {
			if h.Counted {
				r.found = true
				r.Sums.Merge(h.Sums)
			}
		}
	}
	if !d.complete(max(d.From, r.Part.From), now) {
		r.Known = false
		r.Incomplete = r.Incomplete || ofHours
	}
}

// addSealed folds in a sealed day or month, which lies in the row's part; the row is made of days.
func (r *Row) addSealed(d storedDay) error {
	r.found = true
	r.Sums.Merge(d.sums)
	if d.month {
		r.sealed = r.sealed || d.From <= r.Part.From
		r.Incomplete = r.Incomplete || d.low
	} else {
		r.kept = Shorter(r.kept, d.kept)
	}
	r.Extremes.plus(d.values)
	switch {
	case d.known == nil:
		r.Known = false
	case r.Visitors == nil:
		r.Visitors = d.known
	default:
		if err := r.Visitors.Merge(d.known); err != nil {
			return fmt.Errorf("merge the visitors from %s on: %w", calendar.Instant(d.From), err)
		}
	}
	return nil
}

// done ends the row, after its last item. If the days at its beginning have expired, it is unknown whether they had anything.
func (r *Row) done(now int64) {
	if r.kept >= 0 && !r.sealed && r.Part.From+calendar.DayMs+r.kept <= now {
		r.Known, r.Incomplete = false, true
	}
}

// there reports whether the row is worth showing: it holds something, or held something that has expired.
func (r *Row) there() bool { return r.found || r.Incomplete }

// A Total sums up rows. Its visitors are the union of those of the rows.
type Total struct {
	Sums       Sums
	Visitors   *sketch.Uniques
	Extremes   Extremes
	Known      bool
	Incomplete bool
}

// NewTotal makes a Total of no rows.
func NewTotal() *Total { return &Total{Visitors: sketch.NewHour(), Known: true} }

// Add folds in a row. The visitors of one that is not shown count, too: their hours may be written a moment before
// the day that they belong to.
func (t *Total) Add(r *Row) error {
	if r.Visitors != nil {
		if err := t.Visitors.Merge(r.Visitors); err != nil {
			return fmt.Errorf("merge the visitors from %s on: %w", calendar.Instant(r.Part.From), err)
		}
	}
	t.Extremes.plus(r.Extremes)
	if r.there() {
		t.Sums.Merge(r.Sums)
		t.Known = t.Known && r.Known
		t.Incomplete = t.Incomplete || r.Incomplete
	}
	return nil
}

// Merge folds in the total of another site.
func (t *Total) Merge(o *Total) error {
	t.Sums.Merge(o.Sums)
	t.Extremes.plus(o.Extremes)
	t.Known, t.Incomplete = t.Known && o.Known, t.Incomplete || o.Incomplete
	return t.Visitors.Merge(o.Visitors)
}
