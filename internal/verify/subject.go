package verify

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/oklog/ulid/v2"

	"github.com/footfall/footfall/sinks"
)

// subject is what is compared at a time: an item, or the items in which one partition lists the sessions that were
// opened in a minute, or those of visitors that were opened in an hour.
type subject struct {
	kind string
	site string
	at   int64    // start of the hour, day or minute
	id   string   // of the session, visitor or goal; of new sites the lane
	goal uint64   // number of a conversion's goal
	tp   sinks.TP // whose part it is; zero for what partitions share
	raw  rawKey
}

// listing returns the subjects that an item among a site's lists by visitor is compared with; none: no template spells its key.
func (v *scanner) listing(site string, it sinks.Item) []subject {
	if strings.HasPrefix(it.Key().SK, kinds[kindNew].prefix) {
		return v.subjectsOfNew(site, it)
	}
	if s, ok := v.subjectOf(kindListed, site, it, nil); ok {
		return []subject{s}
	}
	return nil
}

// inLists reports whether the subject is several items of lists.
func (s subject) inLists() bool { return s.kind == kindRecent || s.kind == kindListed }

// key returns the item's key. Of recent sessions it is how the keys of the items begin, and of lists by
// visitor how they do in any bucket.
func (v *judges) key(s subject) sinks.Key {
	switch s.kind {
	case kindRecent:
		return sinks.Key{PK: v.keys.RecentList(s.site), SK: sinks.Minute(s.at) + "#" + s.tp.String() + "#"}
	case kindListed:
		return sinks.Key{PK: v.keys.VisitorList(s.site), SK: fmt.Sprintf("{bucket}#%s#%s#", sinks.Hour(s.at), s.tp)}
	case kindEvent:
		return v.keys.Event(s.site, int(s.raw.shard), s.raw.id.String())
	case kindPack: // The record does not say which pack has the event.
		return sinks.Key{PK: v.keys.Shard(s.site, int(s.raw.shard)), SK: fmt.Sprintf("%s%s (offset %d of partition %d)", sinks.PackPrefix,
			s.raw.id, s.raw.packed-1, s.raw.partition)}
	}
	return kinds[s.kind].typ.Key(v.keys, sinks.Fields{Site: s.site, Session: s.id, Visitor: s.id, Hash: s.id, Goal: s.id, Lane: s.id,
		Number: s.goal,
		TP:     s.tp, At: s.at, Shards: v.table.SessionShards})
}

// subjectOf finds out what an item is about; ok is false when no template spells its key. known are the subjects of the site that the
// log or the rules know by an id, by sort key: a key shortens long ids.
func (v *judges) subjectOf(kind, site string, it sinks.Item, known map[string]subject) (s subject, ok bool) {
	key := it.Key()
	if kind == kindUnknown {
		return subject{kind: kind}, false
	}
	s, ok = known[key.SK]
	if !ok {
		m, ok := sinks.FindEntry(kinds[kind].typ, sinks.Base, key, it, v.table.SessionShards)
		if !ok {
			return subject{kind: kind, site: site}, false
		}
		f := m.Fields
		s = subject{kind: kind, site: site, at: f.At, id: cmp.Or(f.Session, f.Visitor, f.Hash, f.Goal, f.Lane), goal: f.Number, tp: f.TP}
		var err error
		if kind == kindEvent {
			s.raw.shard = uint8(f.Shard)
			if s.raw.id, err = ulid.ParseStrict(f.ULID); err != nil {
				return s, false
			}
		}
	}
	return s, s.inLists() || v.key(s) == key
}

// known returns the subjects of a site that the log or the rules know by an id, by sort key.
func (v *judges) known(site string) map[string]subject {
	all := make(map[string]subject)
	for s := range v.explained(site) {
		if s.id != "" {
			all[v.key(s).SK] = s
		}
	}
	return all
}
