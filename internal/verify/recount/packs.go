package recount

import (
	"maps"

	"github.com/oklog/ulid/v2"

	"github.com/footfall/footfall/internal/verify/count"
	"github.com/footfall/footfall/sinks"
)

// PackedKey names the event of a record in packs of a shard.
func PackedKey(shard uint8, id ulid.ULID, partition int32, offset int64) RawKey {
	return RawKey{Shard: shard, ID: id, Partition: partition, Packed: offset + 1}
}

// expectPacked notes that a record's raw event is in a pack.
func (w *Raw) expectPacked(r *count.Record, key RawKey, e RawEvent) {
	site := string(r.Event.SiteID)
	w.v.Ledger.grow(site, weighRaw)
	e.Required, e.Unsure = true, r.Unsure
	e.Digest = Digest(w.v.RawItem(r, e.Bot))
	w.Sites[site][PackedKey(key.Shard, key.ID, r.Partition, r.Offset)] = e
}

// DiffersByRate reports whether a raw event is what its record makes but for the verdict on its session's rate, which is not known where
// the log has not all that the chain folded.
func (e *RawEvent) DiffersByRate(it sinks.Item) bool {
	if e.Chain.NotRecounted == "" || e.Chain.SettingsAt(e.Position).Bots.Rate == 0 || it[sinks.AttrExcluded].Kind() != sinks.None {
		return false
	}
	other := maps.Clone(it)
	switch by := it[sinks.AttrBot]; {
	case by.Kind() == sinks.None:
		other[sinks.AttrBot] = sinks.Str("rate")
	case by.Equal(sinks.Str("rate")):
		delete(other, sinks.AttrBot)
	default:
		return false
	}
	return Digest(other) == e.Digest
}
