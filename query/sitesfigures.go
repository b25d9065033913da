package query

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/query/internal/sitetable"
)

// SitesFiguresParams ask for sites as SitesParams do, with figures of each.
type SitesFiguresParams struct {
	SitesParams
	// From and To, exclusive, are as in SitesStatsParams: without a Zone, each site has the range of its own days of these dates.
	From, To time.Time
	Unit     By // as in StatsParams
	Zone     *time.Location
	// Sort is one of SitesSorts: the greatest come first, and Limit of them are answered, without a cursor. The figures of all sites
	// are read for that. "": the sites come by their ids.
	Sort string
}

// SitesFiguresAnswer lists sites in the order of their ids, each with its figures of the range.
type SitesFiguresAnswer struct {
	Sites          []SiteFigures `json:"sites"`
	Totals         SitesTotals   `json:"totals"`
	ExpiredOmitted int           `json:"expiredCount"`
	Cursor         string        `json:"cursor"` // of the next page; "": this is the last

	unknown bool // the owner
}

// UnknownSite reports whether sites of an owner were asked for who has none.
func (a SitesFiguresAnswer) UnknownSite() bool { return a.unknown }

// SitesTotals are sums over the sites of an answer. Visitors have none, since one may visit several sites: see [Reader.StatsOfSites].
type SitesTotals struct {
	Sites     int   `json:"sites"`
	PageViews int64 `json:"pageViews"`
}

// TotalsOf adds up sites.
func TotalsOf(sites []SiteFigures) SitesTotals {
	t := SitesTotals{Sites: len(sites)}
	for _, s := range sites {
		t.PageViews += s.PageViews
	}
	return t
}

// SiteFigures is a site with the figures of a range, which is widened to whole days. The earlier range is the one that
// StatsParams.Compare chooses.
type SiteFigures struct {
	Site
	From           time.Time `json:"from"`
	To             time.Time `json:"to"` // exclusive
	PageViews      int64     `json:"pageViews"`
	UniqueVisitors *uint64   `json:"uniqueVisitors"`      // as in Figures
	VisitorsError  float64   `json:"uniqueVisitorsError"` // as in Figures
	// PageViewsChange is the relative change of PageViews since the earlier range, 0.5 for half as much again. null: that had none, or begins
	// before PreviousDataFrom.
	PageViewsChange *float64 `json:"pageViewsChange"`
	// PreviousDataFrom is DataFrom of Previous: the first day with data of the site, if the earlier range begins before all of it is counted.
	PreviousDataFrom *time.Time `json:"previousDataFrom,omitempty"`
	// Days are the page views and visitors of each day of the range, also of days without any, up to the current one, 1,000 at most.
	Days []DayViews `json:"days"`
	// LastEvents is the hour of the site's last event, bots included, or its day if the hours have expired. null: it has no events.
	LastEvents *Within `json:"lastEventWithin"`
	Incomplete bool    `json:"dataExpired"` // the figures are or may be too low, because items have expired
}

// DayViews are the page views and visitors of a day.
type DayViews struct {
	Start          time.Time `json:"start"`
	PageViews      int64     `json:"pageViews"`
	UniqueVisitors *uint64   `json:"uniqueVisitors"` // as in Figures
}

// SitesFigures lists sites with the figures of each. Eight sites are read at once, and each costs as much as [Reader.Stats] of it with
// Compare.
func (r *Reader) SitesFigures(ctx context.Context, p SitesFiguresParams) (SitesFiguresAnswer, error) {
	return ask(ctx, r, p, answerSitesFigures, "figures of sites")
}

func answerSitesFigures(ctx context.Context, t *sitetable.Store, p SitesFiguresParams) (SitesFiguresAnswer, error) {
	if p.Sort != "" {
		return answerSitesSorted(ctx, t, p)
	}
	asked, err := t.Bounded(p.From, p.To)
	if err != nil {
		return SitesFiguresAnswer{}, err
	}
	list, err := answerSites(ctx, t, p.SitesParams)
	if err != nil {
		return SitesFiguresAnswer{}, err
	}
	a := SitesFiguresAnswer{Sites: make([]SiteFigures, len(list.Sites)), ExpiredOmitted: list.ExpiredOmitted, Cursor: list.Cursor}
	expired := make([]int, len(list.Sites))
	group, gctx := errgroup.WithContext(ctx)
	group.SetLimit(sitetable.FanOut)
	for i, site := range list.Sites {
		group.Go(func() (err error) {
			of := sitetable.Table{Store: t, Site: site.SiteID, Clock: calendar.Clock{Rules: site.rules}, Consistent: p.Consistent}
			if a.Sites[i], expired[i], err = figuresOfSite(gctx, of, p, asked); err != nil {
				return fmt.Errorf("site %q: %w", site.SiteID, err)
			}
			a.Sites[i].Site = site
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return SitesFiguresAnswer{}, err
	}
	for _, n := range expired {
		a.ExpiredOmitted += n
	}
	a.Totals = TotalsOf(a.Sites)
	a.unknown = p.Owner != "" && p.Search == "" && p.Prefix == "" && p.Cursor == "" && len(a.Sites) == 0 && a.Cursor == ""
	return a, nil
}

// figuresOfSite reads the figures of a site for a list of sites. Its range is that of its own days unless a zone was named.
func figuresOfSite(ctx context.Context, t sitetable.Table, p SitesFiguresParams, asked calendar.Span) (f SiteFigures, expired int,
	err error) {
	if p.Zone == nil {
		asked = calendar.Span{From: t.Clock.Dated(asked.From), To: t.Clock.Dated(asked.To)}
	}
	if f.LastEvents, err = t.LastEvents(ctx); err != nil {
		return f, 0, err
	}
	f.From, f.To, f.Days, f.UniqueVisitors = calendar.Instant(asked.From), calendar.Instant(max(asked.From,
		asked.To)), []DayViews{}, new(uint64(0))
	if asked.From >= asked.To {
		return f, 0, nil // The first date has not begun there.
	}
	q, err := newStatsQuestion(StatsParams{Site: t.Site, From: calendar.Instant(asked.From), To: calendar.Instant(asked.To), By: Day,
		Unit: p.Unit, Zone: p.Zone,
		Compare: true, Fill: true, Consistent: p.Consistent, Paging: Paging{Limit: MaxLimit}}, t)
	if err == nil {
		err = q.Prepare(ctx)
	}
	if err != nil {
		return f, 0, err
	}
	a, err := q.answer(ctx)
	if err != nil {
		return f, 0, err
	}
	f.From, f.To, f.PageViews, f.UniqueVisitors, f.VisitorsError = a.From, a.To, a.Totals.PageViews, a.Totals.UniqueVisitors,
		a.Totals.VisitorsError
	f.PageViewsChange, f.PreviousDataFrom, f.Incomplete = a.Previous.Change.PageViews.Relative, a.Previous.DataFrom, a.Incomplete
	for _, b := range a.Buckets {
		f.Days = append(f.Days, DayViews{b.Start, b.PageViews, b.UniqueVisitors})
	}
	return f, a.ExpiredOmitted, nil
}
