package rebuild

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/query"
)

// cell is a figure of a bucket of a site.
type cell struct {
	start  int64 // of an hour, or of the day's date in UTC, ms since the epoch: a site may have another zone in the other generation
	by     query.By
	figure string
}

// cells are figures as JSON.
type cells map[cell]string

// todayOf returns when a site's day began, and the dates of its zone.
func todayOf(ctx context.Context, r *query.Reader, site string) (today time.Time, dates query.Dates, err error) {
	if dates, err = r.Dates(ctx, site); err == nil {
		today, err = dates.Parse("today", time.Now())
	}
	return today, dates, err
}

// cellsOf reads the figures of a site: by day before today, and by hour or day of today, in the site's zone. whole is false if the site's
// clocks change by a part of an hour: then no bucket of a range may be asked for, and the range is left out. So are dates that are kept.
func cellsOf(ctx context.Context, r *query.Reader, site string, by query.By, source Source) (all cells, whole bool, err error) {
	today, dates, err := todayOf(ctx, r, site)
	if err != nil {
		return nil, false, err
	}
	end := today.AddDate(0, 0, 2) // Producers' clocks may be ahead.
	first := time.Unix(0, 0).UTC()
	if !source.KeepBefore.IsZero() {
		if first, err = dates.Parse(source.KeepBefore.Format(time.DateOnly), time.Now()); err != nil {
			return nil, false, err
		}
	}
	all = make(cells)
	past, err := all.readEven(ctx, r, query.StatsParams{Site: site, From: first, To: today, By: query.Day})
	if err != nil {
		return nil, false, err
	}
	now, err := all.readEven(ctx, r, query.StatsParams{Site: site, From: today, To: end, By: by})
	return all, past && now, err
}

// readEven reads a range by hours, or by days if there are no even hours. even is false if there are no even days either.
func (c cells) readEven(ctx context.Context, r *query.Reader, p query.StatsParams) (even bool, err error) {
	err = c.read(ctx, r, p)
	if _, uneven := errors.AsType[*query.ParamError](err); uneven && p.By == query.Hour {
		p.By = query.Day
		err = c.read(ctx, r, p)
	}
	if _, uneven := errors.AsType[*query.ParamError](err); uneven {
		return false, nil
	}
	return true, err
}

// read reads all pages of an answer.
func (c cells) read(ctx context.Context, r *query.Reader, p query.StatsParams) error {
	p.Consistent, p.Limit = true, query.MaxLimit
	for {
		a, err := r.Stats(ctx, p)
		if err != nil {
			return err
		}
		for _, b := range a.Buckets {
			if err := c.take(p.By, b); err != nil {
				return err
			}
		}
		if p.Cursor = a.Cursor; p.Cursor == "" {
			return nil
		}
	}
}

// take takes in the figures of a bucket.
func (c cells) take(by query.By, b query.Bucket) error {
	text, err := json.Marshal(b.Figures)
	if err != nil {
		return err
	}
	var values map[string]json.RawMessage
	if err := json.Unmarshal(text, &values); err != nil {
		return err
	}
	start := b.Start
	if by == query.Day {
		year, month, day := start.Date()
		start = time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	}
	for _, f := range figures.Answers {
		if v, ok := values[f.Name]; ok {
			c[cell{start.UnixMilli(), by, f.Name}] = string(v)
		}
	}
	return nil
}
