package sinks

import (
	"context"
	"fmt"
)

// SiteEntry is what is decided about a site once and for all: by `site create` before its first event, or by the
// worker that sees its first event. Whoever puts the entry first decides, so all writers and readers of the site
// agree on where its raw events lie and how long its items live.
type SiteEntry struct {
	Site   string
	Shards int // of raw events, 1 to MaxShards; 0 stands for DefaultShards
	// Days that items are kept, by attribute name (AttrRawDays, AttrSessionDays, AttrHourDays, AttrDayDays), where
	// that differs from the settings; -1: never expires.
	Days map[string]int64
}

// ReadSiteEntry makes a SiteEntry of its item.
func ReadSiteEntry(it Item) SiteEntry {
	e := SiteEntry{Site: it[AttrSiteID].Str(), Shards: int(it[AttrShards].Int())}
	if e.Shards == 0 {
		e.Shards = DefaultShards
	}
	for _, name := range []string{AttrRawDays, AttrSessionDays, AttrHourDays, AttrDayDays} {
		if v := it[name]; v.Kind() == Number {
			if e.Days == nil {
				e.Days = make(map[string]int64)
			}
			e.Days[name] = v.Int()
		}
	}
	return e
}

// Item makes the item of e.
func (e SiteEntry) Item(keys Keys) Item {
	key := keys.SiteEntry(e.Site)
	it := Item{
		AttrPK: Str(key.PK), AttrSK: Str(key.SK), AttrEntity: Str(EntitySiteEntry), AttrSchema: Int(SchemaVersion),
		AttrSiteID: Str(e.Site), AttrShards: Int(int64(e.Shards)),
	}
	for name, days := range e.Days {
		it[name] = Int(days)
	}
	return it
}

// DaysOf returns how many days the site keeps the items that attr names, where the settings say def.
func (e SiteEntry) DaysOf(attr string, def int64) int64 {
	if d, ok := e.Days[attr]; ok {
		return d
	}
	return def
}

// EnsureSiteEntry puts e unless the site already has an entry, and returns the one that holds. It may be repeated.
func EnsureSiteEntry(ctx context.Context, t Table, keys Keys, e SiteEntry) (SiteEntry, error) {
	if e.Shards == 0 {
		e.Shards = DefaultShards
	}
	if e.Shards < 1 || e.Shards > MaxShards {
		return SiteEntry{}, fmt.Errorf("site %q: %d shards are not between 1 and %d", e.Site, e.Shards, MaxShards)
	}
	r, err := t.Put(ctx, Put{Item: e.Item(keys), If: []Cond{{Attr: AttrPK, Op: Absent}}})
	if err != nil {
		return SiteEntry{}, fmt.Errorf("site %q: put its entry in the list of sites: %w", e.Site, err)
	}
	if r.Refused {
		return ReadSiteEntry(r.Item), nil
	}
	return e, nil
}
