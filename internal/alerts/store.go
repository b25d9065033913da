package alerts

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/footfall/footfall/sinks"
)

// Store has the alerts of a table and what they found. Safe for concurrent use.
type Store struct {
	Table sinks.Table
	By    string // who writes, for people
	Now   func() time.Time
}

// UnknownError reports that a site has no alert of that name.
type UnknownError struct{ Site, ID string }

func (e *UnknownError) Error() string {
	return fmt.Sprintf("site %q has no alert %q: `footfall alert list` lists the names", e.Site, e.ID)
}

// Create keeps a new alert. One that exists with the same values stays as it is.
func (s *Store) Create(ctx context.Context, a Alert) (Alert, error) {
	a.CreatedAt, a.CreatedBy = time.UnixMilli(s.Now().UnixMilli()).UTC(), s.By
	if err := a.Validate(); err != nil {
		return Alert{}, err
	}
	n := 0
	for other, err := range s.Of(ctx, a.Site) {
		if err != nil {
			return Alert{}, err
		}
		if n++; other.ID == a.ID {
			if other.Rule != a.Rule || other.Webhook != a.Webhook {
				return Alert{}, fmt.Errorf("site %q has an alert %q with another condition or webhook: delete it first, or choose another name",
					a.Site, a.ID)
			}
			return other, nil
		}
	}
	if n >= MaxPerSite {
		return Alert{}, fmt.Errorf("site %q has %d alerts, which is as many as a site may have: delete some", a.Site, n)
	}
	r, err := s.Table.Put(ctx, sinks.Put{Item: a.Item(), If: []sinks.Cond{{Attr: sinks.AttrPK, Op: sinks.Absent}}})
	if err != nil {
		return Alert{}, fmt.Errorf("create an alert: %w", err)
	}
	if r.Refused { // Another has created it at the same time, or the answer to a first attempt was lost.
		return Read(r.Item)
	}
	return a, nil
}

// Delete removes an alert. What it found stays.
func (s *Store) Delete(ctx context.Context, site, id string) error {
	r, err := s.Table.Delete(ctx, sinks.Delete{Key: sinks.AlertKey(site, id), If: []sinks.Cond{{Attr: sinks.AttrPK, Op: sinks.Present}}})
	switch {
	case err != nil:
		return fmt.Errorf("delete alert %q: %w: repeating it is safe", id, err)
	case r.Refused:
		return &UnknownError{site, id}
	}
	return nil
}

// DeleteAll removes all alerts of a site. Repeating it is safe.
func (s *Store) DeleteAll(ctx context.Context, site string) error {
	pk, prefix := sinks.Alerts(site)
	for it, err := range sinks.Items(ctx, s.Table, sinks.Query{PK: pk, Prefix: prefix, Consistent: true}) {
		if err == nil {
			_, err = s.Table.Delete(ctx, sinks.Delete{Key: it.Key()})
		}
		if err != nil {
			return fmt.Errorf("delete the alerts of site %q: %w", site, err)
		}
	}
	if _, err := s.Table.Delete(ctx, sinks.Delete{Key: markKey(site)}); err != nil {
		return fmt.Errorf("delete what is kept of the alerts of site %q: %w", site, err)
	}
	return nil
}

// Of reads the alerts of a site.
func (s *Store) Of(ctx context.Context, site string) iter.Seq2[Alert, error] {
	pk, prefix := sinks.Alerts(site)
	return read(ctx, s.Table, sinks.Query{PK: pk, Prefix: prefix, Consistent: true}, Read)
}

// All reads the alerts of all sites, and the marks by site, "" of all sites. An alert that is damaged is passed to bad.
func (s *Store) All(ctx context.Context, bad func(error)) (all []Alert, marks map[string]Mark, err error) {
	marks = make(map[string]Mark)
	for it, err := range sinks.Items(ctx, s.Table, sinks.Query{PK: sinks.AlertsPK, Consistent: true}) {
		if err != nil {
			return nil, nil, fmt.Errorf("read the alerts: %w", err)
		}
		if site, ok := markOf(it); ok {
			marks[site] = readMark(it)
			continue
		}
		a, err := Read(it)
		if err != nil {
			bad(err)
			continue
		}
		all = append(all, a)
	}
	return all, marks, nil
}

// Findings reads what the alerts of a site found in the hours [from, to), the first hour first.
func (s *Store) Findings(ctx context.Context, site string, from, to int64) iter.Seq2[Finding, error] {
	pk, prefix := sinks.Findings(site)
	return read(ctx, s.Table, sinks.Query{PK: pk, From: prefix + sinks.Hour(from*hourMs), To: prefix + sinks.Hour((to-1)*hourMs) + "~",
		Consistent: true}, ReadFinding)
}

// Keep keeps a finding once. It returns false if there is one of the hour and the alert.
func (s *Store) Keep(ctx context.Context, f Finding) (bool, error) {
	r, err := s.Table.Put(ctx, sinks.Put{Item: f.Item(), If: []sinks.Cond{{Attr: sinks.AttrPK, Op: sinks.Absent}}})
	return err == nil && !r.Refused, err
}

// Delivered keeps how a finding was sent, unless another process has done so since it was read.
func (s *Store) Delivered(ctx context.Context, f Finding, now Delivery) error {
	_, err := s.Table.Update(ctx, sinks.Update{Key: f.Key(), Set: []sinks.Attr{{Name: sinks.AttrDelivery, Value: spelled(now)}},
		If: []sinks.Cond{{Attr: sinks.AttrDelivery, Op: sinks.Equal, Value: spelled(f.Delivery)}}})
	return err
}

// read reads what a query selects.
func read[T any](ctx context.Context, table sinks.Table, q sinks.Query, of func(sinks.Item) (T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for it, err := range sinks.Items(ctx, table, q) {
			var one T
			if err == nil {
				one, err = of(it)
			}
			if !yield(one, err) || err != nil {
				return
			}
		}
	}
}
