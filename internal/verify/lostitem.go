package verify

import (
	"context"
	"fmt"
	"slices"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// compareLost compares the items of lost spans with their keys, with the checkpoints, and with the copies of the damaged items. A
// damaged one excuses the differences of another item, or none.
func (v *chainAudit) compareLost(ctx context.Context) error {
	var copies []sinks.Key
	spans := make(map[sinks.Key]sinks.LostSpan)
	for key, it := range v.lostSpans.items {
		span, err := sinks.ReadLostSpan(it)
		if err != nil || v.keys.Lost(span.TP, span.Lane, span.ID) != key || !slices.Contains(checkpoint.Lanes, span.Lane) {
			v.count(kindLost)
			v.differ(Difference{Kind: kindLost, PK: key.PK, SK: key.SK, Attribute: whole, Table: "present", Recount: "no lost span has such a key"})
			continue
		}
		spans[key] = span
		copies = append(copies, v.keys.Damaged(span.Key, span.ID))
	}
	found, err := v.get(ctx, copies)
	if err != nil {
		return err
	}
	for key, span := range spans {
		v.compareLostSpan(key, span, found[v.keys.Damaged(span.Key, span.ID)])
	}
	return nil
}

// compareLostSpan compares one. dup is the copy of the damaged item. A span beyond the item's first has none.
func (v *chainAudit) compareLostSpan(key sinks.Key, span sinks.LostSpan, dup sinks.Item) {
	it := v.lostSpans.items[key]
	c := compareItem(kindLost, it)
	for _, name := range []string{sinks.AttrOfPK, sinks.AttrOfSK, sinks.AttrOfKind, sinks.AttrSiteID, sinks.AttrQuarantinedBy} {
		c.kindIs(name, sinks.String)
	}
	if of, ok := sinks.Find(span.Key, nil, v.table.SessionShards); !ok {
		c.differ(sinks.AttrOfSK, show(it[sinks.AttrOfSK]), "the key of an item")
	} else {
		c.text(sinks.AttrOfKind, of.Type.Entity)
		if of.Fields.Site != "" && of.Fields.Site != span.Site { // A key cuts a long siteId.
			c.differ(sinks.AttrSiteID, show(it[sinks.AttrSiteID]), quote(of.Fields.Site))
		}
	}
	c.ignore(sinks.AttrLostAttrs)
	entity, _ := sinks.EntityType(span.Kind)
	for _, name := range span.Attrs {
		if _, _, ok := entity.Attribute(name); !ok {
			c.differ(sinks.AttrLostAttrs, show(it[sinks.AttrLostAttrs]), "attributes of the item")
			break
		}
	}
	if len(span.Attrs) == 0 {
		c.differ(sinks.AttrLostAttrs, show(it[sinks.AttrLostAttrs]), "one attribute or more")
	}
	head := checkpoint.Head{}
	if chain := v.chains[checkpoint.ChainID{Partition: span.TP.Partition, Lane: span.Lane}]; chain != nil {
		head = chain.head
	}
	c.between(sinks.AttrLostTo, 0, head.To)
	c.between(sinks.AttrLostStep, 0, head.Step)
	c.between(sinks.AttrQuarantinedAt, 1, v.now()*1000+dayMs)
	if dup != nil {
		was, mark := sinks.DamagedOriginal(dup), sinks.AttrMark(span.Lane, span.TP)
		if span.ID != sinks.LostID(was, span.Key, span.Attrs, span.To) &&
			span.ID != sinks.LostID(was, span.Key, append([]string{mark}, span.Attrs...), span.To) {
			c.differ(whole, fmt.Sprintf("%s up to position %d", show(it[sinks.AttrLostAttrs]), span.To), "what the id in the key is a hash of")
		}
	}
	c.common(sinks.EntityLost, span.Site)
	v.add(c)
}
