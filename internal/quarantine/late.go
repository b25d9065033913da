package quarantine

import (
	"context"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// The quarantine of an unreadable journal entry removes it, and with it what it held of the hours of its date: rows of their breakdowns,
// and visitors. Only the entry says which hours these are. It can have an hour only under two conditions:
//
//   - The mark of the hour's breakdown is earlier than the entry's step. The breakdown has merged the entry otherwise.
//   - The mark of the hour's stats is the entry's step or a later one.
//
// The quarantine marks each such hour as if its own part were unreadable, and then removes the entry. An owner that reads such an
// hour between the two finds the entry, and parks.
//
// A breakdown that an erasure has written has merged the rows of its entries, and their visitors may be in no part. The quarantine marks
// the hour's uniques alone.

// markLostHours marks the hours that an entry may have had, and records their lost spans.
func (a *attempt) markLostHours(ctx context.Context, head checkpoint.Head, entry sinks.LostSpan) (spans []sinks.LostSpan, err error) {
	m := a.match
	if m.Fields.Step >= head.Step && !head.Done {
		return nil, nil // The redo of the step writes it once more.
	}
	keys, tp, mark := m.Keys, m.Fields.TP, sinks.AttrMark(checkpoint.LaneStats, m.Fields.TP)
	hours := sinks.Query{PK: a.Key.PK, Prefix: sinks.BreakdownPrefix}
	for it, err := range a.send.Items(ctx, "look for the hours of the entry", hours) {
		if err != nil {
			return spans, err
		}
		of, ok := sinks.Find(it.Key(), it, m.Fields.Shards)
		if !ok || of.Type.Entity != sinks.EntityBreakdown || of.Fields.TP != tp {
			continue
		}
		stats, uniques := keys.HourStats(m.Fields.Site, of.Fields.At), keys.Uniques(m.Fields.Site, of.Fields.At, tp)
		found, err := a.send.BatchGet(ctx, []sinks.Key{stats, uniques})
		if err != nil {
			return spans, err
		}
		folded, touched := it[mark], found[stats][mark]
		merged := folded.Kind() == sinks.Number && folded.Int() >= m.Fields.Step && (head.Done || folded.Int() < head.Step)
		if touched.Kind() == sinks.Number && touched.Int() < m.Fields.Step {
			continue
		}
		if swept := it[sinks.AttrPurged].Kind() != sinks.None; merged && (!swept || found[uniques] == nil) {
			continue
		}
		visitors := entry
		visitors.Key, visitors.Kind, visitors.Attrs = uniques, sinks.EntityUniques, []string{sinks.AttrPart}
		if found[uniques] == nil {
			visitors.Key, visitors.Kind, visitors.Attrs = stats, sinks.EntityStats, []string{sinks.AttrUniques(tp)}
		}
		if !merged {
			rows := entry
			rows.Key, rows.Kind, rows.Attrs = it.Key(), sinks.EntityBreakdown, []string{sinks.AttrPart}
			if rows, err = a.markLost(ctx, it, rows); err != nil {
				return spans, err
			}
			spans = append(spans, rows)
		}
		if found[visitors.Key] == nil {
			continue
		}
		if visitors, err = a.markLost(ctx, found[visitors.Key], visitors); err != nil {
			return spans, err
		}
		spans = append(spans, visitors)
	}
	return spans, nil
}

// markLost copies a readable item, records a lost span of it, and marks the item.
func (a *attempt) markLost(ctx context.Context, it sinks.Item, span sinks.LostSpan) (sinks.LostSpan, error) {
	once := []sinks.Cond{{Attr: sinks.AttrPK, Op: sinks.Absent}}
	span.ID = sinks.LostID(it, span.Key, append([]string{sinks.AttrMark(span.Lane, span.TP)}, span.Attrs...), span.To)
	if _, err := a.send.Put(ctx, sinks.EntityDamaged, sinks.Put{Item: sinks.DamagedCopy(a.Keys, it, span.ID, span.At), If: once}); err != nil {
		return span, err
	}
	if _, err := a.send.Put(ctx, sinks.EntityLost, sinks.Put{Item: span.Item(a.Keys), If: once}); err != nil {
		return span, err
	}
	// Else it has expired.
	_, err := a.send.Update(ctx, span.Kind, sinks.Update{Key: span.Key, If: []sinks.Cond{{Attr: sinks.AttrPK, Op: sinks.Present}},
		Set: []sinks.Attr{{Name: sinks.AttrLost(span.TP), Value: sinks.Int(span.To)}}})
	return span, err
}
