package sitetable

import (
	"context"
	"time"

	"github.com/footfall/footfall/internal/journal"
	"github.com/footfall/footfall/sinks"
)

// Journal reads the journal of the date of an hour. What is deleted of it is in the items by then: it is to be read before them.
func (t Table) Journal(ctx context.Context, hour int64) (*journal.Journal, error) {
	j := new(journal.Journal)
	q := sinks.Query{PK: t.Keys.BreakdownOfDay(t.Site, hour), Prefix: sinks.LatePrefix, Consistent: t.Consistent}
	for it, err := range t.Items(ctx, q) {
		if err != nil {
			return nil, err
		}
		if t.Expired(it) {
			continue
		}
		e, err := journal.Read(it)
		if err != nil {
			return nil, err
		}
		j.Add(e)
	}
	return j, nil
}

// dateOf returns the first instant of the date in UTC that an hour begins on.
func dateOf(hour int64) int64 { return time.UnixMilli(hour).UTC().Truncate(24 * time.Hour).UnixMilli() }
