package seal

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/footfall/footfall/sinks"
)

// siteMonth is what a look at a month of a site has found, eventually consistent: enough to find what there may be to do.
type siteMonth struct {
	site  string
	start int64
	days  map[int64]sinks.Item // stats of days that are over, by the day
	item  sinks.Item           // stats of the month; nil: there are none
}

// site seals what is to be sealed of a site.
func (s *Sealer) site(ctx context.Context, site string, whole bool) error {
	months, err := s.look(ctx, site, whole)
	if err != nil {
		return err
	}
	var faults []error
	for _, start := range slices.Sorted(maps.Keys(months)) {
		if err := s.month(ctx, months[start]); err != nil {
			if ctx.Err() != nil {
				return err
			}
			faults = append(faults, fmt.Errorf("month %s: %w", sinks.Month(start), err))
		}
	}
	return errors.Join(faults...)
}

// look reads the days and months of a site, all that have not expired or those from the previous month on.
func (s *Sealer) look(ctx context.Context, site string, whole bool) (map[int64]*siteMonth, error) {
	months := make(map[int64]*siteMonth)
	of := func(start int64) *siteMonth {
		if months[start] == nil {
			months[start] = &siteMonth{site: site, start: start, days: make(map[int64]sinks.Item)}
		}
		return months[start]
	}
	from := int64(0)
	if now := s.o.Now(); !whole {
		from = sinks.MonthOf(sinks.MonthOf(now.UnixMilli()) - 1)
	}
	pk := s.o.Keys.Site(site)
	until := s.o.Now().Add(24*time.Hour - s.o.After).UnixMilli() // Days have dates, which may be ahead of UTC's.
	days := sinks.Query{PK: pk, From: sinks.DayStatsPrefix + sinks.Day(from), To: sinks.DayStatsPrefix + sinks.Day(until) + "~"}
	for it, err := range s.items(ctx, days) {
		if err != nil {
			return nil, err
		}
		day, err := sinks.ParseDay(strings.TrimPrefix(it.Key().SK, sinks.DayStatsPrefix))
		if err != nil {
			return nil, err
		}
		if _, end := s.o.DaySpan(site, s.zone, day); s.over(end) && !s.expired(it) {
			of(sinks.MonthOf(day)).days[day] = it
		}
	}
	if len(months) == 0 {
		return nil, nil // Without days that are over there is nothing to do for any month.
	}
	list := sinks.Query{PK: pk, From: sinks.MonthStatsPrefix + sinks.Month(from), To: sinks.MonthStatsPrefix + "~"}
	for it, err := range s.items(ctx, list) {
		if err != nil {
			return nil, err
		}
		month, err := sinks.ParseMonth(strings.TrimPrefix(it.Key().SK, sinks.MonthStatsPrefix))
		if err != nil {
			return nil, err
		}
		if months[month] != nil {
			months[month].item = it
		}
	}
	return months, nil
}

// month seals the days of a month that are not, and then the month's stats.
func (s *Sealer) month(ctx context.Context, m *siteMonth) error {
	known, err := sinks.ParseSealedDays(m.item[sinks.AttrDays].Str())
	if err != nil {
		return err
	}
	sealed := maps.Clone(known)
	changed := false
	for _, day := range slices.Sorted(maps.Keys(m.days)) {
		n := sinks.DayOfMonth(day)
		before, ok := known[n]
		if ok && before.Marks == sinks.MarksDigest(m.days[day]) {
			continue
		}
		if ok {
			s.o.Metrics.Stale.Inc()
		}
		begun := time.Now()
		now, err := s.day(ctx, m.site, day, before)
		if errors.Is(err, errGone) {
			continue
		}
		if err != nil {
			return fmt.Errorf("day %s: %w", sinks.Day(day), err)
		}
		if now != before {
			sealed[n], changed = now, true
		}
		if err := rest(ctx, time.Since(begun)); err != nil {
			return err
		}
	}
	_, end := s.o.DaySpan(m.site, s.zone, sinks.LastDay(m.start))
	over := s.over(end)
	if !changed && (!over || m.item[sinks.AttrClosed].Int() == 1) {
		return nil
	}
	return s.putMonth(ctx, m, sealed, over)
}

// rest lets the pipeline have the table for a while.
func rest(ctx context.Context, span time.Duration) error {
	select {
	case <-time.After(span):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
