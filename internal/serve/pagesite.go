package serve

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/footfall/footfall/internal/page"
	"github.com/footfall/footfall/query"
)

// maxBuckets is how many buckets a graph has at most: a year of hours would be wider than any screen.
const maxBuckets = 2000

// site shows a site. Its questions are those of the API.
func (s *server) site(ctx context.Context, r request, w io.Writer) error {
	v := page.SiteView{At: page.Address{Look: lookOf(ctx), Site: page.Unspelled(r.PathValue("site")), Values: r.values}}
	if err := checkSiteParams(r.values); err != nil {
		return err
	}
	in := &StatsInput{SiteParams: SiteParams{Site: v.At.Site}, ZoneParams: zoneParams(r.values), By: r.values["by"], Fill: true}
	in.Limit = maxBuckets
	if _, bounded := boundsOf(ctx); !bounded && r.values["compare"] != page.NoComparison { // The range before is out of bounds.
		in.Compare = "previous"
	}
	var err error
	v.Stats, err = (api{server: s}).stats(ctx, s.reader, in)
	if wrong, ok := errors.AsType[*query.ParamError](err); ok && wrong.Param == "compare" { // Nothing is before 1970.
		in.Compare = ""
		v.Stats, err = (api{server: s}).stats(ctx, s.reader, in)
	}
	if err == nil {
		err = absent(v.Stats)
	}
	if err == nil {
		v.Stats, err = hold(ctx, v.Stats)
	}
	if err != nil {
		return err
	}
	if err := s.lists(ctx, &v, in.Zone); err != nil {
		return err
	}
	v.Read, v.Units = s.now(), r.read.read()
	return page.Site(w, v)
}

// lists reads the rest of a site's page: lists and goals of the range that the stats were widened to, so that all figures of the page are
// of one range, and realtime figures.
func (s *server) lists(ctx context.Context, v *page.SiteView, zoneName string) error {
	site, from, to := v.At.Site, v.Stats.From, v.Stats.To
	var zone *time.Location
	if zoneName != "" {
		zone = from.Location()
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(fanOut)
	group.Go(func() (err error) {
		v.Tops, err = s.reader.Tops(ctx, query.TopParams{Site: site, From: from, To: to, Zone: zone}, page.Lists())
		return err
	})
	group.Go(func() (err error) {
		v.Realtime, err = s.reader.Realtime(ctx, query.RealtimeParams{Site: site})
		if checkSpans(ctx, v.Realtime) != nil {
			v.Realtime = query.RealtimeAnswer{SwitchedOff: true}
		}
		return err
	})
	group.Go(func() error {
		a, err := s.reader.Site(ctx, query.SiteParams{Site: site})
		v.Site = a.Site
		return err
	})
	group.Go(func() (err error) {
		v.Goals, err = s.goals(ctx, v.Stats, zone)
		return err
	})
	return group.Wait()
}

// goals reads the goals of a site's page, if there are any: most sites have none, and the answer costs as much as the stats.
func (s *server) goals(ctx context.Context, stats query.StatsAnswer, zone *time.Location) (none query.GoalStatsAnswer, err error) {
	list, err := s.reader.Goals(ctx, query.GoalsParams{Site: stats.Site, Paging: query.Paging{Limit: 1}})
	if err != nil || len(list.Goals) == 0 && (stats.Totals == nil || stats.Totals.Conversions == 0) {
		return none, err
	}
	return s.reader.GoalStats(ctx, query.StatsParams{Site: stats.Site, From: stats.From, To: stats.To, Zone: zone, By: stats.By,
		Paging: query.Paging{Limit: 1}})
}

// zoneParams are the parameters of the range of a page.
func zoneParams(values map[string]string) ZoneParams {
	p := ZoneParams{RangeParams: RangeParams{From: values["from"], To: values["to"], Period: values["period"]}, Zone: values["tz"]}
	if p.From == "" && p.To == "" && p.Period == "" {
		p.From = page.DefaultFrom
	}
	return p
}

// checkSiteParams refuses values that only the page has.
func checkSiteParams(values map[string]string) error {
	for _, c := range []struct {
		name   string
		values []string
	}{{"by", query.Sizes}, {"compare", []string{page.NoComparison}}, {"figure", page.Figures()}} {
		if value := values[c.name]; value != "" && !slices.Contains(c.values, value) {
			return atFault(c.name, value, "choose "+strings.Join(c.values, ", ")+", or leave it out")
		}
	}
	return nil
}

// top shows the whole list of a dimension.
func (s *server) top(ctx context.Context, r request, w io.Writer) error {
	at := page.Address{Look: lookOf(ctx), Site: page.Unspelled(r.PathValue("site")), Values: r.values}
	span, err := zoneParams(r.values).read(ctx, s.reader, api{server: s}.hours(at.Site))
	if err != nil {
		return err
	}
	answer, err := s.reader.Top(ctx, query.TopParams{Site: at.Site, Dimension: r.PathValue("dimension"), From: span.From, To: span.To,
		Zone: span.zone, Sort: r.values["sort"], Cursor: r.values["cursor"]})
	if err != nil {
		return err
	}
	if err := checkSpans(ctx, answer); err != nil {
		return err
	}
	if answer.UnknownSite() {
		return problem(http.StatusNotFound, "The site is not known: none of its events was counted, and it was not created.")
	}
	return page.Top(w, page.TopView{At: at, Answer: answer})
}
