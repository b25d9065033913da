package aggregate

import (
	"slices"

	"github.com/footfall/footfall/pipeline/aggregate/damage"
	"github.com/footfall/footfall/pipeline/aggregate/internal/additions"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// readBreakdown reads an hour's breakdown.
func (a *accumulating) readBreakdown(site string, key sinks.Key, it sinks.Item, b *sketch.Breakdown) error {
	var part damage.Faults
	part.Mark(it, a.Mark)
	part.Binary(it, sinks.AttrPart, func(packed []byte) error { return sketch.UnpackBreakdown(packed, b) })
	if len(part.Attrs) == 0 {
		return nil
	}
	return a.Damaged(part.BadPart(sinks.EntityBreakdown, site, key, it,
		map[string]sinks.Value{sinks.AttrPart: damage.EmptyBreakdown(a.settings.Breakdowns)}))
}

// mergePart adds a part of the hour's visitors.
func (h *hour) mergePart(packed []byte) error {
	part := sketch.NewHour()
	if err := part.UnmarshalBinary(packed); err != nil {
		return err
	}
	return h.visitors.Merge(part)
}

// readHour reads this partition's part of an hour's visitors, as far as it lies in the stats item, and its extremes.
func (a *accumulating) readHour(h *hour, it sinks.Item) error {
	if it == nil {
		return nil
	}
	key := a.keys.HourStats(h.Site.ID, &h.Site.names, h.start)
	var sums, part damage.Faults
	own := sinks.AttrUniques(a.TP)
	sums.Kinds(sinks.EntityStats, a.TP, it)
	sums.Attrs = slices.DeleteFunc(sums.Attrs, func(name string) bool {
		_, ours := sinks.PartitionOf(sinks.EntityStats, name)
		return ours
	})
	if err := sums.State(key); err != nil {
		return err // They are all partitions', and are added to.
	}
	if it[own].Kind() != sinks.None {
		part.Binary(it, own, h.mergePart)
	}
	least, greatest, known := part.Extremes(it, a.TP)
	if known {
		h.extremes = additions.Extremes{Least: least, Greatest: greatest, Known: true}
	}
	if it[a.Mark].Kind() != sinks.None || it[own].Kind() != sinks.None || known {
		part.Mark(it, a.Mark)
	}
	if len(part.Attrs) == 0 {
		return nil
	}
	return a.Damaged(part.BadPart(sinks.EntityStats, h.Site.ID, key, it, nil))
}

// readUniques reads this partition's part of an hour's visitors in an item of its own.
func (a *accumulating) readUniques(h *hour, it sinks.Item) error {
	if it == nil {
		return nil
	}
	var part damage.Faults
	part.Mark(it, a.Mark)
	part.Binary(it, sinks.AttrPart, h.mergePart)
	if len(part.Attrs) == 0 {
		return nil
	}
	return a.Damaged(part.BadPart(sinks.EntityUniques, h.Site.ID, a.keys.Uniques(h.Site.ID, &h.Site.names, h.start), it,
		map[string]sinks.Value{sinks.AttrPart: damage.EmptyHour}))
}
