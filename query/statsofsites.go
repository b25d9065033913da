package query

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/query/internal/compared"
	"github.com/footfall/footfall/query/internal/derived"
	"github.com/footfall/footfall/query/internal/sitetable"
)

// SitesStatsParams ask for the figures of all sites of the table together, or of those of an owner. Deleted sites are left out.
type SitesStatsParams struct {
	Owner string // "": all sites
	// From and To, exclusive, are as in StatsParams. Without a Zone, an end that is the first instant of a day in UTC is that day's date,
	// and each site has the range of its own days of these dates.
	From, To time.Time
	// By is as in StatsParams, but that it never is Hour by default. Hours without a Zone are those of UTC, in which the hours of sites
	// begin.
	By   By
	Unit By
	// Zone is the time zone of days, weeks, months and years. nil: each site's own, so that a day is that date in the zone of each.
	Zone        *time.Location
	IncludeBots bool // adds bots to events, page views and values
	Consistent  bool // strongly consistent reads, at twice the cost, except of the list of an owner's sites
}

// SitesIncluded says which sites figures are of.
type SitesIncluded struct {
	Owner      string `json:"owner"`           // "": of all sites
	Sites      int    `json:"sites"`           // that are not deleted
	WithEvents int    `json:"sitesWithEvents"` // of these, those with events in the range
	// CountingNew is how many of those with events have counted new visitors since the range began; 0 in answers without new visitors.
	CountingNew int `json:"sitesCountingNewVisitors"`
}

// StatsOfSites reads the figures of several sites together. Counters are sums, and rates are computed of the sums. Visitors are the union
// over all sites: a visitorId of two sites is one visitor, and new twice if it is new at both. The answer has all buckets, 1,000 at most,
// and no cursor. Eight sites are read at once, and each costs as much as [Reader.Stats] of it.
func (r *Reader) StatsOfSites(ctx context.Context, p SitesStatsParams) (StatsAnswer, error) {
	return ask(ctx, r, p, answerSitesStats, "stats of several sites")
}

func answerSitesStats(ctx context.Context, t *sitetable.Store, p SitesStatsParams) (StatsAnswer, error) {
	g, err := newSitesStats(t, p)
	if err != nil {
		return StatsAnswer{}, err
	}
	if err := g.addSites(ctx); err != nil {
		return StatsAnswer{}, err
	}
	return g.answer(), nil
}

// sitesStats sums up the rows of several sites.
type sitesStats struct {
	store *sitetable.Store
	p     SitesStatsParams
	cal   calendar.Calendar // how rows are named: in UTC where each site has its own zone
	asked calendar.Span
	of    derived.Senders

	sites SitesIncluded
	sum   *compared.Several
}

func newSitesStats(t *sitetable.Store, p SitesStatsParams) (*sitesStats, error) {
	g := &sitesStats{store: t, p: p, of: derived.SendersOf(p.IncludeBots), cal: calendar.Calendar{By: p.By, Loc: p.Zone},
		sites: SitesIncluded{Owner: p.Owner},
		sum:   compared.NewSeveral()}
	if p.By != "" {
		if err := p.By.Check(); err != nil {
			return nil, err
		}
	}
	var err error
	if g.asked, err = t.Bounded(p.From, p.To); err != nil {
		return nil, err
	}
	if p.Zone == nil {
		g.cal.Loc = time.UTC
	}
	if p.By == "" {
		if g.cal.By = calendar.SizeFor(g.asked, g.cal.Loc, p.Unit); g.cal.By == Hour && p.Zone == nil {
			g.cal.By = Day
		}
	}
	if err := g.cal.Holds(g.asked); err != nil {
		return nil, err
	}
	if n := g.cal.Count(g.cal.Widen(g.asked)); n > mostSitesRows {
		return nil, &ParamError{Param: "by", Value: string(g.cal.By),
			Remedy: fmt.Sprintf("the range has %d rows, and an answer %d at most: choose larger ones",
				n, mostSitesRows)}
	}
	return g, nil
}

// addSites adds the sites, some at once.
func (g *sitesStats) addSites(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	group, gctx := errgroup.WithContext(ctx)
	group.SetLimit(sitetable.FanOut)
	for site, err := range sitesOf(ctx, g.store, g.p.Owner, g.p.Consistent) {
		if err != nil {
			stop()
			return errors.Join(err, group.Wait())
		}
		g.sites.Sites++
		of := sitetable.Table{Store: g.store, Site: site.SiteID, Clock: calendar.Clock{Rules: site.rules}, Consistent: g.p.Consistent}
		group.Go(func() error {
			if err := g.addSite(gctx, of); err != nil {
				return fmt.Errorf("site %q: %w", of.Site, err)
			}
			return nil
		})
	}
	return group.Wait()
}

// addSite adds the rows of a site.
func (g *sitesStats) addSite(ctx context.Context, t sitetable.Table) error {
	s := g.asked
	switch {
	case g.p.Zone == nil && g.cal.By == Hour:
		s = g.cal.Widen(s)
		s = calendar.Span{From: t.Clock.NextHour(s.From), To: t.Clock.NextHour(s.To)}
	case g.p.Zone == nil:
		if s = (calendar.Span{From: t.Clock.Dated(s.From), To: t.Clock.Dated(s.To)}); s.From >= s.To {
			return nil // The first date has not begun there.
		}
	}
	q, err := newStatsQuestion(StatsParams{Site: t.Site, From: calendar.Instant(s.From), To: calendar.Instant(s.To), By: g.cal.By,
		Unit: g.p.Unit,
		Zone: g.p.Zone, IncludeBots: g.p.IncludeBots, Consistent: g.p.Consistent}, t)
	if err != nil {
		return err
	}
	return g.sum.Add(ctx, q.Question, func(from int64) bool { return derived.CountsNew(t.Clock.Rules, from) })
}

// answer makes the answer of what was added.
func (g *sitesStats) answer() StatsAnswer {
	g.sites.WithEvents, g.sites.CountingNew = g.sum.WithEvents, g.sum.CountingNew
	s := g.cal.Widen(g.asked)
	now := g.store.Now().UnixMilli()
	a := StatsAnswer{Coverage: Coverage{Warnings: []Warning{}},
		By: g.cal.By, Zone: OwnZones, Buckets: []Bucket{}, IncludesBots: g.of == derived.Everybody, Incomplete: g.sum.Total.Incomplete,
		InProgress: s.To > now, ExpiredOmitted: g.sum.Expired, Included: &g.sites}
	if g.p.Zone != nil || g.cal.By == Hour {
		a.Zone = g.cal.Loc.String()
	}
	for _, n := range slices.Sorted(maps.Keys(g.sum.Rows)) {
		r, b := g.sum.Rows[n], g.cal.At(n)
		s.To = max(s.To, g.cal.Small().Bucket(b.From).To) // Where a site is ahead of UTC, it may have a day that is one later.
		f := derived.OfTotal(&r.Total, g.of)
		derived.SetReturningOfSites(&f, !r.Uncounted)
		a.Buckets = append(a.Buckets, Bucket{Start: g.cal.Instant(b.From), End: g.cal.Instant(b.To), Partial: r.Partial, InProgress: r.InProgress,
			Incomplete: r.Incomplete, Figures: f})
		a.InProgress = a.InProgress || r.InProgress
	}
	f := derived.OfTotal(g.sum.Total, g.of)
	derived.SetReturningOfSites(&f, g.sites.CountingNew == g.sites.WithEvents)
	a.Totals, a.From, a.To = &f, g.cal.Instant(s.From), g.cal.Instant(s.To)
	a.SiteKnown = g.p.Owner == "" || g.sites.Sites > 0
	return a
}

// OwnZones is the time zone of an answer in which each site has its own days. Its instants are the dates in UTC.
const OwnZones = "own"

// mostSitesRows bounds the memory of an answer: each row has the visitors of all sites, up to 17 KB.
const mostSitesRows = 1000
