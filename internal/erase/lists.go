package erase

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sinks"
)

// Entries of lists by visitor, and of new sessions, are erased as raw events in packs are: the item is written again without them, on
// condition that it is as it was read, and only if its flush will not be repeated.

// A listing is an item that lists sessions of visitors, with what is left of it without the person.
type listing struct {
	item sinks.Item
	at   sinks.Fields // what its key says
	hour int64        // in which its sessions were opened
	left []state.ListedSession
}

// eachList calls found with every item that lists sessions of the person, which must have been found before.
func (f *finder) eachList(ctx context.Context, found func(context.Context, listing) error) error {
	return f.inLists(ctx, func(keys sinks.Keys) (pk, prefix string) { return keys.VisitorList(f.Site), "" },
		func(ctx context.Context, it sinks.Item) error {
			x, ok, err := f.inList(ctx, it)
			if err != nil || !ok {
				return err
			}
			return found(ctx, x)
		})
}

// inList finds what a list is without the person; ok is false if it does not list the person.
func (f *finder) inList(ctx context.Context, it sinks.Item) (x listing, ok bool, err error) {
	typ, _ := sinks.EntityType(sinks.EntityOf(it.Key()))
	m, ok := sinks.FindEntry(&typ, sinks.Base, it.Key(), it, f.shards)
	if !ok {
		return x, false, fmt.Errorf("item %s / %s: it is no list of sessions", it.Key().PK, it.Key().SK)
	}
	hour := m.Fields.At - m.Fields.At%time.Hour.Milliseconds() // The key of new sessions has a minute.
	entries, err := state.DecodeListed(it[sinks.AttrListed].Bytes(), hour, m.Fields.TP)
	if err != nil {
		return x, false, sinks.Damaged(it.Key(), sinks.AttrListed, err)
	}
	x = listing{item: it, at: m.Fields, hour: hour}
	for _, e := range entries {
		of, err := f.lists(ctx, e, sinks.KeysOf(it.Key().PK).Session(f.Site, e.Session, m.Fields.TP, f.shards))
		if err != nil {
			return x, false, err
		}
		if !of {
			x.left = append(x.left, e)
		}
	}
	return x, len(x.left) < len(entries), nil
}

// lists reports whether an entry is of the person, where key is that of its session: of a session that was found, or, with the hash of the
// visitor, of one whose item is gone or is no longer that visitor's.
func (f *finder) lists(ctx context.Context, e state.ListedSession, key sinks.Key) (bool, error) {
	f.mu.Lock()
	known := f.items[key]
	f.mu.Unlock()
	if known || f.Person != sites.Visitor || e.Visitor != sinks.VisitorHash(f.ID) || e.OpenedAt > f.until {
		return known, nil
	}
	there, err := sinks.Get(ctx, f.table, key)
	it := there[key]
	return it == nil || sinks.VisitorHash(state.IdentityOf(it).Visitor) != e.Visitor, err
}

// relist takes the person's entries from a list.
func (s *sweeper) relist(ctx context.Context, x listing) error {
	for {
		if s.repeated(x.at.TP, x.at.Step) {
			return nil
		}
		asRead := []sinks.Cond{{Attr: sinks.AttrListed, Op: sinks.Equal, Value: x.item[sinks.AttrListed]}}
		var answer sinks.Result
		var err error
		if len(x.left) == 0 {
			answer, err = s.table.Delete(ctx, sinks.Delete{Key: x.item.Key(), If: asRead})
		} else {
			left := maps.Clone(x.item)
			left[sinks.AttrListed] = sinks.Bytes(state.AppendListed(nil, x.left, x.hour, x.at.TP))
			answer, err = s.table.Put(ctx, sinks.Put{Item: left, If: asRead})
		}
		if err != nil || !answer.Refused || answer.Item == nil {
			return err
		}
		var ok bool
		if x, ok, err = s.inList(ctx, answer.Item); err != nil || !ok {
			return err
		}
	}
}
