package serve

import (
	"cmp"
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/footfall/footfall/internal/access"
	"github.com/footfall/footfall/internal/page"
	"github.com/footfall/footfall/internal/page/chart"
	"github.com/footfall/footfall/internal/page/links"
	"github.com/footfall/footfall/internal/page/lists"
	"github.com/footfall/footfall/query"
)

// maxBuckets is how many buckets a graph has at most: a year of hours would be wider than any screen.
const maxBuckets = 2000

// siteOf shows a site. Its questions are those of the API. wrong is a field of a form whose value was left out; nil: there is none.
func (s *server) siteOf(ctx context.Context, r request, w io.Writer, wrong *page.WrongField) error {
	at, err := s.addressOf(ctx, r)
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
		err = s.filteredFrom(ctx, &v, in)
	} else {
		v.Stats, err = s.comparedStats(ctx, in)
	}
	if err != nil {
		return err
	}
	if err := s.lists(ctx, &v, in.Zone); err != nil {
		return err
	}
	_, v.Bounded = boundsOf(ctx)
	if v.Read = s.now(); ownsAll(ctx) {
		v.Units = r.read.read()
	}
	return page.Site(w, v)
}

// addressOf is what a page about a site shows.
func (s *server) addressOf(ctx context.Context, r request) (at links.Address, err error) {
	at, err = filtersOf(ctx, r, links.Address{Look: lookOf(ctx), Site: links.Unspelled(r.PathValue("site")), Values: r.values})
	if err == nil && slices.ContainsFunc(at.Where, func(c query.Condition) bool { return c.Dimension == query.GoalDimension }) {
		at.Goals, err = s.goalNames(ctx, at.Site)
	}
	return at, err
}

// goalNames are the names of a site's goals, by id.
func (s *server) goalNames(ctx context.Context, site string) (map[string]string, error) {
	a, err := s.reader.Goals(ctx, query.GoalsParams{Site: site})
	names := make(map[string]string, len(a.Goals))
	for _, g := range a.Goals {
		names[g.ID] = g.Name
	}
	return names, err
}

// comparison returns what the value of a page's compare is to the API. A grant that is limited to a range has none before it.
func comparison(ctx context.Context, value string) string {
	if _, bounded := boundsOf(ctx); bounded || value == links.NoComparison {
		return ""
	}
	return cmp.Or(value, query.AgainstPrevious)
}

// comparedStats reads the figures of a site. Where nothing can be before, they are not compared.
func (s *server) comparedStats(ctx context.Context, in *StatsInput) (query.StatsAnswer, error) {
	a, err := (api{server: s}).stats(ctx, s.reader, in)
	if in.nothingBefore(err) {
		in.Compare = ""
		a, err = (api{server: s}).stats(ctx, s.reader, in)
	}
	if err == nil {
		err = absent(a)
	}
	if err == nil {
		a, err = hold(ctx, a)
	}
	return a, err
}

// nothingBefore reports whether an error says that nothing can be before the range, and the question names no range of its own.
func (in *StatsInput) nothingBefore(err error) bool {
	wrong, ok := errors.AsType[*query.ParamError](err)
	return ok && wrong.Param == "compare" && (in.Compare == query.AgainstPrevious || in.Compare == query.AgainstYear) // Before 1970.
}

// lists reads the rest of a site's page: lists and goals of the ranges that the stats were widened to, so that all figures of the page are
// of one range and of one earlier range, recent sessions, and realtime figures.
func (s *server) lists(ctx context.Context, v *page.SiteView, zoneName string) error {
	site := v.At.Site
	now := query.TopParams{Site: site, From: v.Stats.From, To: v.Stats.To}
	if zoneName != "" {
		now.Zone = now.From.Location()
	}
	before := now
	compared := s.comparable(v.Stats)
	if compared {
		before.From, before.To = v.Stats.Previous.From, v.Stats.Previous.To
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(fanOut)
	if v.Filtering == nil {
		group.Go(func() (err error) {
			v.Tops, err = s.reader.Tops(ctx, now, lists.Lists())
			return err
		})
		group.Go(func() (err error) {
			v.Realtime, err = s.currentFigures(ctx, site)
			v.Streamed = access.Of(ctx).Check(access.Need{Right: access.Read, Site: site}) == nil
			if checkSpans(ctx, v.Realtime) != nil {
				v.Realtime = query.RealtimeAnswer{SwitchedOff: true}
			}
			return err
		})
		group.Go(func() error { return s.goals(ctx, v, now, before) })
		group.Go(func() error { return s.funnels(ctx, v) })
	}
	if compared && v.Filtering == nil {
		group.Go(func() (err error) {
			v.TopsBefore, err = s.reader.Tops(ctx, before, lists.ListsBefore())
			return err
		})
	}
	group.Go(func() error {
		a, err := s.reader.Site(ctx, query.SiteParams{Site: site})
		v.Site = a.Site
		return err
	})
	if access.Of(ctx).Check(access.Need{Right: access.Sessions, Site: site}) == nil && query.ScopeOf(v.At.Where) == query.ScopeSessions {
		group.Go(func() (err error) {
			v.Sessions, err = s.recentSessions(ctx, site, v.At.Where)
			return err
		})
	}
	if len(v.At.Locked) == 0 { // They are about all events.
		group.Go(func() error { return s.recounted(ctx, v) })
		group.Go(func() error { return s.annotated(ctx, v) })
	}
	return group.Wait()
}

// comparable reports whether rows can be compared with those of the earlier range: there is one, the site has data from its beginning, and
// an hour of the range is over.
func (s *server) comparable(a query.StatsAnswer) bool {
	p := a.Previous
	return p != nil && p.From.Before(p.To) && p.DataFrom == nil && !page.Early(a, s.now())
}

// goals reads the goals of a site's page, if there are any: most sites have none, and the answer costs as much as the stats.
func (s *server) goals(ctx context.Context, v *page.SiteView, now, before query.TopParams) error {
	list, err := s.reader.Goals(ctx, query.GoalsParams{Site: now.Site, Paging: query.Paging{Limit: 1}})
	if err != nil || len(list.Goals) == 0 && (v.Stats.Totals == nil || v.Stats.Totals.Conversions == 0) {
		return err
	}
	if v.Goals, err = s.reader.GoalStats(ctx, query.StatsParams{Site: now.Site, From: now.From, To: now.To, Zone: now.Zone, By: v.Stats.By,
		Paging: query.Paging{Limit: 1}}); err != nil || before == now {
		return err
	}
	// The earlier range may end within a day, to which GoalStats would widen it.
	earlier, err := s.reader.GoalTotals(ctx, query.GoalTotalsParams{Site: before.Site, From: before.From, To: before.To, Zone: before.Zone})
	v.GoalsBefore = &query.GoalStatsAnswer{From: before.From, Totals: &earlier}
	return err
}

// rangeOf are the parameters of the range of a page.
func rangeOf(values map[string]string) ZoneParams {
	return ZoneParams{RangeParams: RangeParams{From: values["from"], To: values["to"], Period: values["period"]}, Zone: values["tz"]}
}

// zoneParams are the parameters of the range of a site's page, with the range that is the default.
func zoneParams(values map[string]string) ZoneParams {
	p := rangeOf(values)
	if p.From == "" && p.To == "" && p.Period == "" {
		p.From = links.DefaultFrom
	}
	return p
}

// checkSiteParams refuses values that only the page has.
func checkSiteParams(values map[string]string) error {
	known := map[string][]string{"by": query.Sizes, "figure": chart.Figures()}
	for _, name := range lists.Params {
		if tabs := lists.Tabs(name); tabs != nil {
			known[name] = tabs
		}
	}
	for _, name := range slices.Sorted(maps.Keys(known)) {
		if value := values[name]; value != "" && !slices.Contains(known[name], value) {
			return atFault(name, value, "choose "+strings.Join(known[name], ", ")+", or leave it out")
		}
	}
	return nil
}
