package audit

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/footfall/footfall/internal/verify/count"
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/internal/verify/recount"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// CompareLost compares the items of lost spans with their keys, with the checkpoints, and with the copies of the damaged items. A
// damaged one excuses the differences of another item, or none.
func (v *Audit) CompareLost(ctx context.Context) error {
	var copies []sinks.Key
	spans := make(map[sinks.Key]sinks.LostSpan)
	for key, it := range v.LostSpans.Items {
		span, err := sinks.ReadLostSpan(it)
		if err != nil || v.Keys.Lost(span.TP, span.Lane, span.ID) != key || !slices.Contains(checkpoint.Lanes, span.Lane) {
			v.Count(finding.KindLost)
			v.Differ(finding.Difference{Kind: finding.KindLost, PK: key.PK, SK: key.SK, Attribute: finding.Whole, Table: "present",
				Recount: "no lost span has such a key"})
			continue
		}
		spans[key] = span
		copies = append(copies, v.Keys.Damaged(span.Key, span.ID))
	}
	found, err := v.Load(ctx, copies)
	if err != nil {
		return err
	}
	for key, span := range spans {
		v.compareLostSpan(key, span, found[v.Keys.Damaged(span.Key, span.ID)])
	}
	return nil
}

// compareLostSpan compares one. dup is the copy of the damaged item. A span beyond the item's first has none.
func (v *Audit) compareLostSpan(key sinks.Key, span sinks.LostSpan, dup sinks.Item) {
	it := v.LostSpans.Items[key]
	c := finding.CompareItem(finding.KindLost, it)
	for _, name := range []string{sinks.AttrOfPK, sinks.AttrOfSK, sinks.AttrOfKind, sinks.AttrSiteID, sinks.AttrQuarantinedBy} {
		c.KindIs(name, sinks.String)
	}
	if of, ok := sinks.Find(span.Key, nil, v.Table.SessionShards); !ok {
		c.Differ(sinks.AttrOfSK, finding.Show(it[sinks.AttrOfSK]), "the key of an item")
	} else {
		c.Text(sinks.AttrOfKind, of.Type.Entity)
		if of.Fields.Site != "" && of.Fields.Site != span.Site { // A key cuts a long siteId.
			c.Differ(sinks.AttrSiteID, finding.Show(it[sinks.AttrSiteID]), finding.Quote(of.Fields.Site))
		}
	}
	c.Ignore(sinks.AttrLostAttrs)
	entity, _ := sinks.EntityType(span.Kind)
	for _, name := range span.Attrs {
		if _, _, ok := entity.Attribute(name); !ok {
			c.Differ(sinks.AttrLostAttrs, finding.Show(it[sinks.AttrLostAttrs]), "attributes of the item")
			break
		}
	}
	if len(span.Attrs) == 0 {
		c.Differ(sinks.AttrLostAttrs, finding.Show(it[sinks.AttrLostAttrs]), "one attribute or more")
	}
	head := checkpoint.Head{}
	if chain := v.Chains[checkpoint.ChainID{Partition: span.TP.Partition, Lane: span.Lane}]; chain != nil {
		head = chain.Head
	}
	c.Between(sinks.AttrLostTo, 0, head.To)
	c.Between(sinks.AttrLostStep, 0, head.Step)
	c.Between(sinks.AttrQuarantinedAt, 1, v.Now()*1000+count.DayMs)
	if dup != nil {
		was, mark := sinks.DamagedOriginal(dup), sinks.AttrMark(span.Lane, span.TP)
		if span.ID != sinks.LostID(was, span.Key, span.Attrs, span.To) &&
			span.ID != sinks.LostID(was, span.Key, append([]string{mark}, span.Attrs...), span.To) {
			c.Differ(finding.Whole, fmt.Sprintf("%s up to position %d", finding.Show(it[sinks.AttrLostAttrs]), span.To),
				"what the id in the key is a hash of")
		}
	}
	c.Common(sinks.EntityLost, span.Site)
	v.Add(c)
}

// LoadLost reads the lost spans of the topic's chains.
func (v *Audit) LoadLost(ctx context.Context) error {
	found := recount.Losses{Items: make(map[sinks.Key]sinks.Item), Of: make(map[sinks.Key][]sinks.LostSpan)}
	pk, prefix := v.Keys.LostSpans(v.Number)
	for it, err := range v.Items(ctx, sinks.Query{PK: pk, Prefix: prefix}) {
		if err != nil {
			return fmt.Errorf("read the lost spans: %w", err)
		}
		found.Items[it.Key()] = it
		if span, err := sinks.ReadLostSpan(it); err == nil { // compareLost reports the others.
			found.Of[span.Key] = append(found.Of[span.Key], span)
			found.List = append(found.List, span)
		}
	}
	v.LostSpans = found
	return nil
}

// ListLost names every lost span in the report.
func (v *Audit) ListLost() {
	v.Report.Lost = []finding.Lost{}
	for _, l := range v.LostSpans.List {
		v.Report.Lost = append(v.Report.Lost, finding.Lost{Kind: l.Kind, PK: l.Key.PK, SK: l.Key.SK, Attributes: l.Attrs,
			Partition: l.TP.Partition,
			Lane:      l.Lane, To: l.To, At: time.UnixMilli(l.At).UTC().Format(time.RFC3339), By: l.By, Copy: v.Keys.Damaged(l.Key, l.ID)})
	}
}
