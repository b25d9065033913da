// Package alerted answers what alerts of a site found. Package query has its types under names of its own.
package alerted

import (
	"context"
	"time"

	"github.com/footfall/footfall/internal/alerts"
	"github.com/footfall/footfall/query/internal/sitetable"
	"github.com/footfall/footfall/query/ranges"
	"github.com/footfall/footfall/sinks"
)

// Params ask what alerts of a site found.
type Params struct {
	Site       string
	From, To   time.Time // of the hours; To is exclusive; zero: open
	Consistent bool      // strongly consistent reads, at twice the cost
	ranges.Paging
}

// Answer lists the alerts of a site, and what they found, by hour.
type Answer struct {
	Site      string     `json:"siteId"`
	SiteKnown bool       `json:"-"`
	From      *time.Time `json:"from"` // null: open
	To        *time.Time `json:"to"`   // null: open
	Alerts    []Alert    `json:"alerts"`
	Findings  []Finding  `json:"findings"`
	Cursor    string     `json:"cursor"` // of the next page; "": this is the last
}

// UnknownSite reports whether the answer is about a site that has no events and was never created.
func (a Answer) UnknownSite() bool { return !a.SiteKnown }

// Alert is a condition that hours of a site are judged by.
type Alert struct {
	ID          string    `json:"alertId"`
	When        string    `json:"when"`        // the condition
	WebhookHost string    `json:"webhookHost"` // "": findings are not sent
	CreatedAt   time.Time `json:"createdAt"`
}

// Finding is an hour in which an alert fired.
type Finding struct {
	Start    time.Time   `json:"start"`
	End      time.Time   `json:"end"` // exclusive
	AlertID  string      `json:"alertId"`
	When     string      `json:"when"`  // the condition
	Found    []Deviation `json:"found"` // the largest first
	Text     string      `json:"text"`  // the same, for people
	JudgedAt time.Time   `json:"judgedAt"`
	// Delivery is pending, sent, failed (the webhook has not accepted it for a day) or none (there is no webhook).
	Delivery string `json:"delivery"`
	Attempts int    `json:"attempts"`
	Error    string `json:"error"` // of the last attempt; "": none
}

// Deviation is what a condition was fulfilled by.
type Deviation struct {
	Hours int     `json:"hours"` // that were added up, up to the finding's end
	Count int64   `json:"count"` // in these
	Usual float64 `json:"usual"` // of these hours in the four weeks before; 0: not compared, or none
	Value string  `json:"value"` // of the dimension; "": the condition is not about one
}

// Ask answers p.
func Ask(ctx context.Context, t *sitetable.Store, p Params) (Answer, error) {
	if p.Site == "" {
		return Answer{}, &ranges.ParamError{Param: "site", Remedy: "missing: name one"}
	}
	list, err := sitetable.NewListing(p.Paging, "alerts", p.Site)
	if err != nil {
		return Answer{}, err
	}
	s, err := list.Span(p.From, p.To)
	if err != nil {
		return Answer{}, err
	}
	a := Answer{Site: p.Site, Alerts: []Alert{}, Findings: []Finding{}}
	a.From, a.To = s.Ends()
	store := alerts.Store{Table: t.Table, Now: t.Now}
	for one, err := range store.Of(ctx, p.Site) {
		if err != nil {
			return Answer{}, err
		}
		a.Alerts = append(a.Alerts, Alert{one.ID, one.Rule.String(), one.Host(), one.CreatedAt})
	}
	pk, prefix := sinks.Findings(p.Site)
	q := sinks.Query{From: prefix + sinks.Hour(s.From), To: prefix + sinks.Hour(s.To-1) + "~", Desc: p.Desc, Consistent: p.Consistent}
	found, err := t.Walk(q, list.Limit, list.Cursor.Position(), pk).Collect(ctx, list.Limit, sitetable.EveryItem)
	if err != nil {
		return Answer{}, err
	}
	for _, it := range found.Items {
		f, err := alerts.ReadFinding(it)
		if err != nil {
			return Answer{}, err
		}
		a.Findings = append(a.Findings, FindingOf(f))
	}
	if found.More {
		a.Cursor = list.Next(found.Last, s)
	}
	a.SiteKnown, err = t.Known(ctx, p.Site, len(a.Alerts)+len(a.Findings) > 0)
	return a, err
}

// FindingOf is a finding as answers have it.
func FindingOf(f alerts.Finding) Finding {
	shown := Finding{Start: alerts.HourStart(f.Hour), End: alerts.HourStart(f.Hour + 1), AlertID: f.Alert, When: f.When, Text: f.Text(),
		JudgedAt: f.JudgedAt, Delivery: f.Delivery.State, Attempts: f.Delivery.Attempts, Error: f.Delivery.Error}
	for _, d := range f.Found {
		shown.Found = append(shown.Found, Deviation(d))
	}
	return shown
}
