// Package sitelist reads the list of sites, that of an owner, or sites that are named.
package sitelist

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/footfall/footfall/query/internal/sitetable"
	"github.com/footfall/footfall/sinks"
)

// Params ask for sites. They are those of query.SitesParams.
type Params struct {
	Owner, Search, Prefix string
	Only                  []string
	Desc, Consistent      bool
}

// Items are the two items of a site. Either may be nil.
type Items struct{ Entry, Metadata sinks.Item }

// maxPrefix is how many bytes of an id a key has at least without a hash: each byte may take three.
const maxPrefix = 80

// Matches reports whether a site's id is one that was searched for.
func (p Params) Matches(id string) bool {
	return strings.HasPrefix(id, p.Prefix) && strings.Contains(strings.ToLower(id), strings.ToLower(p.Search))
}

// Next reads the next limit sites, of p.Only if that names some.
func Next(ctx context.Context, t *sitetable.Store, p Params, limit int, after sitetable.Position) (found sitetable.Page,
	all []Items, err error) {
	if p.Only == nil {
		return listed(ctx, t, p, limit, after)
	}
	var ids []string
	for _, id := range p.Only {
		order := strings.Compare(t.Keys.SiteEntry(id).SK, after.Key)
		if after.Start() || !p.Desc && order > 0 || p.Desc && order < 0 {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(a, b string) int { return strings.Compare(t.Keys.SiteEntry(a).SK, t.Keys.SiteEntry(b).SK) })
	if p.Desc {
		slices.Reverse(ids)
	}
	if found.More = len(ids) > limit; found.More {
		ids = ids[:limit]
	}
	var keys []sinks.Key
	for _, id := range ids {
		keys = append(keys, t.Keys.SiteEntry(id), t.Keys.Metadata(id))
		found.Last.Key = t.Keys.SiteEntry(id).SK
	}
	items, err := t.BatchGet(ctx, keys, p.Consistent)
	if err != nil {
		return found, nil, err
	}
	for _, id := range ids {
		entry, metadata := items[t.Keys.SiteEntry(id)], items[t.Keys.Metadata(id)]
		if entry == nil && metadata == nil {
			continue
		}
		all = append(all, Items{entry, metadata})
	}
	return found, all, nil
}

// listed reads the next limit sites, deleted ones among them. A site may have only one of its two items.
func listed(ctx context.Context, t *sitetable.Store, p Params, limit int, after sitetable.Position) (found sitetable.Page,
	sites []Items, err error) {
	var entries, metadata []sinks.Item // of the same sites; an item is nil where it is absent
	if p.Owner != "" {
		q := sinks.Query{Index: sinks.GSI1, Desc: p.Desc}
		if found, err = t.Walk(q, limit, after, t.Keys.Owner(p.Owner)).Collect(ctx, limit, sitetable.EveryItem); err != nil {
			return found, nil, err
		}
		if metadata, err = follow(ctx, t, found.Items, sinks.Item.Key, p.Consistent); err != nil {
			return found, nil, err
		}
		entries, err = follow(ctx, t, metadata, func(it sinks.Item) sinks.Key { return t.Keys.SiteEntry(it[sinks.AttrSiteID].Str()) },
			p.Consistent)
	} else {
		var lists []string
		for nn := range sinks.SiteListShards {
			lists = append(lists, t.Keys.SiteList(nn))
		}
		q := sinks.Query{Desc: p.Desc, Consistent: p.Consistent}
		if sk := t.Keys.SiteEntry(p.Prefix).SK; p.Prefix != "" && len(p.Prefix) <= maxPrefix {
			q.From, q.To = sk, sk+string(utf8.MaxRune)
		}
		matches := func(entry sinks.Item) bool {
			id := sinks.ListedSite(entry)
			return id == "" || p.Matches(id) // An entry that lacks its id is decided by what was found of the site.
		}
		if found, err = t.Walk(q, limit, after, lists...).Collect(ctx, limit, matches); err != nil {
			return found, nil, err
		}
		entries = found.Items
		metadata, err = follow(ctx, t, entries, func(it sinks.Item) sinks.Key { return t.Keys.Metadata(sinks.ListedSite(it)) }, p.Consistent)
	}
	if err != nil {
		return found, nil, err
	}
	for i := range found.Items {
		if entries[i] != nil || metadata[i] != nil {
			sites = append(sites, Items{entries[i], metadata[i]})
		}
	}
	return found, sites, nil
}

// follow reads the items that others lead to, in their order; nil where there is none.
func follow(ctx context.Context, t *sitetable.Store, from []sinks.Item, to func(sinks.Item) sinks.Key, consistent bool) ([]sinks.Item,
	error) {
	var keys []sinks.Key
	for _, it := range from {
		if it != nil {
			keys = append(keys, to(it))
		}
	}
	items, err := t.BatchGet(ctx, keys, consistent)
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
