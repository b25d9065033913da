package sinks

import (
	"context"
	"fmt"
	"time"
)

// SiteEntryItem makes the item by which a worker lists a site.
func SiteEntryItem(keys Keys, site string) Item {
	key := keys.SiteEntry(site)
	return Item{AttrPK: Str(key.PK), AttrSK: Str(key.SK), AttrEntity: Str(EntitySiteEntry), AttrSchema: Int(SchemaVersion),
		AttrSiteID: Str(site)}
}

// EnsureSiteEntry lists a site unless it is listed already, and reports whether this call did. It may be repeated.
func EnsureSiteEntry(ctx context.Context, t Table, keys Keys, site string) (first bool, err error) {
	r, err := t.Put(ctx, Put{Item: SiteEntryItem(keys, site), If: []Cond{{Attr: AttrPK, Op: Absent}}})
	if err != nil {
		return false, fmt.Errorf("site %q: put its entry in the list of sites: %w", site, err)
	}
	return !r.Refused, nil
}

// ClaimSite lists a site for who is about to decide its first rules. It reports whether the site has been claimed so, by this
// call or another; if not, a worker has listed it, and may have counted it. It may be repeated.
func ClaimSite(ctx context.Context, t Table, keys Keys, site string, at time.Time) (bool, error) {
	it := SiteEntryItem(keys, site)
	it[AttrCreatedAt] = Int(at.UnixMilli())
	r, err := t.Put(ctx, Put{Item: it, If: []Cond{{Attr: AttrPK, Op: Absent}}})
	if err != nil {
		return false, fmt.Errorf("site %q: put its entry in the list of sites: %w", site, err)
	}
	return !r.Refused || Claimed(r.Item), nil
}

// Claimed reports whether an entry of the list of sites is one that ClaimSite has put.
func Claimed(entry Item) bool { return entry[AttrCreatedAt].Int() > 0 }
