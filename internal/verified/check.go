package verified

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// Month is what the table alone says of a closed month of a site.
type Month struct {
	Month string `json:"month"` // as in 2026-08
	// VerifiedAt is when the last recount that compared all of the month began; null: the table has none.
	VerifiedAt *time.Time `json:"verifiedAt"`
	// Changed are the parts that are not as they were then.
	Changed []Part `json:"changed"`
	// DaysExpired says that days of the month have expired, so that only the month's own items are compared.
	DaysExpired bool `json:"daysExpired"`
	// Unequal names the figures of the month that are not those of its days: name, value, and what the days have.
	Unequal []string `json:"unequal"`

	was *BoundMonth // nil: no result binds it
}

// CheckSealed compares the closed months of a site that overlap [from, to) with the digests that results of recounts have of them, and
// with their days as far as these are kept. It reads no log. Zero times: open. Only items of the generation of keys are read: months of
// dates that another generation keeps for it are not among them.
func CheckSealed(ctx context.Context, table sinks.Table, keys sinks.Keys, site string, from, to time.Time) ([]Month, error) {
	results, err := bound(ctx, table, keys, site)
	if err != nil {
		return nil, err
	}
	all := []Month{}
	closed := make(map[string]bool)
	q := sinks.Query{PK: keys.Site(site), Prefix: sinks.MonthStatsPrefix, Consistent: true}
	for it, err := range sinks.Items(ctx, table, q) {
		if err != nil {
			return nil, err
		}
		name := strings.TrimPrefix(it.Key().SK, sinks.MonthStatsPrefix)
		was := lastOf(results, keys, name)
		m, err := monthOf(keys, site, it)
		if err != nil { // The other months can be compared.
			closed[name] = true
			all = append(all, damaged(name, was, sinks.Damaged(it.Key(), sinks.AttrDays, err)))
			continue
		}
		if was == nil && it[sinks.AttrClosed].Int() != 1 || !overlaps(m.start, from, to) {
			continue
		}
		closed[name] = true
		month, err := check(ctx, table, m, was)
		if err != nil {
			return nil, fmt.Errorf("month %s of site %q: %w", name, site, err)
		}
		all = append(all, month)
	}
	for name, was := range gone(results, keys, closed) {
		if start, err := sinks.ParseMonth(name); err == nil && overlaps(start, from, to) {
			all = append(all, Month{Month: name, VerifiedAt: was.at(), Changed: []Part{OfMonth}, Unequal: []string{}, was: was})
		}
	}
	slices.SortFunc(all, func(a, b Month) int { return strings.Compare(a.Month, b.Month) })
	return all, nil
}

// damaged is a month whose days cannot be read.
func damaged(name string, was *BoundMonth, err error) Month {
	m := Month{Month: name, Changed: []Part{OfMonth}, Unequal: []string{err.Error() + ": restore the item from a backup"}, was: was}
	if was != nil {
		m.VerifiedAt = was.at()
	}
	return m
}

// bound reads the results of a site that bind months, the last one first.
func bound(ctx context.Context, table sinks.Table, keys sinks.Keys, site string) (all []Result, err error) {
	pk, prefix := keys.Verifications(site)
	for it, err := range sinks.Items(ctx, table, sinks.Query{PK: pk, Prefix: prefix, Desc: true, Consistent: true}) {
		if err != nil {
			return nil, err
		}
		if r, err := Read(it); err == nil && len(r.Bound.Months) > 0 {
			all = append(all, r)
		}
	}
	return all, nil
}

// lastOf returns what the last result says that binds a month of this generation; nil: none does.
func lastOf(results []Result, keys sinks.Keys, month string) *BoundMonth {
	for _, r := range results {
		if was, ok := r.Bound.Months[month]; ok && r.Bound.Generation == max(1, keys.Generation) {
			return &was
		}
	}
	return nil
}

// gone returns the months that results bind, but the table no longer has.
func gone(results []Result, keys sinks.Keys, has map[string]bool) map[string]*BoundMonth {
	lost := make(map[string]*BoundMonth)
	for _, r := range results {
		for name := range r.Bound.Months {
			if was := lastOf(results, keys, name); was != nil && !has[name] {
				lost[name] = was
			}
		}
	}
	return lost
}

func overlaps(month int64, from, to time.Time) bool {
	end := sinks.LastDay(month) + 24*3600*1000
	return (from.IsZero() || end > from.UnixMilli()) && (to.IsZero() || month < to.UnixMilli())
}

func (b *BoundMonth) at() *time.Time { return new(time.UnixMilli(b.At).UTC()) }

// check compares a month. was is how it was when it was bound; nil: no result binds it.
func check(ctx context.Context, table sinks.Table, m month, was *BoundMonth) (c Month, err error) {
	c = Month{Month: sinks.Month(m.start), Changed: []Part{}, Unequal: []string{}, was: was}
	found, err := sinks.Get(ctx, table, slices.Concat(m.keys[:]...)...)
	if err != nil {
		return c, err
	}
	items := make(map[sinks.Key][]byte, len(found))
	for key, it := range found {
		items[key] = digestOf(it)
	}
	now, lacks := m.digests(items)
	c.DaysExpired = m.expired(found)
	if was != nil {
		c.VerifiedAt = was.at()
		for i, part := range parts {
			if (i == 0 || !c.DaysExpired) && now[i] != was.Digests[i] {
				c.Changed = append(c.Changed, part)
			}
		}
	}
	if !c.DaysExpired && len(lacks) == 0 {
		c.Unequal = m.unequal(found)
	}
	return c, nil
}

// expired reports whether the first day of a month is gone. Days expire in their order.
func (m month) expired(found map[sinks.Key]sinks.Item) bool {
	return len(m.keys[1]) > 0 && found[m.keys[1][0]] == nil
}

// unequal compares the month's own items with its days: all sums, those of goals included, and the visitors. Breakdowns are compared by
// their digests alone.
func (m month) unequal(found map[sinks.Key]sinks.Item) (names []string) {
	names = []string{}
	have, sums := found[m.keys[0][0]], make(sinks.Item)
	var err error
	visitors, own := sketch.NewHour(), sketch.NewHour()
	for i, key := range m.keys[1] {
		for name, v := range found[key] {
			if _, _, goal := sinks.GoalSum(name); goal || isSum(name) {
				sums[name] = sinks.Num(sums[name].Num().Plus(v.Num()))
			}
		}
		err = errors.Join(err, merge(visitors, found[m.keys[2][i]]))
	}
	for name := range have {
		if _, _, goal := sinks.GoalSum(name); goal || isSum(name) {
			sums[name] = sinks.Num(sums[name].Num())
		}
	}
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		if v := have[name]; v.Num() != sums[name].Num() {
			names = append(names, fmt.Sprintf("%s %d, its days %d", name, v.Num(), sums[name].Num()))
		}
	}
	if err = errors.Join(err, merge(own, found[m.keys[0][1]])); err != nil {
		return append(names, err.Error())
	}
	x, err := own.AppendBinary(nil)
	y, other := visitors.AppendBinary(nil)
	if err := errors.Join(err, other); err != nil || !bytes.Equal(x, y) {
		names = append(names, fmt.Sprintf("visitors %d, its days %d", own.Estimate(), visitors.Estimate()))
	}
	return names
}

func isSum(name string) bool {
	for sum := range figures.AllSums {
		if sum.Attr() == name {
			return true
		}
	}
	return false
}

func merge(into *sketch.Uniques, it sinks.Item) error {
	part := sketch.NewHour()
	if err := part.UnmarshalBinary(it[sinks.AttrPart].Bytes()); err != nil {
		return sinks.Damaged(it.Key(), sinks.AttrPart, err)
	}
	return into.Merge(part)
}
