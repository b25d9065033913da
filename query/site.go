package query

import (
	"context"
	"fmt"
	"time"

	"github.com/footfall/footfall/sinks"
)

// SitesParams ask for the sites of the table, or those of an owner.
type SitesParams struct {
	Owner      string // "": all sites
	Consistent bool   // read strongly what the base table serves: not the list of an owner's sites
	Paging
}

// SitesAnswer lists sites in the order of their ids.
type SitesAnswer struct {
	Sites          []Site `json:"sites"`
	ExpiredOmitted int    `json:"expiredOmitted"`
	Cursor         string `json:"cursor"`
}

// Site is what is known about a site. Its entry in the list of sites decides on shards and retention; the rest is
// metadata, which only a created site has.
type Site struct {
	SiteID    string     `json:"siteId"`
	Created   bool       `json:"created"` // it has metadata
	Name      string     `json:"name"`
	Domains   []string   `json:"domains"`
	Owner     string     `json:"owner"`
	CreatedAt *time.Time `json:"createdAt"` // null: no metadata
	Shards    int        `json:"shards"`    // of raw events
	Retention Retention  `json:"retention"`
}

// Retention is for how many days a site's items are kept where that is its own choice: -1 is for ever, null is as
// the pipeline's settings say.
type Retention struct {
	RawDays     *int64 `json:"rawDays"`
	SessionDays *int64 `json:"sessionDays"`
	HourDays    *int64 `json:"hourDays"`
	DayDays     *int64 `json:"dayDays"`
}

// Sites lists sites. Those of an owner are only the created ones.
func (r *Reader) Sites(ctx context.Context, p SitesParams) (SitesAnswer, error) {
	a, err := r.sites(ctx, p)
	if err != nil {
		return SitesAnswer{}, fmt.Errorf("list of sites: %w", err)
	}
	return a, nil
}

func (r *Reader) sites(ctx context.Context, p SitesParams) (SitesAnswer, error) {
	limit, err := p.limit()
	if err != nil {
		return SitesAnswer{}, err
	}
	question := fingerprint(p.Desc, "sites", p.Owner)
	c, resumed, err := parseCursor(p.Cursor, question)
	if err != nil {
		return SitesAnswer{}, err
	}
	var found page
	var entries, metadata []sinks.Item // of the same sites; an item is nil where it is absent
	if p.Owner != "" {
		if err := checkID("owner", p.Owner); err != nil {
			return SitesAnswer{}, err
		}
		q := sinks.Query{Index: sinks.GSI1, Desc: p.Desc}
		if found, err = r.walk(q, limit, c.position(), resumed, r.keys.Owner(p.Owner)).collect(ctx, limit, all); err != nil {
			return SitesAnswer{}, err
		}
		if metadata, err = r.follow(ctx, found.items, sinks.Item.Key, p.Consistent); err != nil {
			return SitesAnswer{}, err
		}
		entries, err = r.follow(ctx, metadata, func(it sinks.Item) sinks.Key { return r.keys.SiteEntry(it[sinks.AttrSiteID].Str()) }, p.Consistent)
	} else {
		var lists []string
		for nn := range sinks.SiteListShards {
			lists = append(lists, r.keys.SiteList(nn))
		}
		q := sinks.Query{Desc: p.Desc, Consistent: p.Consistent}
		if found, err = r.walk(q, limit, c.position(), resumed, lists...).collect(ctx, limit, all); err != nil {
			return SitesAnswer{}, err
		}
		entries = found.items
		metadata, err = r.follow(ctx, entries, func(it sinks.Item) sinks.Key { return r.keys.Metadata(it[sinks.AttrSiteID].Str()) }, p.Consistent)
	}
	if err != nil {
		return SitesAnswer{}, err
	}
	a := SitesAnswer{Sites: []Site{}, ExpiredOmitted: found.expired}
	for i := range found.items {
		if entries[i] != nil || metadata[i] != nil {
			a.Sites = append(a.Sites, readSite(entries[i], metadata[i]))
		}
	}
	if found.more {
		a.Cursor = cursor{Question: question, Key: found.last.Key, N: found.last.N}.String()
	}
	return a, nil
}

// follow reads the items that others lead to, in their order; nil where there is none.
func (r *Reader) follow(ctx context.Context, from []sinks.Item, to func(sinks.Item) sinks.Key, consistent bool) ([]sinks.Item, error) {
	var keys []sinks.Key
	for _, it := range from {
		if it != nil {
			keys = append(keys, to(it))
		}
	}
	items, err := r.batchGet(ctx, keys, consistent)
	if err != nil {
		return nil, err
	}
	out := make([]sinks.Item, len(from))
	for i, it := range from {
		if it != nil {
			out[i] = items[to(it)]
		}
	}
	return out, nil
}

// readSite makes a Site of its two items, of which either may be nil.
func readSite(entry, metadata sinks.Item) Site {
	it := entry
	if it == nil {
		it = metadata // Between the two writes of a creation; it carries the same attributes.
	}
	e := sinks.ReadSiteEntry(it)
	s := Site{SiteID: e.Site, Shards: e.Shards, Domains: []string{}}
	for name, days := range map[string]**int64{sinks.AttrRawDays: &s.Retention.RawDays, sinks.AttrSessionDays: &s.Retention.SessionDays,
		sinks.AttrHourDays: &s.Retention.HourDays, sinks.AttrDayDays: &s.Retention.DayDays} {
		if n, ok := e.Days[name]; ok {
			*days = &n
		}
	}
	if metadata != nil {
		s.Created = true
		s.Name, s.Owner = metadata[sinks.AttrName].Str(), metadata[sinks.AttrOwner].Str()
		s.Domains = append(s.Domains, metadata[sinks.AttrDomains].Strings()...)
		created := instant(metadata[sinks.AttrCreatedAt].Int())
		s.CreatedAt = &created
	}
	return s
}

// SiteParams ask for what is known about one site.
type SiteParams struct {
	Site       string
	Consistent bool // read strongly, at twice the cost
}

// SiteAnswer is what is known about a site; Site is null when nothing is.
type SiteAnswer struct {
	SiteID    string `json:"siteId"`
	SiteKnown bool   `json:"siteKnown"`
	Site      *Site  `json:"site"`
}

// Site reads a site's metadata and its entry in the list of sites.
func (r *Reader) Site(ctx context.Context, p SiteParams) (SiteAnswer, error) {
	if err := checkID("site", p.Site); err != nil {
		return SiteAnswer{}, err
	}
	entry, metadata := r.keys.SiteEntry(p.Site), r.keys.Metadata(p.Site)
	items, err := r.batchGet(ctx, []sinks.Key{entry, metadata}, p.Consistent)
	if err != nil {
		return SiteAnswer{}, fmt.Errorf("site %q: %w", p.Site, err)
	}
	a := SiteAnswer{SiteID: p.Site, SiteKnown: len(items) > 0}
	if a.SiteKnown {
		s := readSite(items[entry], items[metadata])
		a.Site = &s
	}
	return a, nil
}
