package query

import (
	"context"
	"errors"
	"iter"
	"maps"
	"time"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/query/internal/sitelist"
	"github.com/footfall/footfall/query/internal/sitetable"
	"github.com/footfall/footfall/sinks"
)

// SitesParams ask for all sites of the table, or those of an owner.
type SitesParams struct {
	Owner      string   // "": all sites
	Search     string   // only sites with this text in their id, in upper or lower case; "": all
	Only       []string // only these sites, as far as they are known; nil: all. They are read alone
	Prefix     string   // only sites whose id begins with this; "": all. Unlike Search, it reads no other entries of the list of sites
	Deleted    bool     // include deleted sites
	Consistent bool     // strongly consistent reads, except of the list of an owner's sites, which is an index
	Paging
}

// SitesAnswer lists sites in the order of their ids.
type SitesAnswer struct {
	Sites          []Site `json:"sites"`
	ExpiredOmitted int    `json:"expiredCount"`
	Cursor         string `json:"cursor"` // of the next page; "": this is the last
}

// Exclusions are the events of a site that are not counted but as ExcludedEvents.
type Exclusions struct {
	ExcludedPaths []string `json:"excludedPaths"` // pages; * stands for any text
	ExcludedTypes []string `json:"excludedTypes"` // types of events
}

// Site is a site with its latest settings. A site that was neither created nor changed has the default settings.
type Site struct {
	SiteID    string     `json:"siteId"`
	Created   bool       `json:"created"` // it was created or changed, and so has metadata
	Name      string     `json:"name"`
	Domains   []string   `json:"domains"`
	Owner     string     `json:"owner"`
	CreatedAt *time.Time `json:"createdAt"` // null: never created
	DeletedAt *time.Time `json:"deletedAt"` // null: not deleted
	Revision  int64      `json:"revision"`  // of the site settings, as of this site's last change; 0: none
	Shards    int        `json:"shards"`    // of raw events, now
	Zone      string     `json:"timeZone"`  // now, by its IANA name
	Retention Retention  `json:"retention"`

	// ShardsFrom and ZonesFrom are past, present and planned values in order. Each is in effect until the next. From is null for the
	// first. No two neighbours are equal.
	ShardsFrom []ShardsFrom `json:"shardsFrom"`
	ZonesFrom  []ZoneFrom   `json:"timeZonesFrom"`

	Exclusions
	UserAgents []string `json:"userAgents"` // substrings of user agents that the site treats as bots
	Referrers  []string `json:"referrers"`  // hosts of referrers that the site treats as spam

	// QueryParameters are the parameters of urls and referrers that raw and failed events keep; null: as configured.
	QueryParameters *string `json:"queryParameters"`

	// EventsPerSecond is the site's budget per partition. Events beyond it are in no session or breakdown; 0: unlimited.
	EventsPerSecond int64 `json:"eventsPerSecond"`

	// Rows are how many values of a dimension have figures of their own per hour and partition, by dimension, where the site has another
	// number than configured.
	Rows map[string]int `json:"rows"`

	// Properties are the keys of the events' properties that the site has chosen as dimensions.
	Properties []SiteProperty `json:"properties"`

	// The switches say what is written from now on.
	Realtime     bool `json:"realtime"`     // realtime minutes
	Recent       bool `json:"recent"`       // the list of recent sessions
	VisitorIndex bool `json:"visitorIndex"` // the list of sessions by visitor
	NewVisitors  bool `json:"newVisitors"`  // new visitors

	// NewVisitorsSince is when it was decided to count new visitors. null: they are not counted, or from the beginning.
	NewVisitorsSince *time.Time `json:"newVisitorsSince"`

	rules *sites.Rules // all of it
}

// SiteProperty is a property that a site has chosen. Number is its dimension's, in breakdowns.
type SiteProperty struct {
	Key    string     `json:"key"`
	Number uint64     `json:"number"`
	Since  *time.Time `json:"since"` // when it was chosen; null: all that there is was counted with it
}

// ShardsFrom is a number of shards and the time from which on it is used.
type ShardsFrom struct {
	From   *time.Time `json:"from"`
	Shards int        `json:"shards"`
}

// ZoneFrom is a time zone and the time from which on it is used.
type ZoneFrom struct {
	From *time.Time `json:"from"`
	Zone string     `json:"timeZone"`
}

// Retention is how many days a site keeps its items; -1: for ever, null: as configured for the pipeline.
type Retention struct {
	RawDays     *int64 `json:"rawDays"`
	SessionDays *int64 `json:"sessionDays"`
	HourDays    *int64 `json:"hourDays"`
	DayDays     *int64 `json:"dayDays"`
	VisitorDays *int64 `json:"visitorDays"` // without an event, after which a visitor is new again; null: 90
}

// Sites lists sites. An owner's list contains only created sites.
func (r *Reader) Sites(ctx context.Context, p SitesParams) (SitesAnswer, error) {
	return ask(ctx, r, p, answerSites, "list of sites")
}

func answerSites(ctx context.Context, t *sitetable.Store, p SitesParams) (SitesAnswer, error) {
	list, err := sitetable.NewListing(p.Paging, append([]string{"sites", p.Owner, p.Search, p.Prefix}, p.Only...)...)
	if err != nil {
		return SitesAnswer{}, err
	}
	a := SitesAnswer{Sites: []Site{}}
	for after := list.Cursor.Position(); ; {
		found, sites, err := readSites(ctx, t, p, list.Limit-len(a.Sites), after)
		if err != nil {
			return SitesAnswer{}, err
		}
		a.ExpiredOmitted += found.Expired
		for _, s := range sites {
			if (p.Deleted || s.DeletedAt == nil) && p.asked().Matches(s.SiteID) && (p.Owner == "" || s.Owner == p.Owner) {
				a.Sites = append(a.Sites, s)
			}
		}
		switch {
		case !found.More:
			return a, nil
		case len(a.Sites) == list.Limit:
			a.Cursor = list.Next(found.Last, calendar.Span{})
			return a, nil
		}
		after = found.Last // Some were deleted.
	}
}

// asked is what is asked of the list.
func (p SitesParams) asked() sitelist.Params {
	return sitelist.Params{Owner: p.Owner, Search: p.Search, Prefix: p.Prefix, Only: p.Only, Desc: p.Desc, Consistent: p.Consistent}
}

// readSites reads the next limit sites, deleted ones among them.
func readSites(ctx context.Context, t *sitetable.Store, p SitesParams, limit int, after sitetable.Position) (found sitetable.Page,
	sites []Site, err error) {
	if p.Owner != "" && p.Only == nil {
		if err := sitetable.CheckID("owner", p.Owner); err != nil {
			return found, nil, err
		}
	}
	found, items, err := sitelist.Next(ctx, t, p.asked(), limit, after)
	if err != nil {
		return found, nil, err
	}
	for _, of := range items {
		site, err := readSite(t, of.Entry, of.Metadata)
		if err != nil {
			return found, nil, err
		}
		sites = append(sites, site)
	}
	return found, sites, nil
}

// sitesOf yields the sites of an owner that are not deleted; "": all of them.
func sitesOf(ctx context.Context, t *sitetable.Store, owner string, consistent bool) iter.Seq2[Site, error] {
	return func(yield func(Site, error) bool) {
		for after := (sitetable.Position{}); ; {
			found, sites, err := readSites(ctx, t, SitesParams{Owner: owner, Consistent: consistent}, MaxLimit, after)
			if err != nil {
				yield(Site{}, err)
				return
			}
			for _, s := range sites {
				if s.DeletedAt == nil && !yield(s, nil) {
					return
				}
			}
			if after = found.Last; !found.More {
				return
			}
		}
	}
}

// readSite makes a Site of its two items, of which either may be nil.
func readSite(t *sitetable.Store, entry, metadata sinks.Item) (Site, error) {
	it, now := entry, t.Now().UnixMilli()
	if it == nil {
		it = metadata // Between the two writes of a creation.
	}
	ruled, err := sitetable.ReadRules(metadata)
	if err != nil {
		return Site{}, err
	}
	zone, err := sites.EntryZone(entry, t.Keys)
	if err != nil {
		return Site{}, err
	}
	ruled = ruled.In(zone)
	s := Site{SiteID: sinks.ListedSite(it), Created: metadata != nil, Domains: []string{}, Revision: metadata[sinks.AttrRev].Int(),
		Shards: ruled.ShardsAt(now), Zone: ruled.Zone(now).Loc.String(), UserAgents: []string{}, Referrers: []string{},
		Exclusions: Exclusions{[]string{}, []string{}}, ShardsFrom: []ShardsFrom{{nil, ruled.ShardsAt(0)}},
		ZonesFrom: []ZoneFrom{{nil, ruled.Zone(0).Loc.String()}}, EventsPerSecond: ruled.Budget(), Rows: map[string]int{},
		Properties: []SiteProperty{}, Realtime: ruled.Realtime(), Recent: ruled.Recent(), VisitorIndex: ruled.VisitorIndex(),
		NewVisitors: ruled.CountsNewVisitors()}
	if ruled == nil {
		return s, nil
	}
	s.rules = ruled
	if text := ruled.QueryParameters; text != "" {
		s.QueryParameters = &text
	}
	for name, days := range map[string]**int64{sinks.AttrRawDays: &s.Retention.RawDays, sinks.AttrSessionDays: &s.Retention.SessionDays,
		sinks.AttrHourDays: &s.Retention.HourDays, sinks.AttrDayDays: &s.Retention.DayDays,
		sinks.AttrVisitorDays: &s.Retention.VisitorDays} {
		if n, ok := ruled.Days[name]; ok {
			*days = &n
		}
	}
	s.addChanges(ruled)
	s.Name, s.Owner = ruled.Name, ruled.Owner
	s.Domains, s.UserAgents, s.Referrers = append(s.Domains, ruled.Domains...), append(s.UserAgents, ruled.UserAgents...),
		append(s.Referrers, ruled.Referrers...)
	s.ExcludedPaths, s.ExcludedTypes = append(s.ExcludedPaths, ruled.ExcludedPaths...), append(s.ExcludedTypes, ruled.ExcludedTypes...)
	maps.Copy(s.Rows, ruled.Rows)
	for _, p := range ruled.Properties {
		s.Properties = append(s.Properties, SiteProperty{p.Key, p.N, instantOf(t.SinceOf(p.Since))})
	}
	s.NewVisitorsSince, s.CreatedAt = instantOf(t.SinceOf(ruled.NewVisitorsSince)), instantOf(ruled.CreatedAt)
	s.DeletedAt = instantOf(ruled.DeletedAt)
	return s, nil
}

// instantOf returns nil for 0.
func instantOf(ms int64) *time.Time {
	if ms <= 0 {
		return nil
	}
	return new(calendar.Instant(ms))
}

// SiteParams ask for one site.
type SiteParams struct {
	Site       string
	Consistent bool // strongly consistent reads, at twice the cost
}

// SiteAnswer is a site. Site is null if the site is unknown.
type SiteAnswer struct {
	SiteID string `json:"siteId"`
	Known
	Site *Site `json:"site"`
}

// Site reads a site's metadata and its entry in the list of sites.
func (r *Reader) Site(ctx context.Context, p SiteParams) (SiteAnswer, error) {
	if err := sitetable.CheckID("site", p.Site); err != nil {
		return SiteAnswer{}, err
	}
	return ask(ctx, r, p, answerSite, "site %q", p.Site)
}

func answerSite(ctx context.Context, t *sitetable.Store, p SiteParams) (SiteAnswer, error) {
	entry, metadata := t.Keys.SiteEntry(p.Site), t.Keys.Metadata(p.Site)
	items, err := t.BatchGet(ctx, []sinks.Key{entry, metadata}, p.Consistent)
	a := SiteAnswer{SiteID: p.Site, Known: Known{SiteKnown: len(items) > 0}}
	if err != nil || !a.SiteKnown {
		return a, err
	}
	if err := errors.Join(sinks.CheckKinds(items[entry]), sinks.CheckKinds(items[metadata])); err != nil {
		return a, err
	}
	s, err := readSite(t, items[entry], items[metadata])
	a.Site = &s
	return a, err
}
