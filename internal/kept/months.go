package kept

import (
	"context"
	"slices"

	"github.com/footfall/footfall/sinks"
)

// months reads the stats of months. There are twelve a year, so all are read for each page. A cursor is the last sort key of a page.
func (t *Table) months(ctx context.Context, q sinks.Query, split sinks.Split) (page sinks.Page, err error) {
	of := make(map[string]map[string]sinks.Item) // by half and sort key
	var names []string
	for _, h := range t.halves(q, sinks.Split{Last: split.First, First: split.First}) { // Both may have the month of the date.
		items, err := t.all(ctx, h.q, &page.Units)
		if err != nil {
			return sinks.Page{}, err
		}
		of[h.tag] = make(map[string]sinks.Item)
		for _, it := range items {
			of[h.tag][it.Key().SK] = it
			names = append(names, it.Key().SK)
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	if q.Desc {
		slices.Reverse(names)
	}
	for _, sk := range names {
		if q.After != "" && (sk == q.After || (sk < q.After) != q.Desc) {
			continue
		}
		it, err := t.month(sinks.Key{PK: q.PK, SK: sk}, of[earlierTag][sk], of[laterTag][sk])
		if err != nil {
			return sinks.Page{}, err
		}
		if it == nil {
			continue
		}
		if q.Limit > 0 && len(page.Items) == q.Limit {
			page.Next = page.Items[q.Limit-1].Key().SK
			break
		}
		page.Items = append(page.Items, renamed(it, q.PK))
	}
	return page, nil
}

// month returns the stats of a month, given those of each generation; nil: there are none. The month that the date lies in names the sealed
// days of both, and is not closed: what either generation has sealed of the whole month lacks days of the other.
func (t *Table) month(key sinks.Key, earlier, later sinks.Item) (sinks.Item, error) {
	if !sinks.Straddles(key, t.from) {
		if split, _ := sinks.SplitAt(key.PK, key.SK, t.from); split.Earlier(key.SK) {
			return earlier, nil
		}
		return later, nil
	}
	both, first := make(sinks.SealedDays), sinks.DayOfMonth(t.from)
	for _, m := range []struct {
		item  sinks.Item
		holds func(day int) bool
	}{
		{earlier, func(day int) bool { return day < first }},
		{later, func(day int) bool { return day >= first }},
	} {
		days, err := sinks.ParseSealedDays(m.item[sinks.AttrDays].Str())
		if err != nil {
			return nil, err
		}
		for day, sealed := range days {
			if m.holds(day) {
				both[day] = sealed
			}
		}
	}
	if len(both) == 0 {
		return nil, nil
	}
	return sinks.Item{
		sinks.AttrPK: sinks.Str(key.PK), sinks.AttrSK: sinks.Str(key.SK), sinks.AttrEntity: sinks.Str(sinks.EntityMonthStats),
		sinks.AttrDays: sinks.Str(both.String()), sinks.AttrClosed: sinks.Int(0),
	}, nil
}
