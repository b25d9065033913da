// Package view shows on a terminal how the numbers of sites grow: as a screen that redraws itself, or as lines.
//
// A [Collector] reads a [Snapshot] of all sites from the table, through package query as any dashboard would;
// [Screen] and [Lines] show one after another; [Snapshot.Write] writes one down.
package view

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/footfall/footfall/query"
)

// Snapshot is what the table says of its sites at one instant.
type Snapshot struct {
	At        time.Time
	Sites     []Site // those with the most events first
	Unread    bool   // there are more sites than are read
	Lag       int64  // records that wait to be counted; -1 when that is not known
	PerSecond float64
}

// Site is a row: the figures of the last 24 hours and what goes on now.
type Site struct {
	ID string
	query.Figures
	Current   uint64  // visitors in the last five minutes
	PerSecond float64 // events counted a second, over the last ten seconds
}

// maxSites is how many sites a Snapshot reads at most, each for some thirty items of the table.
const maxSites = 200

// Collector reads snapshots. Its fields are set before the first. Not safe for concurrent use.
type Collector struct {
	Reader *query.Reader
	Now    func() time.Time
	Lag    func() int64 // how many records wait to be counted; -1 when that is not known

	history []totals // of the last rateSpan, oldest first
}

// totals are the events of each site at an instant.
type totals struct {
	at     time.Time
	events map[string]int64
}

// rateSpan is how long events a second are averaged over: several flush intervals, so that the figure does not
// jump with every flush.
const rateSpan = 10 * time.Second

// Snapshot reads all sites.
func (c *Collector) Snapshot(ctx context.Context) (Snapshot, error) {
	now := c.Now()
	s := Snapshot{At: now, Lag: c.Lag()}
	list, err := c.Reader.Sites(ctx, query.SitesParams{Paging: query.Paging{Limit: maxSites}})
	if err != nil {
		return s, err
	}
	s.Unread = list.Cursor != ""
	for _, entry := range list.Sites {
		site, err := c.site(ctx, entry.SiteID, now)
		if err != nil {
			return s, err
		}
		s.Sites = append(s.Sites, site)
	}
	slices.SortFunc(s.Sites, func(a, b Site) int {
		return cmp.Or(cmp.Compare(b.Events, a.Events), cmp.Compare(a.ID, b.ID))
	})
	c.rates(&s)
	return s, nil
}

func (c *Collector) site(ctx context.Context, id string, now time.Time) (Site, error) {
	site := Site{ID: id}
	stats, err := c.Reader.Stats(ctx, query.StatsParams{Site: id, From: now.Add(-24 * time.Hour), To: now,
		Paging: query.Paging{Limit: 1}})
	if err != nil {
		return site, err
	}
	if stats.Totals != nil {
		site.Figures = *stats.Totals
	}
	realtime, err := c.Reader.Realtime(ctx, query.RealtimeParams{Site: id, At: now, Pages: 1})
	if err != nil {
		return site, err
	}
	site.Current = realtime.CurrentVisitors
	return site, nil
}

// rates fills in events a second from the totals of rateSpan ago. A site's events can fall when an hour leaves
// the last 24; then its rate is 0.
func (c *Collector) rates(s *Snapshot) {
	newest := totals{at: s.At, events: make(map[string]int64, len(s.Sites))}
	for _, site := range s.Sites {
		newest.events[site.ID] = site.Events
	}
	c.history = append(c.history, newest)
	for len(c.history) > 2 && s.At.Sub(c.history[1].at) >= rateSpan {
		c.history = c.history[1:]
	}
	oldest := c.history[0]
	seconds := s.At.Sub(oldest.at).Seconds()
	if seconds <= 0 {
		return
	}
	for i := range s.Sites {
		site := &s.Sites[i]
		site.PerSecond = max(0, float64(site.Events-oldest.events[site.ID])/seconds)
		s.PerSecond += site.PerSecond
	}
}
