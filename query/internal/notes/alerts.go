// Package notes lists annotations, alerts and what these found.
package notes

import (
	"context"

	"github.com/footfall/footfall/internal/alerts"
	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/query/internal/sitetable"
	"github.com/footfall/footfall/query/noted"
	"github.com/footfall/footfall/sinks"
)

// Alerts answers p.
func Alerts(ctx context.Context, t *sitetable.Store, p noted.AlertsParams) (noted.AlertsAnswer, error) {
	if err := sitetable.CheckID("site", p.Site); err != nil {
		return noted.AlertsAnswer{}, err
	}
	list, err := sitetable.NewListing(p.Paging, "alerts", p.Site)
	if err != nil {
		return noted.AlertsAnswer{}, err
	}
	s, err := list.Span(p.From, p.To)
	if err != nil {
		return noted.AlertsAnswer{}, err
	}
	a := noted.AlertsAnswer{Site: p.Site, Alerts: []noted.Alert{}, WaitingFor: []int32{},
		Skipped: []noted.Skipped{}}
	a.From, a.To = s.Ends()
	if !p.FindingsOnly {
		for one, err := range alerts.Of(ctx, t.Table, p.Site) {
			if err != nil {
				return noted.AlertsAnswer{}, err
			}
			a.Alerts = append(a.Alerts, noted.Alert{ID: one.ID, When: one.Rule.String(), WebhookHost: one.Host(), CreatedAt: one.CreatedAt})
		}
		if err := judged(ctx, t, &a, s); err != nil {
			return noted.AlertsAnswer{}, err
		}
	}
	pk, prefix := sinks.Findings(p.Site)
	q := sinks.Query{From: prefix + sinks.Hour(s.From), To: prefix + sinks.Hour(s.To-1) + "~", Desc: p.Desc, Consistent: p.Consistent}
	walk := t.Walk(q, list.Limit, list.Cursor.Position(), pk)
	if a.Findings, a.Cursor, err = sitetable.Definitions(ctx, walk, list, s, sitetable.EveryItem, readFinding); err != nil {
		return noted.AlertsAnswer{}, err
	}
	if p.FindingsOnly {
		return a, nil
	}
	a.SiteKnown, err = t.Known(ctx, p.Site, len(a.Alerts)+len(a.Findings) > 0)
	return a, err
}

func readFinding(it sinks.Item) (noted.Finding, error) {
	f, err := alerts.ReadFinding(it)
	return f.Shown(), err
}

// judged says up to when a site was judged, and which hours of a span were not.
func judged(ctx context.Context, t *sitetable.Store, a *noted.AlertsAnswer, s calendar.Span) error {
	if len(a.Alerts) == 0 {
		return nil
	}
	m, err := (&alerts.Store{Table: t.Table}).Mark(ctx, a.Site)
	if err != nil {
		return err
	}
	if m.Hour > 0 {
		a.JudgedThrough = new(m.Since())
	}
	a.WaitingFor = append(a.WaitingFor, m.Waiting...)
	for _, of := range m.Skipped {
		start, end := alerts.HourStart(of.From), alerts.HourStart(of.To)
		if s.From < end.UnixMilli() && start.UnixMilli() < s.To {
			a.Skipped = append(a.Skipped, noted.Skipped{Start: start, End: end, Why: of.Why})
		}
	}
	return nil
}
