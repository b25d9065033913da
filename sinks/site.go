package sinks

import (
	"context"
	"fmt"
)

// SiteEntryItem makes the item that lists a site.
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
