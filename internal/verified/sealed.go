package verified

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/footfall/footfall/sinks"
)

// Part is a part of what a closed month has.
type Part string

// The parts.
const (
	OfMonth       Part = "the month's own items"
	DayStats      Part = "stats of its days"
	DayVisitors   Part = "visitors of its days"
	DayBreakdowns Part = "breakdowns of its days"
)

// parts is the order of the parts in Digests and in the keys of a month.
var parts = [...]Part{OfMonth, DayStats, DayVisitors, DayBreakdowns}

const (
	digestBytes    = 9  // that are kept of the SHA-256 of a part
	maxBoundMonths = 36 // that a result keeps digests of: 60 bytes each, which answers about figures read, too
)

// Digests of a closed month, one for each part. A digest covers every attribute of the part's items.
type Digests [len(parts)]string

// Bound are the closed months whose items all equalled a recount, of one generation of items. A result of a recount binds them: later
// changes show, although the log is gone.
type Bound struct {
	Generation int                   `json:"generation"`
	Months     map[string]BoundMonth `json:"months"` // by name, as in 2026-08
}

// BoundMonth is a month that equalled a recount.
type BoundMonth struct {
	At      int64   `json:"at"` // when the recount began, in milliseconds
	Digests Digests `json:"digests"`
}

// Sealed collects items that equal a recount, to bind the months that they make up. Safe for concurrent use.
type Sealed struct {
	mu     sync.Mutex               // covers what is below
	items  map[sinks.Key][]byte     // digests
	months map[sinks.Key]sinks.Item // closed ones
}

// Take takes an item that equals the recount: sealed ones and stats of days; others are ignored.
func (s *Sealed) Take(it sinks.Item) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.items == nil {
		s.items, s.months = make(map[sinks.Key][]byte), make(map[sinks.Key]sinks.Item)
	}
	key := it.Key()
	switch it[sinks.AttrEntity].Str() {
	case sinks.EntityMonthStats:
		if it[sinks.AttrClosed].Int() == 1 {
			s.months[key] = it
		}
	case sinks.EntityStats:
		if !strings.HasPrefix(key.SK, sinks.DayStatsPrefix) {
			return
		}
	case sinks.EntitySealedUniques, sinks.EntitySealedBreakdown:
	default:
		return
	}
	s.items[key] = digestOf(it)
}

// Bind returns the site's closed months whose items were all taken, the last maxBoundMonths of them. at is when the recount began.
func (s *Sealed) Bind(keys sinks.Keys, site string, at time.Time) Bound {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := Bound{Generation: max(1, keys.Generation), Months: make(map[string]BoundMonth)}
	for _, it := range s.months {
		m, err := monthOf(keys, site, it)
		if err != nil {
			continue // Its days cannot be read, so it is not bound.
		}
		if d, lacks := m.digests(s.items); len(lacks) == 0 {
			b.Months[sinks.Month(m.start)] = BoundMonth{at.UnixMilli(), d}
		}
	}
	b.trim()
	return b
}

// trim drops all but the last maxBoundMonths.
func (b Bound) trim() {
	for _, name := range slices.Sorted(maps.Keys(b.Months))[:max(0, len(b.Months)-maxBoundMonths)] {
		delete(b.Months, name)
	}
}

// Keep adds the months that earlier results bind and this one does not, if they are unchanged: with the digests and the time of then. So
// what is known of a month does not expire with the earlier result.
func (b Bound) Keep(ctx context.Context, table sinks.Table, keys sinks.Keys, site string) error {
	all, err := CheckSealed(ctx, table, keys, site, time.Time{}, time.Time{})
	if err != nil {
		return err
	}
	for _, m := range all {
		if _, ok := b.Months[m.Month]; !ok && m.was != nil && len(m.Changed)+len(m.Unequal) == 0 {
			b.Months[m.Month] = *m.was
		}
	}
	b.trim()
	return nil
}

// month is a closed month and the keys of its parts.
type month struct {
	start int64                   // ms since the epoch
	keys  [len(parts)][]sinks.Key // of days, in their order
}

// monthOf reads from the stats of a month which items it has.
func monthOf(keys sinks.Keys, site string, it sinks.Item) (m month, err error) {
	if m.start, err = sinks.ParseMonth(strings.TrimPrefix(it.Key().SK, sinks.MonthStatsPrefix)); err != nil {
		return m, err
	}
	days, err := sinks.ParseSealedDays(it[sinks.AttrDays].Str())
	if err != nil {
		return m, err
	}
	m.keys[0] = []sinks.Key{keys.MonthStats(site, m.start), keys.MonthUniques(site, m.start), keys.MonthBreakdown(site, m.start)}
	for _, n := range slices.Sorted(maps.Keys(days)) {
		day := m.start + int64(n-1)*24*3600*1000
		m.keys[1] = append(m.keys[1], keys.DayStats(site, day))
		m.keys[2] = append(m.keys[2], keys.DayUniques(site, day))
		m.keys[3] = append(m.keys[3], keys.DayBreakdown(site, day))
	}
	return m, nil
}

// digests returns the digests of the month's parts, given the digests of items. lacks are the keys of items that are not there.
func (m month) digests(items map[sinks.Key][]byte) (d Digests, lacks []sinks.Key) {
	for i, keys := range m.keys {
		h := sha256.New()
		for _, key := range keys {
			if items[key] == nil {
				lacks = append(lacks, key)
			}
			h.Write(items[key])
		}
		d[i] = base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:digestBytes])
	}
	return d, lacks
}

// digestOf is the digest of all attributes of an item, the key among them.
func digestOf(it sinks.Item) []byte {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(it)) {
		fmt.Fprintf(h, "%q %d %s\n", name, it[name].Kind(), it[name])
	}
	return h.Sum(nil)
}
