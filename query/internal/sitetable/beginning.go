package sitetable

import (
	"context"

	"github.com/footfall/footfall/query/internal/calendar"
)

// A Beginning is where the data of a site begins.
type Beginning struct {
	First int64 // the first day with data, in the question's calendar
	// whole is from when on all of the site's data is stored. The first day with data is a part of a day, unless it has something in its first
	// hour; and so may be one whose hours have expired.
	Whole int64
}

// BeginningAfter finds where the data of a site begins, if there may be a part of it that lies after an instant; zero: there is none.
func (t Table) BeginningAfter(ctx context.Context, at int64, days calendar.Calendar) (b Beginning, err error) {
	t.Desc = false
	first, found, err := t.edge(ctx, DayStats, false)
	if err != nil || found && first.To <= at && days.Bucket(first.From).To <= at {
		return b, err
	}
	// Days may have expired that are in months, or in hours.
	month, sealed, err := t.edge(ctx, monthStats, false)
	if err != nil {
		return b, err
	}
	month.From = t.Clock.Dated(month.From)
	if sealed && (!found || month.From < first.From && first.outlived(month.From, t.Now().UnixMilli())) {
		return Beginning{days.Bucket(month.From).From, month.From}, nil
	}
	hour, counted, err := t.edge(ctx, HourStats, false)
	if err != nil {
		return b, err
	}
	if counted && (!found || hour.From < first.From) {
		first, found = edge{Span: t.Clock.Day(hour.From)}, true
	}
	if !found {
		return b, nil
	}
	b = Beginning{days.Bucket(first.From).From, first.To}
	if counted && first.Has(hour.From) {
		b.Whole = hour.To
		if t.Clock.Day(hour.From).From == hour.From {
			b.Whole = first.From
		}
	}
	return b, nil
}

// outlived reports whether a day of a kind that begins at an instant has expired by now, if it was kept for as long as this one.
func (e edge) outlived(at, now int64) bool { return e.kept >= 0 && at+calendar.DayMs+e.kept <= now }

// silence is how long a site has no data until it is taken for one that had none before. It is longer than a year, since there are sites
// with a season.
const silence = 400 * calendar.DayMs

// began finds since when a site has data at the earliest. It is 0 if that is not known, because earlier days may have expired: that is, if
// the first that is left is not far from those that have.
func (t Table) began(ctx context.Context) (int64, error) {
	t.Desc = false
	first, found, err := t.edge(ctx, DayStats, false)
	if err != nil || !found || first.outlived(first.From-silence, t.Now().UnixMilli()) {
		return 0, err
	}
	month, sealed, err := t.edge(ctx, monthStats, false)
	if err != nil || sealed && month.To <= first.From {
		return 0, err
	}
	hour, counted, err := t.edge(ctx, HourStats, false)
	if err != nil || counted && hour.From < first.From {
		return 0, err
	}
	return first.From, nil
}

// Past reports whether a walk has left out what has expired, given for how many ms its items are kept, as [rows.past] does. What lies
// before the site's first data never was there.
func (t Table) Past(ctx context.Context, w *Rows, kept int64) (bool, error) {
	if !w.past(w.Span.From, kept) {
		return false, nil
	}
	began, err := t.began(ctx)
	return err == nil && w.past(max(w.Span.From, began), kept), err
}
