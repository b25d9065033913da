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

// bothCells reads the figures of a site in two generations.
func bothCells(ctx context.Context, live, built *query.Reader, site string) (a, b cells, err error) {
	if a, err = cellsOf(ctx, live, site); err == nil {
		b, err = cellsOf(ctx, built, site)
	}
	return a, b, err
}

// cellsOf reads the figures of a site: by day before today, and by hour of today, as the site's zone has them. Where its clocks are set
// by a part of an hour today, there are no hours to ask for, and today is read by day, too.
func cellsOf(ctx context.Context, r *query.Reader, site string) (cells, error) {
	now := time.Now()
	dates, err := r.Dates(ctx, site)
	if err != nil {
		return nil, err
	}
	today, err := dates.Parse("today", now)
	if err != nil {
		return nil, err
	}
	all := make(cells)
	first, end := time.Unix(0, 0).UTC(), today.AddDate(0, 0, 2) // Producers' clocks may be ahead.
	if err := all.readEven(ctx, r, query.StatsParams{Site: site, From: first, To: today, By: query.Day}); err != nil {
		return nil, err
	}
	return all, all.readEven(ctx, r, query.StatsParams{Site: site, From: today, To: end, By: query.Hour})
}

// uneven stands for a range that cannot be asked for: the site's clocks change by a part of an hour in it.
var uneven = cell{figure: "uneven"}

// readEven reads a range by hour, if it is to, or by day, or notes that neither can be.
func (c cells) readEven(ctx context.Context, r *query.Reader, p query.StatsParams) error {
	for {
		err := c.read(ctx, r, p)
		if _, cannot := errors.AsType[*query.ParamError](err); !cannot {
			return err
		}
		if p.By == query.Day {
			c[uneven] = "true"
			return nil
		}
		p.By = query.Day
	}
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
