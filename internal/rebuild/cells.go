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
	start  int64 // ms since the epoch
	by     query.By
	figure string
}

// cells are figures as JSON.
type cells map[cell]string

// cellsOf reads the figures of a site: by day before today, and by hour of today, in the site's zone. whole is false if the site's clocks
// change by a part of an hour: then no bucket of a range may be asked for, and the range is left out. So are dates that are kept.
func cellsOf(ctx context.Context, r *query.Reader, site string, source Source) (all cells, whole bool, err error) {
	dates, err := r.Dates(ctx, site)
	if err != nil {
		return nil, false, err
	}
	today, err := dates.Parse("today", time.Now())
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
	now, err := all.readEven(ctx, r, query.StatsParams{Site: site, From: today, To: end, By: query.Hour})
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
	for _, f := range figures.Answers {
		if v, ok := values[f.Name]; ok {
			c[cell{b.Start.UnixMilli(), by, f.Name}] = string(v)
		}
	}
	return nil
}
