package erase

import (
	"context"
	"strings"

	"github.com/footfall/footfall/internal/toprows"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// sealed drops rows from what is sealed of spans that were over by the erasure's instant, and of days whose marks are others now.
// What is in use still is of days whose hours have expired; all else is made again by package seal.
func (b *broken) sealed(ctx context.Context) error {
	days := make(map[sinks.Key]string) // the marks of days, by what is sealed of them
	for it, err := range items(ctx, b.table, sinks.Query{PK: b.keys.Site(b.Site), Prefix: sinks.DayStatsPrefix}) {
		if err != nil {
			return err
		}
		day, err := sinks.ParseDay(strings.TrimPrefix(it.Key().SK, sinks.DayStatsPrefix))
		if err != nil {
			return err
		}
		days[b.keys.DayBreakdown(b.Site, day)] = sinks.MarksDigest(it)
	}
	return inPages(ctx, b.table, sinks.Query{PK: b.keys.BreakdownList(b.Site)}, func(ctx context.Context, it sinks.Item) error {
		for it != nil {
			if it[sinks.AttrEntity].Str() != sinks.EntitySealedBreakdown {
				return nil
			}
			if err := sinks.CheckKinds(it); err != nil {
				return err
			}
			over, err := b.over(it.Key().SK)
			if now, ok := days[it.Key()]; err == nil && ok && now != it[sinks.AttrMarks].Str() {
				over = true
			}
			if err != nil || !over {
				return err
			}
			part := new(sketch.Breakdown)
			if err := sketch.UnpackBreakdown(it[sinks.AttrPart].Bytes(), part); err != nil {
				return sinks.Damaged(it.Key(), sinks.AttrPart, err)
			}
			if _, rows := part.Purge(b.only); rows == 0 {
				return nil
			}
			packed, err := sketch.PackBreakdown(part)
			if err != nil {
				return err
			}
			u := sinks.Update{Key: it.Key(), If: unchanged(it, sinks.AttrMarks), Set: []sinks.Attr{
				{Name: sinks.AttrPart, Value: sinks.Bytes(packed)}, {Name: sinks.AttrPurged, Value: sinks.Int(b.rev)}}}
			for _, a := range toprows.Attrs(part) {
				if len(a.Value.Strings()) > 0 {
					u.Set = append(u.Set, a)
				} else {
					u.Remove = append(u.Remove, a.Name)
				}
			}
			answer, err := b.table.Update(ctx, u)
			if err != nil || !answer.Refused {
				return err
			}
			it = answer.Item
		}
		return nil
	})
}

// over reports whether the span of a sealed item was over by the erasure's instant.
func (b *broken) over(sk string) (bool, error) {
	_, name, _ := strings.Cut(sk, "#")
	last, err := sinks.ParseDay(name)
	if month, notDay := sinks.ParseMonth(name); notDay == nil {
		last, err = sinks.LastDay(month), nil
	}
	_, to := b.log.DaySpan(b.Site, b.zone, last)
	return err == nil && to <= b.until, err
}
