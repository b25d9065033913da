package alerts

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/footfall/footfall/internal/entered"
	"github.com/footfall/footfall/sinks"
)

var kind = entered.Kind[Alert]{Name: "alert", Command: "alert", Max: MaxPerSite, Key: sinks.AlertKey, List: sinks.Alerts,
	Item: Alert.Item, Read: Read, Remedy: "`footfall alert delete` deletes it, or choose another name",
	Differ: func(held, next Alert) string {
		if held.Rule == next.Rule && held.Webhook == next.Webhook {
			return ""
		}
		return "with another condition or webhook"
	}}

// Store has the alerts of a table and what they found. Safe for concurrent use.
type Store entered.Writer

// Create keeps a new alert of a site that is known, unless the site has MaxPerSite. One that exists with the same values stays as it is.
func (s *Store) Create(ctx context.Context, a Alert) (Alert, error) {
	a.CreatedAt, a.CreatedBy = entered.Instant(s.Now()), s.By
	if err := a.Validate(); err != nil {
		return Alert{}, err
	}
	return kind.Create(ctx, s.Table, a.Site, a.ID, a)
}

// Webhook returns the URL that findings of an alert are sent to now; "": there is none, or no such alert.
func Webhook(ctx context.Context, t sinks.Table, site, id string) (string, error) {
	a, err := kind.Get(ctx, t, site, id)
	if _, gone := errors.AsType[*entered.UnknownError](err); gone {
		err = nil
	}
	return a.Webhook, err
}

// Delete removes an alert. What it found stays.
func Delete(ctx context.Context, t sinks.Table, site, id string) error {
	return kind.Delete(ctx, t, site, id)
}

// DeleteAll removes all alerts of a site, and says how many. Repeating it is safe.
func DeleteAll(ctx context.Context, t sinks.Table, site string) (int64, error) {
	n, err := kind.DeleteAll(ctx, t, site, nil)
	if err != nil {
		return n, err
	}
	return n, deleteMark(ctx, t, site)
}

// Of reads the alerts of a site.
func Of(ctx context.Context, t sinks.Table, site string) iter.Seq2[Alert, error] {
	return kind.Of(ctx, t, site, true)
}

// All reads the alerts of all sites, and the marks by site, "" of all sites. A damaged alert is passed to bad. It deletes the marks
// of sites without alerts, and the one of all sites if no site has any: later alerts are not judged for earlier hours.
func (s *Store) All(ctx context.Context, bad func(error)) (all []Alert, marks map[string]Mark, err error) {
	marks = make(map[string]Mark)
	has := make(map[string]bool) // sites with alerts; "": there are any
	for it, err := range sinks.Items(ctx, s.Table, sinks.Query{PK: sinks.AlertsPK, Consistent: true}) {
		if err != nil {
			return nil, nil, fmt.Errorf("read the alerts: %w", err)
		}
		if site, ok := markOf(it); ok {
			marks[site] = readMark(it)
			continue
		}
		has[it[sinks.AttrSiteID].Str()], has[""] = true, true
		a, err := Read(it)
		if err != nil {
			bad(err)
			continue
		}
		all = append(all, a)
	}
	for site := range marks {
		if has[site] {
			continue
		}
		if err := deleteMark(ctx, s.Table, site); err != nil {
			return nil, nil, err
		}
		delete(marks, site)
	}
	return all, marks, nil
}

// Findings reads what the alerts of a site found in the hours [from, to), the first hour first.
func (s *Store) Findings(ctx context.Context, site string, from, to int64) iter.Seq2[Finding, error] {
	return entered.Read(s.found(ctx, site, from, to), ReadFinding)
}

func (s *Store) found(ctx context.Context, site string, from, to int64) iter.Seq2[sinks.Item, error] {
	pk, prefix := sinks.Findings(site)
	return sinks.Items(ctx, s.Table, sinks.Query{PK: pk, From: prefix + sinks.Hour(from*hourMs),
		To: prefix + sinks.Hour((to-1)*hourMs) + "~", Consistent: true})
}

// Pending reads those of Findings that are to be sent. One that is damaged is passed to bad.
func (s *Store) Pending(ctx context.Context, site string, from, to int64, bad func(error)) (all []Finding, err error) {
	for it, err := range s.found(ctx, site, from, to) {
		if err != nil {
			return nil, err
		}
		f, err := ReadFinding(it)
		switch {
		case err != nil:
			bad(err)
		case f.Delivery.State == Pending:
			all = append(all, f)
		}
	}
	return all, nil
}

// Keep keeps a finding once. It returns false if there is another of the hour and the alert: one that was judged at the same instant was
// put by this call, which is repeated where the table's answer is lost.
func (s *Store) Keep(ctx context.Context, f Finding) (bool, error) {
	it := f.Item()
	r, err := s.Table.Put(ctx, sinks.Put{Item: it, If: []sinks.Cond{{Attr: sinks.AttrPK, Op: sinks.Absent}}})
	return err == nil && (!r.Refused || r.Item[sinks.AttrCreatedAt].Int() == it[sinks.AttrCreatedAt].Int()), err
}

// Delivered keeps how a finding was sent, unless another process has done so since it was read.
func (s *Store) Delivered(ctx context.Context, f Finding, now Delivery) error {
	_, err := s.Table.Update(ctx, sinks.Update{Key: f.Key(), Set: []sinks.Attr{{Name: sinks.AttrDelivery, Value: spelled(now)}},
		If: []sinks.Cond{{Attr: sinks.AttrDelivery, Op: sinks.Equal, Value: spelled(f.Delivery)}}})
	return err
}
