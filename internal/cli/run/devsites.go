package run

import (
	"context"
	"errors"
	"time"

	"github.com/footfall/footfall/internal/alerts"
	"github.com/footfall/footfall/internal/annotations"
	"github.com/footfall/footfall/internal/produce"
	"github.com/footfall/footfall/internal/segments"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
)

// furnishedSites is how many sites of the traffic get goals and what else pages show. It is the default of --sites; many more would hold
// the first figures up.
const furnishedSites = 10

// furnish gives the sites of the traffic what a page shows besides figures: goals, a funnel, new visitors, an annotation, a segment and
// alerts. It runs before anything is counted, so goals count from the beginning. A site that is known is left as it is: what a user changes
// or deletes stays so.
func (s *devSession) furnish(ctx context.Context) error {
	if s.flags.rate == 0 && s.flags.history == 0 {
		return nil // The user's own events make other sites.
	}
	reader := query.New(s.table, time.Now)
	for _, id := range produce.SiteIDs(min(s.flags.sites, furnishedSites)) {
		a, err := reader.Site(ctx, query.SiteParams{Site: id, Consistent: true})
		if err == nil && !a.SiteKnown {
			err = s.furnishSite(ctx, id)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// devAlerts are alerts by name. The second fires in the first hour that is judged and has some visitors.
var devAlerts = map[string]alerts.Rule{
	"fewer page views": {Subject: alerts.Subject{Figure: "pageViews"}, Percent: 75},
	"a busy hour":      {Subject: alerts.Subject{Figure: "pageViews"}, Above: true, Bound: 10, Hours: 1},
}

// furnishSite creates a site with goals that the traffic reaches.
func (s *devSession) furnishSite(ctx context.Context, id string) error {
	const by = "footfall dev"
	table, now := s.table.Repeating(), time.Now()
	if err := sites.Create(ctx, table, s.table.Keys, sites.Definition{ID: id}, now); err != nil {
		return err
	}
	event := func(kind string) sites.Pattern { return sites.Pattern{On: sites.OnEvent, Type: kind} }
	decision := sites.Decision{Table: table, Keys: s.table.Keys, Site: id, Now: now}
	if _, err := decision.Update(ctx, sites.Changes{NewVisitors: new(true)}); err != nil {
		return err
	}
	products := sites.Pattern{On: sites.OnPage, How: sites.MatchPrefix, Text: "/products/"}
	for _, goal := range []sites.Goal{{ID: "product", Name: "Saw a product", On: products},
		{ID: "bought", Name: "Bought something", On: event("purchase")},
		{ID: "stayed", Name: "Stayed two minutes", DurationMs: (2 * time.Minute).Milliseconds()}} {
		if err := decision.CreateGoal(ctx, goal); err != nil {
			return err
		}
	}
	funnels := sites.FunnelStore{Table: table, By: by, Now: time.Now}
	if _, err := funnels.Create(ctx, id, sites.Funnel{ID: "checkout", Name: "From a page to a purchase", Window: sites.DefaultFunnelWindow,
		Steps: []sites.Pattern{event("page_view"), event("click"), event("purchase")}}); err != nil {
		return err
	}
	saved := segments.Store{Table: table, By: by, Now: time.Now}
	_, err := saved.Create(ctx, id, "phones", []string{"device=mobile"})
	// The table of a former release has no segments until it is finalized.
	if _, early := errors.AsType[*sinks.EarlyError](err); err != nil && !early {
		return err
	}
	watched := alerts.Store{Table: table, By: by, Now: time.Now}
	for name, rule := range devAlerts {
		if _, err := watched.Create(ctx, alerts.Alert{Site: id, ID: name, Rule: rule}); err != nil {
			return err
		}
	}
	notes := annotations.Store{Table: table, By: by, Now: time.Now}
	_, err = notes.Create(ctx, id, now, "footfall dev began here")
	return err
}
