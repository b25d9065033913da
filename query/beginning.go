package query

import "context"

// A beginning is where the data of a site begins.
type beginning struct {
	first int64 // the first day with data, in the question's calendar
	// whole is from when on all of the site's data is stored. The first day with data is a part of a day, unless it has something in its first
	// hour; and so may be one whose hours have expired.
	whole int64
}

// beginningAfter finds where the data of a site begins, if there may be a part of it that lies after an instant; zero: there is none.
func (t siteTable) beginningAfter(ctx context.Context, at int64, days calendar) (b beginning, err error) {
	t.desc = false
	first, found, err := t.edge(ctx, dayStats, false)
	if err != nil || found && first.to <= at && days.bucket(first.from).to <= at {
		return b, err
	}
	// Days may have expired that are in months, or in hours.
	month, sealed, err := t.edge(ctx, monthStats, false)
	if err != nil {
		return b, err
	}
	month.from = t.clock.dated(month.from)
	if sealed && (!found || month.from < first.from && first.outlived(month.from, t.now().UnixMilli())) {
		return beginning{days.bucket(month.from).from, month.from}, nil
	}
	hour, counted, err := t.edge(ctx, hourStats, false)
	if err != nil {
		return b, err
	}
	if counted && (!found || hour.from < first.from) {
		first, found = edge{span: t.clock.day(hour.from)}, true
	}
	if !found {
		return b, nil
	}
	b = beginning{days.bucket(first.from).from, first.to}
	if counted && first.has(hour.from) {
		b.whole = hour.to
		if t.clock.day(hour.from).from == hour.from {
			b.whole = first.from
		}
	}
	return b, nil
}

// outlived reports whether a day of a kind that begins at an instant has expired by now, if it was kept for as long as this one.
func (e edge) outlived(at, now int64) bool { return e.kept >= 0 && at+dayMs+e.kept <= now }

// silence is how long a site has no data until it is taken for one that had none before. It is longer than a year, since there are sites
// with a season.
const silence = 400 * dayMs

// began finds since when a site has data at the earliest. It is 0 if that is not known, because earlier days may have expired: that is, if
// the first that is left is not far from those that have.
func (t siteTable) began(ctx context.Context) (int64, error) {
	t.desc = false
	first, found, err := t.edge(ctx, dayStats, false)
	if err != nil || !found || first.outlived(first.from-silence, t.now().UnixMilli()) {
		return 0, err
	}
	month, sealed, err := t.edge(ctx, monthStats, false)
	if err != nil || sealed && month.to <= first.from {
		return 0, err
	}
	hour, counted, err := t.edge(ctx, hourStats, false)
	if err != nil || counted && hour.from < first.from {
		return 0, err
	}
	return first.from, nil
}

// past reports whether a walk has left out what has expired, given for how many ms its items are kept, as [rows.past] does. What lies
// before the site's first data never was there.
func (t siteTable) past(ctx context.Context, w *rows, kept int64) (bool, error) {
	if !w.past(w.span.from, kept) {
		return false, nil
	}
	began, err := t.began(ctx)
	return err == nil && w.past(max(w.span.from, began), kept), err
}
