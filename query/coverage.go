package query

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/sinks"
)

// Coverage says up to when figures are complete. It is part of the answers about a site's figures.
type Coverage struct {
	// CompleteThrough is the Kafka timestamp up to which the records of the site's partitions were counted, as far as the table says. An
	// event is in the figures if it was published before. A partition without new records stays where it was. null: not known.
	CompleteThrough *time.Time `json:"completeThrough"`
	// Final says that no record whose Kafka timestamp is CompleteThrough or later can change what the range counts by event: events, page
	// views, visitors, values and conversions. Their events would be rejected as too late. Figures of sessions change as long as a session
	// that began in the range continues.
	Final bool `json:"final"`
	// Warnings name the partitions that are stopped, or that lag.
	Warnings []Warning `json:"warnings"`
}

// Covered returns the coverage of an answer, which has it as a part.
func (c Coverage) Covered() Coverage { return c }

// Warning is about a partition of a topic whose records are missing from the figures, if it has any of the site.
type Warning struct {
	Kind      string    `json:"kind"`      // parked, gap or behind
	Partition string    `json:"partition"` // as in events/3; empty in answers to credentials that may not hear it
	OfSite    bool      `json:"ofSite"`    // the site had events in the partition lately
	Through   time.Time `json:"completeThrough"`
	Detail    string    `json:"detail"`
}

// Kinds of warnings.
const (
	WarnParked = "parked" // the partition waits for an operator
	WarnGap    = "gap"    // records were lost from the topic before they were counted, and the partition waits for an operator
	WarnBehind = "behind" // the last flush counted records that were older than they should be, and more follow
)

// behind is the age of records at their flush from which a partition lags. A flush interval is at most some minutes.
const behind = 10 * time.Minute

// standing is what a partition's checkpoint says of how far it is counted.
type standing struct {
	tp        sinks.TP
	name      string // as in events/3
	through   int64  // the Kafka timestamp up to which records were counted; 0: not recorded
	flushedAt int64
	idle      bool  // its owner had nothing more to read
	lateMs    int64 // allowed lateness of its last flush; -1: unlimited
	stopped   *Warning
}

// standings are those of all partitions. They are kept for a while, since many questions need them.
type standings struct {
	mu   sync.Mutex // covers all below; held while they are read, to read them once
	at   time.Time
	read []standing
}

// standingsAge is for how long standings are kept. Older ones say less than is true, never more.
const standingsAge = 10 * time.Second

func (t *store) standings(ctx context.Context) ([]standing, error) {
	t.stands.mu.Lock()
	defer t.stands.mu.Unlock()
	if now := t.now(); t.stands.at.IsZero() || now.Before(t.stands.at) || now.Sub(t.stands.at) >= standingsAge {
		read, err := t.readStandings(ctx)
		if err != nil {
			return nil, err
		}
		t.stands.at, t.stands.read = now, read
	}
	return t.stands.read, nil
}

func (t *store) readStandings(ctx context.Context) (all []standing, err error) {
	topics, err := sinks.Topics(ctx, t.table, t.keys)
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

func (t *store) standingsOf(ctx context.Context, number int64, topic string) (all []standing, err error) {
	for first := int32(0); ; first += standingsStride {
		var keys []sinks.Key
		for p := first; p < first+standingsStride; p++ {
			keys = append(keys, t.keys.Checkpoint(sinks.TP{Topic: number, Partition: p}, "stats"))
		}
		found, err := t.batchGet(ctx, keys, false)
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

// standingOf reads a checkpoint.
func standingOf(it sinks.Item) standing {
	s := standing{through: it["thr"].Int(), flushedAt: it["at"].Int(), idle: it["d"].Int() == 1, lateMs: -1}
	var settings struct{ LateMs *int64 }
	if json.Unmarshal([]byte(it["ver"].Str()), &settings) == nil && settings.LateMs != nil {
		s.lateMs = *settings.LateMs
	}
	if s.flushedAt > 0 { // A timestamp that is ahead of the clock says nothing.
		s.through = min(s.through, s.flushedAt)
	}
	var park struct{ Reason, Detail, Since string }
	var gap struct{ Accepted string }
	switch {
	case it["park"].Str() != "" && json.Unmarshal([]byte(it["park"].Str()), &park) == nil:
		s.stopped = &Warning{Kind: WarnParked, Detail: fmt.Sprintf("parked since %s (%s): footfall status prints the commands that continue it",
			park.Since, park.Reason)}
	case it["gap"].Str() != "" && json.Unmarshal([]byte(it["gap"].Str()), &gap) == nil && gap.Accepted == "":
		s.stopped = &Warning{Kind: WarnGap, Detail: "records were lost from the topic before they were counted: footfall status prints the " +
			"command that continues it"}
	}
	return s
}

// warning returns what is to be said of a partition; nil: nothing.
func (s standing) warning() *Warning {
	late := time.Duration(s.flushedAt-s.through) * time.Millisecond
	switch {
	case s.stopped != nil:
		return s.stopped
	case s.idle: // Whatever the age of its records, all are counted: old files may be sent at any time.
	case s.through > 0 && s.flushedAt > 0 && late > behind:
		return &Warning{Kind: WarnBehind, Detail: fmt.Sprintf("its last flush, of %s, counted records that were %v old",
			calendar.Instant(s.flushedAt).Format(time.RFC3339), late.Round(time.Minute))}
	}
	return nil
}

// A covering is what is known of the partitions before a question's figures are read.
type covering struct {
	Coverage
	through int64 // 0: not known
	lateMs  int64 // the greatest allowed lateness; -1: unlimited
}

// covering reads how far the site's partitions are counted: those that its last days name, and others that are not idle.
func (t siteTable) covering(ctx context.Context) (c covering, err error) {
	all, err := t.standings(ctx)
	if err != nil {
		return c, err
	}
	own, err := t.ownPartitions(ctx)
	if err != nil {
		return c, err
	}
	return coveringOf(all, func(tp sinks.TP) bool { return slices.Contains(own, tp) }), nil
}

// coveringOf sums up the standings of the partitions that a site uses.
func coveringOf(all []standing, uses func(sinks.TP) bool) (c covering) {
	c.Warnings = []Warning{}
	known := len(all) > 0
	for _, s := range all {
		ofSite := uses(s.tp)
		c.lateMs = later(c.lateMs, s.lateMs)
		if w := s.warning(); w != nil {
			warning := *w
			warning.Partition, warning.OfSite, warning.Through = s.name, ofSite, calendar.Instant(s.through)
			c.Warnings = append(c.Warnings, warning)
		}
		if s.idle && s.stopped == nil && !ofSite {
			continue // It had nothing more, and what may have come since would be the site's first there.
		}
		known = known && s.through > 0
		if c.through == 0 || s.through < c.through {
			c.through = s.through
		}
	}
	slices.SortFunc(c.Warnings, func(a, b Warning) int { return strings.Compare(a.Partition, b.Partition) })
	if !known {
		c.through = 0
	}
	if c.through > 0 {
		c.CompleteThrough = new(calendar.Instant(c.through))
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
func (t siteTable) ownPartitions(ctx context.Context) (own []sinks.TP, err error) {
	page, err := t.query(ctx, sinks.Query{PK: t.keys.Site(t.site), Prefix: sinks.DayStatsPrefix, Desc: true, Limit: 2})
	for _, day := range page.Items {
		own = append(own, sinks.MarkedBy(day)...)
	}
	return own, err
}

// of returns the coverage of a range that ends at an instant, in a zone.
func (c covering) of(to int64, zone func(int64) time.Time) Coverage {
	of := c.Coverage
	of.Final = c.final(to)
	if of.CompleteThrough != nil {
		of.CompleteThrough = new(zone(c.through))
	}
	return of
}

// final reports whether no record that is dated CompleteThrough or later can have an event before an instant.
func (c covering) final(to int64) bool {
	return c.through > 0 && c.lateMs >= 0 && to <= c.through-c.lateMs
}
