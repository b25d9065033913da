package serve

import (
	"context"
	"io"

	"golang.org/x/sync/errgroup"

	"github.com/footfall/footfall/internal/access"
	"github.com/footfall/footfall/internal/page"
	"github.com/footfall/footfall/internal/page/lists"
	"github.com/footfall/footfall/internal/serve/permit"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/query/retention"
)

// maxBuckets is how many buckets a graph has at most: a year of hours would be wider than any screen.
const maxBuckets = 2000

// lists reads the rest of a site's page: lists and goals of the ranges that the stats were widened to, so that all figures of the page are
// of one range and of one earlier range, recent sessions, and realtime figures.
func (ps pages) lists(ctx context.Context, v *page.SiteView, zoneName string) error {
	site := v.At.Site
	now := query.TopParams{Site: site, From: v.Stats.From, To: v.Stats.To}
	if zoneName != "" {
		now.Zone = now.From.Location()
	}
	before := now
	compared := ps.comparable(v.Stats)
	if compared {
		before.From, before.To = v.Stats.Previous.From, v.Stats.Previous.To
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(fanOut)
	if v.Filtering == nil {
		group.Go(func() (err error) {
			v.Tops, err = ps.reader.Tops(ctx, now, lists.Lists())
			return err
		})
		group.Go(func() (err error) {
			v.Realtime, err = ps.currentFigures(ctx, site, page.MostNowPages)
			v.Streamed = access.Of(ctx).Check(access.Need{Right: access.Read, Site: site}) == nil
			if permit.CheckSpans(ctx, v.Realtime) != nil {
				v.Realtime = query.RealtimeAnswer{SwitchedOff: true}
			}
			return err
		})
		group.Go(func() error { return ps.goals(ctx, v, now, before) })
		group.Go(func() error { return ps.retention(ctx, v) })
	}
	if compared && v.Filtering == nil {
		group.Go(func() (err error) {
			v.TopsBefore, err = ps.reader.Tops(ctx, before, lists.ListsBefore())
			return err
		})
	}
	if query.ScopeOf(v.At.Where) == query.ScopeSessions {
		group.Go(func() error { return ps.funnels(ctx, v) })
	}
	group.Go(func() error {
		a, err := ps.reader.Site(ctx, query.SiteParams{Site: site})
		v.Site = a.Site
		return err
	})
	if access.Of(ctx).Check(access.Need{Right: access.Sessions, Site: site}) == nil && query.ScopeOf(v.At.Where) == query.ScopeSessions {
		group.Go(func() (err error) {
			v.Sessions, err = ps.recentSessions(ctx, site, v.At.Where)
			return err
		})
	}
	if len(v.At.Locked) == 0 { // They are about all events.
		group.Go(func() error { return ps.recounted(ctx, v) })
		group.Go(func() error { return ps.annotated(ctx, v) })
		group.Go(func() error { return ps.alerted(ctx, v) })
		group.Go(func() (err error) {
			v.Segments, err = ps.segments(ctx, v.At)
			return err
		})
	}
	return group.Wait()
}

// goals reads the goals of a site's page, if there are any: most sites have none, and the answer costs as much as the stats.
func (ps pages) goals(ctx context.Context, v *page.SiteView, now, before query.TopParams) error {
	list, err := ps.reader.Goals(ctx, query.GoalsParams{Site: now.Site, Paging: query.Paging{Limit: 1}})
	if err != nil || len(list.Goals) == 0 && (v.Stats.Totals == nil || v.Stats.Totals.Conversions == 0) {
		return err
	}
	if v.Goals, err = ps.reader.GoalStats(ctx, query.StatsParams{Site: now.Site, From: now.From, To: now.To, Zone: now.Zone, By: v.Stats.By,
		Paging: query.Paging{Limit: 1}}); err != nil || before == now {
		return err
	}
	// The earlier range may end within a day, to which GoalStats would widen it.
	earlier, err := ps.reader.GoalTotals(ctx, query.GoalTotalsParams{Site: before.Site, From: before.From, To: before.To, Zone: before.Zone})
	v.GoalsBefore = &query.GoalStatsAnswer{From: before.From, Totals: &earlier}
	return err
}

// retention reads which visitors came back up to the end of the page's range, if the site counts new ones. Who may see one range alone sees
// its last weeks.
func (ps pages) retention(ctx context.Context, v *page.SiteView) error {
	if v.Stats.Totals == nil || v.Stats.Totals.NewVisitors == nil {
		return nil
	}
	p := retention.Params{Site: v.At.Site}
	_, bounded := permit.Bounds(ctx)
	if bounded && v.Stats.From.After(v.Stats.To.AddDate(0, 0, -7*(retention.DefaultWeeks+2))) { // Otherwise the default begins later.
		p.From = v.Stats.From
	}
	if bounded || v.Stats.To.Before(ps.now()) {
		p.To = v.Stats.To
	}
	a, err := ps.reader.Retention(ctx, p)
	if err == nil {
		a, err = permit.Hold(ctx, a)
	}
	v.Retention = &a
	return err
}

// pageAnnotations is how many annotations a page shows.
const pageAnnotations = 100

// annotated reads the annotations of the range of a site's page, the newest.
func (ps pages) annotated(ctx context.Context, v *page.SiteView) error {
	answer, err := ps.reader.Annotations(ctx, query.AnnotationsParams{Site: v.At.Site, From: v.Stats.From, To: v.Stats.To,
		Paging: query.Paging{Limit: pageAnnotations, Desc: true}})
	if err == nil {
		v.Annotations, err = permit.Hold(ctx, answer)
	}
	return err
}

// alerted reads what alerts found in the range of a site's page, for those who may see all of the site: it is compared with weeks before.
func (ps pages) alerted(ctx context.Context, v *page.SiteView) (err error) {
	if access.Of(ctx).Check(access.Need{Right: access.Read, Site: v.At.Site}) != nil {
		return nil
	}
	v.Fired, err = ps.reader.Alerts(ctx, query.AlertsParams{Site: v.At.Site, From: v.Stats.From, To: v.Stats.To,
		FindingsOnly: true, Paging: query.Paging{Limit: pageAnnotations, Desc: true}})
	return err
}

// siteOf shows a site. Its questions are those of the API. wrong is a field of a form whose value was left out; nil: there is none.
func (ps pages) siteOf(ctx context.Context, r request, w io.Writer, wrong *page.WrongField) error {
	at, err := ps.addressOf(ctx, r)
	if err != nil {
		return err
	}
	v := page.SiteView{At: at, Wrong: wrong}
	if err := checkSiteParams(r.values); err != nil {
		return err
	}
	in := &StatsInput{SiteParams: SiteParams{Site: v.At.Site}, ZoneParams: zoneParams(r.values), By: r.values["by"], Fill: true}
	in.Limit = maxBuckets
	in.Compare = comparison(ctx, r.values["compare"])
	if len(at.Where) > 0 {
		err = ps.filters.site(ctx, &v, in)
	} else {
		v.Stats, err = ps.comparedStats(ctx, in)
	}
	if err != nil {
		return err
	}
	if err := ps.lists(ctx, &v, in.Zone); err != nil {
		return err
	}
	_, v.Bounded = permit.Bounds(ctx)
	if v.Read = ps.now(); permit.OwnsAll(ctx) {
		v.Units = r.read.Read()
	}
	return page.Site(w, v)
}
