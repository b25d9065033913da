// Package sitetable reads what the table holds of a site as if one process had written it once. It hides the shards of lists, the
// parts that partitions wrote, late items, sealed days and months, what has expired, requests and their repetition, pages and cursors.
//
//	live.go, read.go            the generation that is live, and requests to its table (Store)
//	sitetable.go                the table of one site (Table): its clock and its rules; page.go: what the answers of a page share
//	scan.go, cursor.go          several partition keys walked as one list (Merge), and places in it; rawscan.go: raw events
//	buckets.go                  items by hour, day, month or minute (HourItems)
//	sealed.go                   a range split into sealed months, sealed days, and what is read from hours (Stretches)
//	days.go, journal.go         the dates of what is read from hours, and their journals
//	hours.go, minutes.go        sums and visitors of an hour or a minute
//	rows.go, row.go             buckets of a range with their sums; storeddays.go: whole, or with some hours expired
//	spansums.go, sums.go        sums without visitors
//	coverage.go, standing.go    up to when answers are complete
//	stored.go, beginning.go     where a site has data, if the range has none
//	goals.go, visit.go          goals; which raw events belong to a session
//	checkid.go                  ids in questions
package sitetable

import (
	"context"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/sinks"
)

// A Table is the table as a question about one site walks it.
type Table struct {
	*Store
	Site       string
	Clock      calendar.Clock // says where the site's hours and days begin
	Desc       bool           // walks go from the last to the first
	Consistent bool           // reads are strong
}

// Open reads the clock of a site. created says that the site has rules, and so is known.
func (t *Store) Open(ctx context.Context, site string, consistent bool) (s Table, created bool, err error) {
	s = Table{Store: t, Site: site, Consistent: consistent}
	s.Clock, created, err = t.ClockOf(ctx, site)
	return s, created, err
}

// ClockOf reads where the hours and days of a site begin. created says that the site has rules, and so is known.
func (t *Store) ClockOf(ctx context.Context, site string) (k calendar.Clock, created bool, err error) {
	found, err := t.settings(ctx, site)
	if err != nil {
		return k, false, err
	}
	k.Rules, err = t.siteRules(site, found)
	return k, found[t.Keys.Metadata(site)] != nil, err
}

// siteRules returns a site's last rules, nil where nothing was decided about it, with the zone that its entry fixes. found are both.
func (t *Store) siteRules(site string, found map[sinks.Key]sinks.Item) (s *sites.Rules, err error) {
	zone, err := sites.EntryZone(found[t.Keys.SiteEntry(site)], t.Keys)
	if err == nil {
		s, err = ReadRules(found[t.Keys.Metadata(site)])
	}
	if s.CountsNewVisitors() { // The generation has not seen who came before its first date.
		s.NewVisitorsSince = max(t.SinceOf(s.NewVisitorsSince), t.Since)
	}
	return s.In(zone), err
}

// A rawSite is what raw events of a site are looked for by.
type rawSite struct {
	Rules *sites.Rules // as siteRules reads them
	Kinds RawKinds
	Known bool // the site is in the list of sites, or has rules
}

// RawSite reads what raw events of a site are looked for by.
func (t *Store) RawSite(ctx context.Context, site string) (rawSite, error) {
	found, err := t.readSettings(ctx, site) // As of now: a kind is marked before the first raw event of it.
	if err != nil {
		return rawSite{}, err
	}
	s, err := t.siteRules(site, found)
	if err == nil {
		err = sinks.CheckKinds(found[t.Keys.Metadata(site)])
	}
	return rawSite{s, rawKindsOf(found[t.Keys.SiteEntry(site)]), len(found) > 0}, err
}

// RawKinds says where raw events of a site may be.
type RawKinds struct{ Items, Packs bool }

// rawKindsOf reads the marks of a site's entry, which a worker writes before the first raw event of a kind. Both kinds are possible where
// an entry has neither mark.
func rawKindsOf(entry sinks.Item) RawKinds {
	k := RawKinds{entry[sinks.AttrRawItems].Kind() != sinks.None, entry[sinks.AttrRawPacks].Kind() != sinks.None}
	if !k.Items && !k.Packs {
		return RawKinds{true, true}
	}
	return k
}

// RawKinds reads where raw events of the site may be, as of now.
func (t Table) RawKinds(ctx context.Context) (RawKinds, error) {
	entry, err := t.Get(ctx, t.Keys.SiteEntry(t.Site), true)
	return rawKindsOf(entry), err
}

// RulesOf returns the rules of a site as its metadata has them; nil: it has none.
func (t *Store) RulesOf(ctx context.Context, site string) (*sites.Rules, error) {
	metadata, err := t.Get(ctx, t.Keys.Metadata(site), false)
	if err == nil {
		err = sinks.CheckKinds(metadata)
	}
	if err != nil {
		return nil, err
	}
	return ReadRules(metadata)
}

// ReadRules reads the rules in a site's metadata; nil: it has none.
func ReadRules(metadata sinks.Item) (*sites.Rules, error) {
	text := metadata[sinks.AttrRules].Str()
	if text == "" {
		return nil, nil
	}
	return sites.ParseRules(text)
}

// Known reports whether the site is known: it is when something of it was found, and otherwise its entry decides.
func (t *Store) Known(ctx context.Context, site string, found bool) (bool, error) {
	if found {
		return true, nil
	}
	entry := t.Keys.SiteEntry(site)
	if read, ok := t.keptSettings(site); ok {
		return read[entry] != nil, nil
	}
	it, err := t.Get(ctx, entry, true)
	return it != nil, err
}
