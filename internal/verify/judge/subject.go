package judge

import (
	"cmp"
	"fmt"

	"github.com/oklog/ulid/v2"

	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/internal/verify/recount"
	"github.com/footfall/footfall/sinks"
)

// Subject is what is compared at a time: an item, or the items in which one partition lists the sessions that were
// opened in a minute, or those of visitors that were opened in an hour.
type Subject struct {
	Kind string
	Site string
	At   int64    // start of the hour, day or minute
	ID   string   // of the session, visitor or goal; of new sites the lane
	goal uint64   // number of a conversion's goal
	TP   sinks.TP // whose part it is; zero for what partitions share
	Raw  recount.RawKey
}

// InLists reports whether the subject is several items of lists.
func (s Subject) InLists() bool { return s.Kind == finding.KindRecent || s.Kind == finding.KindListed }

// Key returns the item's key. Of recent sessions it is how the keys of the items begin, and of lists by
// visitor how they do in any bucket.
func (v *Judges) Key(s Subject) sinks.Key {
	switch s.Kind {
	case finding.KindRecent:
		return sinks.Key{PK: v.Keys.RecentList(s.Site), SK: sinks.Minute(s.At) + "#" + s.TP.String() + "#"}
	case finding.KindListed:
		return sinks.Key{PK: v.Keys.VisitorList(s.Site), SK: fmt.Sprintf("{bucket}#%s#%s#", sinks.Hour(s.At), s.TP)}
	case finding.KindEvent:
		return v.Keys.Event(s.Site, int(s.Raw.Shard), s.Raw.ID.String())
	case finding.KindPack: // The record does not say which pack has the event.
		return sinks.Key{PK: v.Keys.Shard(s.Site, int(s.Raw.Shard)), SK: fmt.Sprintf("%s%s (offset %d of partition %d)", sinks.PackPrefix,
			s.Raw.ID, s.Raw.Packed-1, s.Raw.Partition)}
	}
	return Kinds[s.Kind].Type.Key(v.Keys, sinks.Fields{Site: s.Site, Session: s.ID, Visitor: s.ID, Hash: s.ID, Goal: s.ID, Lane: s.ID,
		Number: s.goal,
		TP:     s.TP, At: s.At, Shards: v.Table.SessionShards})
}

// SubjectOf finds out what an item is about; ok is false when no template spells its key. known are the subjects of the site that the
// log or the rules know by an id, by sort key: a key shortens long ids.
func (v *Judges) SubjectOf(kind, site string, it sinks.Item, known map[string]Subject) (s Subject, ok bool) {
	key := it.Key()
	if kind == finding.KindUnknown {
		return Subject{Kind: kind}, false
	}
	s, ok = known[key.SK]
	if !ok {
		m, ok := sinks.FindEntry(Kinds[kind].Type, sinks.Base, key, it, v.Table.SessionShards)
		if !ok {
			return Subject{Kind: kind, Site: site}, false
		}
		f := m.Fields
		s = Subject{Kind: kind, Site: site, At: f.At, ID: cmp.Or(f.Session, f.Visitor, f.Hash, f.Goal, f.Lane), goal: f.Number, TP: f.TP}
		var err error
		if kind == finding.KindEvent {
			s.Raw.Shard = uint8(f.Shard)
			if s.Raw.ID, err = ulid.ParseStrict(f.ULID); err != nil {
				return s, false
			}
		}
	}
	return s, s.InLists() || v.Key(s) == key
}

// Known returns the subjects of a site that the log or the rules know by an id, by sort key.
func (v *Judges) Known(site string) map[string]Subject {
	all := make(map[string]Subject)
	for s := range v.Explained(site) {
		if s.ID != "" {
			all[v.Key(s).SK] = s
		}
	}
	return all
}
