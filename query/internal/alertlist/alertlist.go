// Package alertlist lists the alerts of a site, and what they found.
package alertlist

import (
	"context"

	"github.com/footfall/footfall/internal/alerts"
	"github.com/footfall/footfall/query/alerted"
	"github.com/footfall/footfall/query/internal/sitetable"
	"github.com/footfall/footfall/query/ranges"
	"github.com/footfall/footfall/sinks"
)

// Ask answers p.
func Ask(ctx context.Context, t *sitetable.Store, p alerted.Params) (alerted.Answer, error) {
	if p.Site == "" {
		return alerted.Answer{}, &ranges.ParamError{Param: "site", Remedy: "missing: name one"}
	}
	list, err := sitetable.NewListing(p.Paging, "alerts", p.Site)
	if err != nil {
		return alerted.Answer{}, err
	}
	s, err := list.Span(p.From, p.To)
	if err != nil {
		return alerted.Answer{}, err
	}
	a := alerted.Answer{Site: p.Site, Alerts: []alerted.Alert{}, Findings: []alerted.Finding{}}
	a.From, a.To = s.Ends()
	if !p.FindingsOnly {
		store := alerts.Store{Table: t.Table, Now: t.Now}
		for one, err := range store.Of(ctx, p.Site) {
			if err != nil {
				return alerted.Answer{}, err
			}
			a.Alerts = append(a.Alerts, alerted.Alert{ID: one.ID, When: one.Rule.String(), WebhookHost: one.Host(), CreatedAt: one.CreatedAt})
		}
	}
	pk, prefix := sinks.Findings(p.Site)
	q := sinks.Query{From: prefix + sinks.Hour(s.From), To: prefix + sinks.Hour(s.To-1) + "~", Desc: p.Desc, Consistent: p.Consistent}
	found, err := t.Walk(q, list.Limit, list.Cursor.Position(), pk).Collect(ctx, list.Limit, sitetable.EveryItem)
	if err != nil {
		return alerted.Answer{}, err
	}
	for _, it := range found.Items {
		f, err := alerts.ReadFinding(it)
		if err != nil {
			return alerted.Answer{}, err
		}
		a.Findings = append(a.Findings, f.Shown())
	}
	if found.More {
		a.Cursor = list.Next(found.Last, s)
	}
	if p.FindingsOnly {
		return a, nil
	}
	a.SiteKnown, err = t.Known(ctx, p.Site, len(a.Alerts)+len(a.Findings) > 0)
	return a, err
}
