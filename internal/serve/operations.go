package serve

import (
	"context"
	"errors"
	"strings"

	"github.com/footfall/footfall/query"
)

// ConsistentParams is the parameter of questions that may be asked with strong reads.
type ConsistentParams struct {
	Consistent bool `query:"consistent" doc:"Strongly consistent reads, at twice the cost"`
}

// BotParams is the parameter of figures that can include bots.
type BotParams struct {
	IncludeBots bool `query:"includeBots" doc:"Add bots to events, page views and values"`
}

func (p PageParams) paging() query.Paging {
	return query.Paging{Limit: p.Limit, Desc: p.Desc, Cursor: p.Cursor}
}

// SitesInput asks for sites.
type SitesInput struct {
	Owner   string `query:"owner" doc:"Only sites of this owner"`
	Deleted bool   `query:"deleted" doc:"Include deleted sites, as footfall site list does"`
	PageParams
	ConsistentParams
	FormatParams
}

// SiteInput asks for a site.
type SiteInput struct {
	SiteParams
	ConsistentParams
}

func (a api) addSites() {
	get(a, operation{"list-sites", "/sites", "List the sites", "Sites by id, with their settings. As `footfall site list`, without " +
		"deleted sites unless they are asked for."},
		func(ctx context.Context, r *query.Reader, in *SitesInput) (query.SitesAnswer, error) {
			return r.Sites(ctx, query.SitesParams{Owner: in.Owner, Deleted: in.Deleted, Consistent: in.Consistent, Paging: in.paging()})
		})
	get(a, operation{"get-site", "/sites/{site}", "Get a site", "A site with its settings. As `footfall query site`."},
		func(ctx context.Context, r *query.Reader, in *SiteInput) (query.SiteAnswer, error) {
			return r.Site(ctx, query.SiteParams{Site: in.Site, Consistent: in.Consistent})
		})
}

// StatsInput asks for figures by interval.
type StatsInput struct {
	SiteParams
	ZoneParams
	By      string `query:"by" enum:"hour,day,week,month,year" doc:"Size of a bucket; by default by the length of the range"`
	Compare string `query:"compare" enum:"previous" doc:"Compare with the range before"`
	Align   string `query:"align" enum:"weekday" doc:"With compare: the earlier range has the same days of the week"`
	Fill    bool   `query:"fill" doc:"A row also for each bucket without events, up to the current one"`
	BotParams
	PageParams
	ConsistentParams
}

// UniquesInput asks for visitors.
type UniquesInput struct {
	SiteParams
	ZoneParams
	BotParams
	ConsistentParams
}

// TopInput asks for the values of a dimension.
type TopInput struct {
	SiteParams
	Dimension string `path:"dimension" doc:"hostname, page, referrer, channel, utm_source, utm_medium, utm_campaign, utm_content, utm_term, country, region, city, device, browser, os, event, or property:KEY"`
	ZoneParams
	Sort   string `query:"sort" doc:"Figure to sort by, descending; by default pageViews of pages, uniqueVisitors of all else"`
	Limit  int    `query:"limit" minimum:"1" maximum:"10000" default:"100" doc:"Max. rows of the page"`
	Cursor string `query:"cursor" doc:"Continue after the page that returned this cursor"`
	BotParams
	ConsistentParams
}

// RealtimeInput asks what is happening at a site.
type RealtimeInput struct {
	SiteParams
	At    string `query:"at" doc:"End of the five minutes, an instant as in from; by default now. Dates are those of the site's own zone"`
	Pages int    `query:"pages" minimum:"1" maximum:"50" default:"10" doc:"Max. active pages"`
	BotParams
	ConsistentParams
}

// lastDay is the range of figures if none is named, as of the command line.
const lastDay = "-24h"

func (a api) addFigures() {
	get(a, operation{"get-stats", "/sites/{site}/stats", "Figures by hour, day, week, month or year, with totals",
		"The first page has the totals of the range. As `footfall query stats`."}, a.stats)
	get(a, operation{"get-uniques", "/sites/{site}/uniques", "Distinct visitors of a range", "As `footfall query uniques`."},
		func(ctx context.Context, r *query.Reader, in *UniquesInput) (query.UniquesAnswer, error) {
			s, err := in.read(ctx, r, a.hours(in.Site))
			if err != nil {
				return query.UniquesAnswer{}, err
			}
			return r.Uniques(ctx, query.UniquesParams{Site: in.Site, From: s.From, To: s.To, Zone: s.zone, IncludeBots: in.IncludeBots,
				Consistent: in.Consistent})
		})
	get(a, operation{"get-top", "/sites/{site}/top/{dimension}", "Top values of a dimension",
		"Pages add up: the rows of all pages so far, other and none are all events in breakdowns. As `footfall query top`."},
		func(ctx context.Context, r *query.Reader, in *TopInput) (query.TopAnswer, error) {
			s, err := in.read(ctx, r, a.hours(in.Site))
			if err != nil {
				return query.TopAnswer{}, err
			}
			return r.Top(ctx, query.TopParams{Site: in.Site, Dimension: in.Dimension, From: s.From, To: s.To, Zone: s.zone, Sort: in.Sort,
				Limit: in.Limit, Cursor: in.Cursor, IncludeBots: in.IncludeBots, Consistent: in.Consistent})
		})
	get(a, operation{"get-realtime", "/sites/{site}/realtime", "Current visitors and active pages",
		"The last five minutes of event time, and each of the last thirty as far as they are kept. As `footfall query realtime`."},
		func(ctx context.Context, r *query.Reader, in *RealtimeInput) (query.RealtimeAnswer, error) {
			p := query.RealtimeParams{Site: in.Site, Pages: in.Pages, IncludeBots: in.IncludeBots, Consistent: in.Consistent}
			if in.At != "" && in.At != "now" {
				at, err := ZoneParams{RangeParams: RangeParams{To: in.At}}.read(ctx, r, a.open(in.Site))
				if err != nil {
					return query.RealtimeAnswer{}, renamed(err, "to", "at")
				}
				p.At = at.To
			}
			return r.Realtime(ctx, p)
		})
}

func (a api) stats(ctx context.Context, r *query.Reader, in *StatsInput) (none query.StatsAnswer, err error) {
	if in.Align != "" && in.Compare == "" {
		return none, atFault("align", in.Align, "add compare=previous, whose earlier range it chooses, or leave it out")
	}
	s, err := in.read(ctx, r, a.hours(in.Site))
	if err != nil {
		return none, err
	}
	return r.Stats(ctx, query.StatsParams{Site: in.Site, From: s.From, To: s.To, Unit: s.Unit, Zone: s.zone, By: query.By(in.By),
		Compare: in.Compare != "", Align: query.Align(in.Align), Fill: in.Fill, IncludeBots: in.IncludeBots, Consistent: in.Consistent,
		Paging: in.paging()})
}

// hours is how the range of figures is read, which are made of whole hours.
func (a api) hours(site string) reading {
	return reading{site: site, now: a.now(), wholeHours: true, from: lastDay}
}

// open is how the range of a list is read, which may have no ends.
func (a api) open(site string) reading { return reading{site: site, now: a.now()} }

// renamed has a problem name another parameter.
func renamed(err error, from, to string) error {
	if p, ok := errors.AsType[*Problem](err); ok {
		p.Detail = strings.Replace(p.Detail, from+":", to+":", 1)
		for _, e := range p.Errors {
			e.Location = "query." + to
		}
	}
	return err
}
