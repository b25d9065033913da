package sitetable

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/query/ranges"
	"github.com/footfall/footfall/sinks"
)

// standingsAge is for how long standings are kept. Older ones say less than is true, never more.
const standingsAge = 10 * time.Second

// Standings reads how far each partition has counted. An answer is used again for a while.
func (t *Store) Standings(ctx context.Context) ([]standing, error) {
	t.stands.mu.Lock()
	defer t.stands.mu.Unlock()
	if now := t.Now(); t.stands.at.IsZero() || now.Before(t.stands.at) || now.Sub(t.stands.at) >= standingsAge {
		read, err := t.readStandings(ctx)
		if err != nil {
			return nil, err
		}
		t.stands.at, t.stands.read = now, read
	}
	return t.stands.read, nil
}

func (t *Store) readStandings(ctx context.Context) (all []standing, err error) {
	topics, err := sinks.Topics(ctx, t.Table, t.Keys)
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex // covers all
	group, ctx := errgroup.WithContext(ctx)
	for number, topic := range topics {
		group.Go(func() error {
			of, err := t.standingsOf(ctx, number, topic)
			mu.Lock()
			defer mu.Unlock()
			all = append(all, of...)
			return err
		})
	}
	err = group.Wait()
	return all, err
}

// standingsStride is how many checkpoints are asked for at once. The number of partitions is not known: those of a topic follow each other
// from 0 on.
const standingsStride = 16

func (t *Store) standingsOf(ctx context.Context, number int64, topic string) (all []standing, err error) {
	for first := int32(0); ; first += standingsStride {
		var keys []sinks.Key
		for p := first; p < first+standingsStride; p++ {
			keys = append(keys, t.Keys.Checkpoint(sinks.TP{Topic: number, Partition: p}, "stats"))
		}
		found, err := t.BatchGet(ctx, keys, false)
		if err != nil {
			return nil, err
		}
		for i, key := range keys {
			if it := found[key]; it["k"].Kind() != sinks.None {
				s := standingOf(it)
				s.tp = sinks.TP{Topic: number, Partition: first + int32(i)}
				s.name = fmt.Sprintf("%s/%d", topic, s.tp.Partition)
				all = append(all, s)
			}
		}
		if found[keys[len(keys)-1]] == nil {
			return all, nil
		}
	}
}

// A Covering is what is known of the partitions before a question's figures are read.
type Covering struct {
	ranges.Coverage
	Through int64 // 0: not known
	LateMs  int64 // the greatest allowed lateness; -1: unlimited
}

// Covering reads how far the site's partitions are counted: those that its last days name, and others that are not idle.
func (t Table) Covering(ctx context.Context) (c Covering, err error) {
	all, err := t.Standings(ctx)
	if err != nil {
		return c, err
	}
	own, err := t.ownPartitions(ctx)
	if err != nil {
		return c, err
	}
	return CoveringOf(all, func(tp sinks.TP) bool { return slices.Contains(own, tp) }), nil
}

// CoveringOf sums up the standings of the partitions that a site uses.
func CoveringOf(all []standing, uses func(sinks.TP) bool) (c Covering) {
	c.Warnings = []ranges.Warning{}
	known := len(all) > 0
	for _, s := range all {
		ofSite := uses(s.tp)
		c.LateMs = later(c.LateMs, s.lateMs)
		if w := s.warning(); w != nil {
			warning := *w
			warning.Partition, warning.OfSite, warning.Through = s.name, ofSite, calendar.Instant(s.through)
			c.Warnings = append(c.Warnings, warning)
		}
		if s.idle && s.stopped == nil && !ofSite {
			continue // It had nothing more, and what may have come since would be the site's first there.
		}
		known = known && s.through > 0
		if c.Through == 0 || s.through < c.Through {
			c.Through = s.through
		}
	}
	slices.SortFunc(c.Warnings, func(a, b ranges.Warning) int { return strings.Compare(a.Partition, b.Partition) })
	if !known {
		c.Through = 0
	}
	if c.Through > 0 {
		c.CompleteThrough = new(calendar.Instant(c.Through))
	}
	return c
}

// later returns the greater of two lateness settings. -1 is unlimited.
func later(a, b int64) int64 {
	if a < 0 || b < 0 {
		return -1
	}
	return max(a, b)
}

// ownPartitions returns the partitions that have counted something of the site's last two days with events.
func (t Table) ownPartitions(ctx context.Context) (own []sinks.TP, err error) {
	page, err := t.Query(ctx, sinks.Query{PK: t.Keys.Site(t.Site), Prefix: sinks.DayStatsPrefix, Desc: true, Limit: 2})
	for _, day := range page.Items {
		own = append(own, sinks.MarkedBy(day)...)
	}
	return own, err
}

// Of returns the coverage of a range that ends at an instant, in a zone.
func (c Covering) Of(to int64, zone func(int64) time.Time) ranges.Coverage {
	of := c.Coverage
	of.Final = c.Settled(to)
	if of.CompleteThrough != nil {
		of.CompleteThrough = new(zone(c.Through))
	}
	return of
}

// Settled reports whether no record that is dated CompleteThrough or later can have an event before an instant.
func (c Covering) Settled(to int64) bool {
	return c.Through > 0 && c.LateMs >= 0 && to <= c.Through-c.LateMs
}
