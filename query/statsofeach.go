package query

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/query/internal/sitetable"
	"github.com/footfall/footfall/sinks"
)

// EachSiteParams ask for the figures of sites one by one, as SitesParams name them.
type EachSiteParams struct {
	SitesParams           // Limit is of sites
	From, To    time.Time // as in SitesFiguresParams
	By          By        // "": Day
	Unit        By        // as in StatsParams
	Zone        *time.Location
	IncludeBots bool
}

// EachSiteAnswer has the buckets with events of each site, site after site.
type EachSiteAnswer struct {
	Rows           []SiteBucket `json:"rows"`
	Sites          int          `json:"sites"` // of this page, those without events among them
	ExpiredOmitted int          `json:"expiredCount"`
	Cursor         string       `json:"cursor"` // of the next page; "": this is the last
	// Coverage is that of all partitions, whichever sites they have. Final is that of the latest bucket.
	Coverage
}

// SiteBucket is a bucket of a site.
type SiteBucket struct {
	Site string `json:"siteId"`
	Bucket
}

// mostSiteRows bounds the memory of an answer about each site.
const mostSiteRows = 100_000

// StatsOfEach reads the figures of sites one by one. Eight sites are read at once, and each costs as much as [Reader.Stats] of it, without
// what that reads to find the site and its partitions.
func (r *Reader) StatsOfEach(ctx context.Context, p EachSiteParams) (EachSiteAnswer, error) {
	return ask(ctx, r, p, answerEachSite, "stats of each site")
}

func answerEachSite(ctx context.Context, t *sitetable.Store, p EachSiteParams) (EachSiteAnswer, error) {
	if p.By == "" {
		p.By = Day
	}
	if err := p.By.Check(); err != nil {
		return EachSiteAnswer{}, err
	}
	asked, err := t.Bounded(p.From, p.To)
	if err != nil {
		return EachSiteAnswer{}, err
	}
	stands, err := t.Standings(ctx)
	if err != nil {
		return EachSiteAnswer{}, err
	}
	covers := sitetable.CoveringOf(stands, func(sinks.TP) bool { return true })
	list, err := answerSites(ctx, t, p.SitesParams)
	if err != nil {
		return EachSiteAnswer{}, err
	}
	buckets := int64(len(list.Sites)) * (calendar.Calendar{By: p.By, Loc: time.UTC}).Count(asked)
	if buckets > mostSiteRows {
		return EachSiteAnswer{}, &ParamError{Param: "limit", Value: fmt.Sprint(p.Limit),
			Remedy: fmt.Sprintf("the page may have %d rows, and %d at most: ask for fewer "+
				"sites, a shorter range or larger buckets", buckets, mostSiteRows)}
	}
	of, expired := make([][]Bucket, len(list.Sites)), make([]int, len(list.Sites))
	group, gctx := errgroup.WithContext(ctx)
	group.SetLimit(sitetable.FanOut)
	for i, site := range list.Sites {
		group.Go(func() (err error) {
			table := sitetable.Table{Store: t, Site: site.SiteID, Clock: calendar.Clock{Rules: site.rules}, Consistent: p.Consistent}
			if of[i], expired[i], err = bucketsOf(gctx, table, p, asked, covers); err != nil {
				return fmt.Errorf("site %q: %w", site.SiteID, err)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return EachSiteAnswer{}, err
	}
	a := EachSiteAnswer{Rows: []SiteBucket{}, Sites: len(list.Sites), ExpiredOmitted: list.ExpiredOmitted, Cursor: list.Cursor,
		Coverage: covers.Of(asked.To, calendar.Instant)}
	for i, site := range list.Sites {
		a.ExpiredOmitted += expired[i]
		for _, b := range of[i] {
			a.Rows = append(a.Rows, SiteBucket{site.SiteID, b})
		}
	}
	return a, nil
}

// bucketsOf reads the buckets of one of many sites. Its range is that of its own days unless a zone was named.
func bucketsOf(ctx context.Context, t sitetable.Table, p EachSiteParams, asked calendar.Span, covers sitetable.Covering) ([]Bucket, int,
	error) {
	if p.Zone == nil {
		asked = calendar.Span{From: t.Clock.Dated(asked.From), To: t.Clock.Dated(asked.To)}
	}
	if asked.From >= asked.To {
		return nil, 0, nil // The first date has not begun there.
	}
	q, err := newStatsQuestion(StatsParams{Site: t.Site, From: calendar.Instant(asked.From), To: calendar.Instant(asked.To), By: p.By,
		Unit:        p.Unit,
		Zone:        p.Zone,
		IncludeBots: p.IncludeBots, Paging: Paging{Limit: MaxLimit}}, t)
	if err != nil {
		return nil, 0, err
	}
	q.covers = covers
	a, err := q.answer(ctx)
	return a.Buckets, a.ExpiredOmitted, err
}
