package recount

import (
	"slices"

	"github.com/oklog/ulid/v2"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/verify/count"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/sinks"
)

// PackedKey names the event of a record in packs of a shard.
func PackedKey(shard uint8, id ulid.ULID, partition int32, offset int64) RawKey {
	return RawKey{Shard: shard, ID: id, Partition: partition, Packed: offset + 1}
}

// RawKey names a raw event within its site.
type RawKey struct {
	Shard     uint8
	ID        ulid.ULID
	Partition int32 // of an event of a pack
	Packed    int64 // the offset of its record, and 1; 0: it is an item
}

// RawEvent is a raw event that the log explains. It holds no text of its record: a hash of the item decides whether it is as
// its record has it, and the record is read again where it is not.
type RawEvent struct {
	RawSighting
	Digest uint64 // of the item that the first counted record makes
	more   *rawMore

	Required bool // a step asks for it. If not, its writer may not have begun the step
	Seen     bool // in the table
	Unsure   bool // it may be a duplicate of one that the log has lost
	Erasing  bool // it is of a person who has a tombstone: it may be deleted
}

// rawMore is what few raw events have.
type rawMore struct {
	others   []RawSighting // further records with the same key
	sessions []string      // of the records without a visitor and a user
}

// RawSighting is a record that may have made a raw event.
type RawSighting struct {
	Chain    *Chain
	Position int64
	Bot      count.Bot // by what it is a bot's, where it is counted
	Counted  bool      // by its step, which wants raw events
}

// Sessions returns the sessions of the records without a visitor and a user. An erasure deletes such a raw event by its session.
func (e *RawEvent) Sessions() []string {
	if e.more == nil {
		return nil
	}
	return e.more.sessions
}

// Rebuilt reports whether the step of one of its records repeats what an earlier generation has counted, and with it written the raw event.
func (e *RawEvent) Rebuilt() bool {
	return slices.ContainsFunc(e.Sightings(), func(s RawSighting) bool { return s.Chain.SettingsAt(s.Position).Rebuilt })
}

// Sightings returns all records that may have made the raw event.
func (e *RawEvent) Sightings() []RawSighting {
	if e.more == nil {
		return []RawSighting{e.RawSighting}
	}
	return append([]RawSighting{e.RawSighting}, e.more.others...)
}

func (e *RawEvent) further() *rawMore {
	if e.more == nil {
		e.more = new(rawMore)
	}
	return e.more
}

// Raw knows which raw events the table must hold: one for each counted record, where records with the same
// siteId, id and shard share one.
//
// It also knows those that the table may hold although no step asks for them. Raw events go out as records arrive: a
// process that ends before it has begun their step leaves them in the table. Another process begins the step, and its
// settings may leave those records out, or its rules may lay them elsewhere.
type Raw struct {
	v     *Model
	Sites map[string]map[RawKey]RawEvent
}

// RawShard returns the shard of a record's raw event under rules of its site.
func RawShard(e *event.Event, ruled *sites.Rules) uint8 {
	return uint8(sinks.ShardOf(string(e.ShardID()), ruled.ShardsAt(e.Timestamp)))
}

// RawTime returns the event time in a raw event's key.
func RawTime(id ulid.ULID) int64 { return int64(id.Time()) }
