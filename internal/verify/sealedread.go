package verify

import (
	"context"

	"github.com/footfall/footfall/internal/verify/judge"
	"github.com/footfall/footfall/sinks"
)

// readSealed reads a sealed item, then what decides whether it holds: the days that it was made from, and for a month its stats.
func (v *scanner) readSealed(ctx context.Context, s judge.Subject) (items []sinks.Item, err error) {
	key, month := v.Key(s), v.Keys.MonthStats(s.Site, s.At)
	keys := []sinks.Key{key}
	if s.OfMonth() && month != key {
		keys = append(keys, month)
	}
	found, err := v.Load(ctx, keys)
	if err != nil || found[key] == nil {
		return nil, err
	}
	items = append(items, found[key])
	if s.OfMonth() && month != key && found[month] != nil {
		items = append(items, found[month])
	}
	first, last := s.Days()
	q := sinks.Query{PK: v.Keys.Site(s.Site), From: sinks.DayStatsPrefix + sinks.Day(first), To: sinks.DayStatsPrefix + sinks.Day(last)}
	for it, err := range v.Items(ctx, q) {
		if err != nil {
			return nil, err
		}
		items = append(items, it)
	}
	return items, nil
}
