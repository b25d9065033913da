package pipeline

import (
	"context"

	"github.com/footfall/footfall/sinks"
)

// A journal entry that cannot be read is removed, and with it what it held of the hours of its date: rows of their breakdowns, and
// visitors. Nothing but the entry says which hours these were. They can only be those whose breakdown has an earlier mark, since a later
// one has the entry, and whose stats have the entry's step or a later one. Each of them is marked as lost, as if its own part could not be
// read, before the entry is removed: an owner that reads such an hour in between finds the entry, and parks.

// loseHours marks the hours that an entry may have been of, and records what is lost of them.
func (q *Quarantine) loseHours(ctx context.Context, send *sender, m sinks.Match, head Checkpoint, entry sinks.LostSpan) (spans []sinks.LostSpan, err error) {
	if m.Fields.Step >= head.Step && !head.Done {
		return nil, nil // The redo of the step writes it once more.
	}
	keys, tp, mark := m.Keys, m.Fields.TP, sinks.AttrMark(LaneStats, m.Fields.TP)
	for query := (sinks.Query{PK: q.Key.PK, Prefix: sinks.BreakdownPrefix, Consistent: true}); ; {
		var page sinks.Page
		err := send.send(ctx, nil, "look for the hours of the entry", func() (err error) {
			page, err = q.Table.Query(ctx, query)
			return err
		})
		if err != nil {
			return spans, err
		}
		for _, it := range page.Items {
			of, ok := sinks.Find(it.Key(), it, m.Fields.Shards)
			if !ok || of.Type.Entity != sinks.EntityBreakdown || of.Fields.TP != tp {
				continue
			}
			stats, uniques := keys.HourStats(m.Fields.Site, of.Fields.At), keys.Uniques(m.Fields.Site, of.Fields.At, tp)
			found, err := send.batchGet(ctx, nil, []sinks.Key{stats, uniques})
			if err != nil {
				return spans, err
			}
			folded, touched := it[mark], found[stats][mark]
			merged := folded.Kind() == sinks.Number && folded.Int() >= m.Fields.Step && (head.Done || folded.Int() < head.Step)
			if merged || touched.Kind() == sinks.Number && touched.Int() < m.Fields.Step {
				continue
			}
			visitors := entry
			visitors.Key, visitors.Kind, visitors.Attrs = uniques, sinks.EntityUniques, []string{sinks.AttrPart}
			if found[uniques] == nil {
				visitors.Key, visitors.Kind, visitors.Attrs = stats, sinks.EntityStats, []string{sinks.AttrUniques(tp)}
			}
			rows := entry
			rows.Key, rows.Kind, rows.Attrs = it.Key(), sinks.EntityBreakdown, []string{sinks.AttrPart}
			if rows, err = q.lose(ctx, send, it, rows); err != nil {
				return spans, err
			}
			spans = append(spans, rows)
			if found[visitors.Key] == nil {
				continue
			}
			if visitors, err = q.lose(ctx, send, found[visitors.Key], visitors); err != nil {
				return spans, err
			}
			spans = append(spans, visitors)
		}
		if query.After = page.Next; query.After == "" {
			return spans, nil
		}
	}
}

// lose marks an item that can be read as one that something is lost of: it is copied, the span is recorded, and the item says so.
func (q *Quarantine) lose(ctx context.Context, send *sender, it sinks.Item, span sinks.LostSpan) (sinks.LostSpan, error) {
	once := []sinks.Cond{{Attr: sinks.AttrPK, Op: sinks.Absent}}
	span.ID = sinks.LostID(it, span.Key, append([]string{sinks.AttrMark(span.Lane, span.TP)}, span.Attrs...), span.To)
	if _, err := send.put(ctx, nil, sinks.EntityDamaged, sinks.Put{Item: sinks.DamagedCopy(q.Keys, it, span.ID, span.At), If: once}); err != nil {
		return span, err
	}
	if _, err := send.put(ctx, nil, sinks.EntityLost, sinks.Put{Item: span.Item(q.Keys), If: once}); err != nil {
		return span, err
	}
	_, err := send.update(ctx, nil, span.Kind, sinks.Update{Key: span.Key, If: []sinks.Cond{{Attr: sinks.AttrPK, Op: sinks.Present}}, // Else it has expired.
		Set: []sinks.Attr{{Name: sinks.AttrLost(span.TP), Value: sinks.Int(span.To)}}})
	return span, err
}
