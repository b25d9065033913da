package query

import (
	"context"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/sinks"
)

// A siteTable is the table as a question about one site walks it.
type siteTable struct {
	*store
	site       string
	clock      calendar.Clock // says where the site's hours and days begin
	desc       bool           // walks go from the last to the first
	consistent bool           // reads are strong
}

// siteTable reads the clock of a site. created says that the site has rules, and so is known.
func (t *store) siteTable(ctx context.Context, site string, consistent bool) (s siteTable, created bool, err error) {
	s = siteTable{store: t, site: site, consistent: consistent}
	s.clock, created, err = t.clock(ctx, site)
	return s, created, err
}

// clock reads how the hours and days of a site are cut. created says that the site has rules, and so is known.
func (t *store) clock(ctx context.Context, site string) (k calendar.Clock, created bool, err error) {
	rules, found, err := t.siteRules(ctx, site)
	return calendar.Clock{Rules: rules}, found[t.keys.Metadata(site)] != nil, err
}

// siteRules reads a site's last rules, nil where nothing was decided about it, with the zone that its entry fixes, and returns what was
// found of its entry and its metadata.
func (t *store) siteRules(ctx context.Context, site string) (s *sites.Rules, found map[sinks.Key]sinks.Item, err error) {
	entry, metadata := t.keys.SiteEntry(site), t.keys.Metadata(site)
	if found, err = t.batchGet(ctx, []sinks.Key{entry, metadata}, true); err != nil {
		return nil, nil, err
	}
	zone, err := sites.EntryZone(found[entry])
	if err == nil {
		s, err = readRules(found[metadata])
	}
	return s.In(zone), found, err
}

// A rawSite is what raw events of a site are looked for by.
type rawSite struct {
	rules *sites.Rules // as siteRules reads them
	kinds rawKinds
	known bool // the site is in the list of sites, or has rules
}

func (t *store) rawSite(ctx context.Context, site string) (rawSite, error) {
	s, found, err := t.siteRules(ctx, site)
	if err == nil {
		err = sinks.CheckKinds(found[t.keys.Metadata(site)])
	}
	return rawSite{s, rawKindsOf(found[t.keys.SiteEntry(site)]), len(found) > 0}, err
}

// rawKinds says where raw events of a site may be.
type rawKinds struct{ items, packs bool }

// rawKindsOf reads the marks of a site's entry, which a worker writes before the first raw event of a kind. Both kinds are possible where
// an entry has neither mark.
func rawKindsOf(entry sinks.Item) rawKinds {
	k := rawKinds{entry[sinks.AttrRawItems].Kind() != sinks.None, entry[sinks.AttrRawPacks].Kind() != sinks.None}
	if !k.items && !k.packs {
		return rawKinds{true, true}
	}
	return k
}

// rawKinds reads where raw events of the site may be, as of now.
func (t siteTable) rawKinds(ctx context.Context) (rawKinds, error) {
	entry, err := t.get(ctx, t.keys.SiteEntry(t.site), true)
	return rawKindsOf(entry), err
}

// rulesOf returns the rules of a site as its metadata has them; nil: it has none.
func (t *store) rulesOf(ctx context.Context, site string) (*sites.Rules, error) {
	metadata, err := t.get(ctx, t.keys.Metadata(site), false)
	if err == nil {
		err = sinks.CheckKinds(metadata)
	}
	if err != nil {
		return nil, err
	}
	return readRules(metadata)
}

// readRules reads the rules in a site's metadata; nil: it has none.
func readRules(metadata sinks.Item) (*sites.Rules, error) {
	text := metadata[sinks.AttrRules].Str()
	if text == "" {
		return nil, nil
	}
	return sites.ParseRules(text)
}

// known reports whether the site is known: it is when something of it was found, and otherwise its entry decides.
func (t *store) known(ctx context.Context, site string, found bool) (bool, error) {
	if found {
		return true, nil
	}
	it, err := t.get(ctx, t.keys.SiteEntry(site), true)
	return it != nil, err
}
