package query

import (
	"context"
	"fmt"
	"time"

	"github.com/footfall/footfall/internal/entered"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/query/internal/sitetable"
	"github.com/footfall/footfall/sinks"
)

// FunnelsParams ask for the funnels of a site.
type FunnelsParams struct {
	Site       string
	Consistent bool // strongly consistent reads, at twice the cost
	Paging
}

// FunnelsAnswer lists funnels in the order of their ids.
type FunnelsAnswer struct {
	Site string `json:"siteId"`
	Known
	Funnels []Funnel `json:"funnels"`
	Cursor  string   `json:"cursor"` // of the next page; "": this is the last
}

// Funnel is the definition of a funnel.
type Funnel struct {
	FunnelID  string    `json:"funnelId"`
	Name      string    `json:"name"`
	Steps     []Pattern `json:"steps"`
	WindowMs  int64     `json:"windowMs"` // max. time from the first step to the last
	Strict    bool      `json:"strict"`   // any other event between two steps ends an attempt
	Version   int64     `json:"version"`  // from 1, raised by each change
	CreatedAt time.Time `json:"createdAt"`
	ChangedAt time.Time `json:"changedAt"`
	ChangedBy string    `json:"changedBy"`
}

func funnelOf(s sites.StoredFunnel) Funnel {
	steps := make([]Pattern, len(s.Steps))
	for i, p := range s.Steps {
		steps[i] = patternOf(p)
	}
	return Funnel{FunnelID: s.ID, Name: s.Name, Steps: steps, WindowMs: s.Window.Milliseconds(), Strict: s.Strict, Version: s.Version,
		CreatedAt: s.CreatedAt, ChangedAt: s.ChangedAt, ChangedBy: s.ChangedBy}
}

func readFunnel(it sinks.Item) (Funnel, error) {
	s, err := sites.ReadFunnel(it)
	return funnelOf(s), err
}

// Funnels lists the funnels of a site.
func (r *Reader) Funnels(ctx context.Context, p FunnelsParams) (FunnelsAnswer, error) {
	return ask(ctx, r, p, answerFunnels, "funnels of site %q", p.Site)
}

func answerFunnels(ctx context.Context, t *sitetable.Store, p FunnelsParams) (FunnelsAnswer, error) {
	if err := sitetable.CheckID("site", p.Site); err != nil {
		return FunnelsAnswer{}, err
	}
	list, err := sitetable.NewListing(p.Paging, "funnels", p.Site)
	if err != nil {
		return FunnelsAnswer{}, err
	}
	// A cursor begins within the list, so the list is given by bounds: "~" sorts after anything in an id.
	pk, prefix := t.Keys.Funnels(p.Site)
	q := sinks.Query{From: prefix, To: prefix + "~", Desc: p.Desc, Consistent: p.Consistent}
	a := FunnelsAnswer{Site: p.Site}
	walk := t.Walk(q, list.Limit, list.Cursor.Position(), pk)
	if a.Funnels, a.Cursor, err = sitetable.Definitions(ctx, walk, list, calendar.Span{}, sitetable.EveryItem, readFunnel); err != nil {
		return FunnelsAnswer{}, err
	}
	a.SiteKnown, err = t.Known(ctx, p.Site, len(a.Funnels) > 0)
	return a, err
}

// FunnelParams ask for one funnel.
type FunnelParams struct {
	Site, Funnel string
	Consistent   bool // strongly consistent reads, at twice the cost
}

// FunnelAnswer is one funnel.
type FunnelAnswer struct {
	Site string `json:"siteId"`
	Funnel
}

// Funnel reads one funnel. If there is none with that id, it returns a [FunnelNotFoundError].
func (r *Reader) Funnel(ctx context.Context, p FunnelParams) (FunnelAnswer, error) {
	s, err := sitetable.OnLive(ctx, r.live, p, loadFunnel)
	if err != nil {
		return FunnelAnswer{}, err
	}
	return FunnelAnswer{s.Site, funnelOf(s)}, nil
}

// ReadFunnel decodes the item of a funnel, such as one that was just written. An item that is damaged, or not a funnel's, is an error.
func ReadFunnel(it sinks.Item) (FunnelAnswer, error) {
	s, err := sites.ReadFunnel(it)
	if err != nil {
		return FunnelAnswer{}, err
	}
	return FunnelAnswer{s.Site, funnelOf(s)}, nil
}

// FunnelNotFoundError reports that a site has no funnel with the given id.
type FunnelNotFoundError struct{ Site, Funnel string }

func (e *FunnelNotFoundError) Error() string {
	return sites.UnknownFunnel(e.Site, e.Funnel).Error()
}

// loadFunnel reads a funnel. One that is not there is a *FunnelNotFoundError.
func loadFunnel(ctx context.Context, t *sitetable.Store, p FunnelParams) (sites.StoredFunnel, error) {
	if err := sitetable.CheckID("site", p.Site); err != nil {
		return sites.StoredFunnel{}, err
	}
	if err := entered.CheckID("funnel", p.Funnel); err != nil {
		return sites.StoredFunnel{}, &ParamError{Param: "funnel", Remedy: err.Error()}
	}
	it, err := t.Get(ctx, t.Keys.Funnel(p.Site, p.Funnel), p.Consistent)
	if err != nil {
		return sites.StoredFunnel{}, fmt.Errorf("funnel %q of site %q: %w", p.Funnel, p.Site, err)
	}
	if it == nil {
		return sites.StoredFunnel{}, &FunnelNotFoundError{Site: p.Site, Funnel: p.Funnel}
	}
	return sites.ReadFunnel(it)
}
