package erase

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/footfall/footfall/internal/annotations"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sinks"
)

// finder finds what a table holds of a person: it reads all shards of the site, since indexes are written later than
// items, and raw events are in none.
type finder struct {
	*run
	keys  []sinks.Keys // of the generations that it looks into
	rev   int64        // of the tombstone; 0: none
	until int64        // items of later event times are counted, and not found

	mu       sync.Mutex         // covers all below
	sessions map[string]bool    // of the person, as sort keys spell them
	items    map[sinks.Key]bool // of these sessions
	later    int64
}

func (r *run) finder(rev, until int64) *finder {
	return &finder{run: r, keys: EveryKeys(r.watch.has), rev: rev, until: until, sessions: make(map[string]bool),
		items: make(map[sinks.Key]bool)}
}

// owns reports whether a session's item names the person.
func (f *finder) owns(it sinks.Item) bool {
	whose := state.IdentityOf(it)
	if f.Person == sites.User {
		return whose.User == f.ID
	}
	return whose.Visitor == f.ID
}

// names reports whether an item of an event or a conversion names the person.
func (f *finder) names(it sinks.Item) bool {
	if f.Person == sites.User {
		return it[sinks.AttrUserID].Str() == f.ID
	}
	return it[sinks.AttrVisitorID].Str() == f.ID
}

// inTime reports whether an event time is not after the tombstone's.
func (f *finder) inTime(t int64) bool {
	if t <= f.until {
		return true
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.later++
	return false
}

// eachSession calls found with every session that is the person's: that has the id, or has lost it to this tombstone. A session that
// has lost its ids to an earlier tombstone may have been the person's, too, and that earlier erasure may never be continued.
func (f *finder) eachSession(ctx context.Context, found func(context.Context, sinks.Item) error) error {
	return f.inSessionShards(ctx, f.shards, sinks.SessionPrefix, func(ctx context.Context, it sinks.Item) error {
		by := it[sinks.AttrErased].Int()
		swept := by > 0 && by <= f.rev
		owned := f.owns(it)
		if !swept && !owned {
			return nil
		}
		if err := sinks.CheckKinds(it); err != nil {
			return err
		}
		if opened, err := openedAt(it); err != nil || owned && !f.inTime(opened) && !swept {
			return err
		}
		sk := it.Key().SK // Has the session's id when the item has lost it.
		f.mu.Lock()
		f.sessions[sk[:strings.LastIndexByte(sk, '#')+1]] = true
		f.items[it.Key()] = true
		f.mu.Unlock()
		return found(ctx, it)
	})
}

// eachVisitor calls found with what every partition knows of the visitor's visits.
func (f *finder) eachVisitor(ctx context.Context, found func(context.Context, sinks.Item) error) error {
	return f.inLists(ctx, func(keys sinks.Keys) (pk, prefix string) { return keys.VisitorStates(f.Site, f.ID, f.shards) }, checked(found))
}

// eachArrival calls found with where every partition counts the visitor as new.
func (f *finder) eachArrival(ctx context.Context, found func(context.Context, sinks.Item) error) error {
	return f.inLists(ctx, func(keys sinks.Keys) (pk, prefix string) { return keys.Arrivals(f.Site, f.hash.String(), f.shards) },
		checked(found))
}

// checked calls found with items whose attributes have the kinds that they should have.
func checked(found func(context.Context, sinks.Item) error) func(context.Context, sinks.Item) error {
	return func(ctx context.Context, it sinks.Item) error {
		if err := sinks.CheckKinds(it); err != nil {
			return err
		}
		return found(ctx, it)
	}
}

// eachRecord calls found with every raw event and every conversion that names the person, or that has no id and belongs to one of
// the person's sessions, which must have been found before. An event of a bot from the lists belongs to no session.
func (f *finder) eachRecord(ctx context.Context, found func(ctx context.Context, kind string, it sinks.Item) error) error {
	take := func(kind, time string) func(context.Context, sinks.Item) error {
		return func(ctx context.Context, it sinks.Item) error {
			if f.finds(it, time) {
				return found(ctx, kind, it)
			}
			return nil
		}
	}
	err := f.inShards(ctx, f.recordShards(), sinks.EventPrefix, f.rawShard, take(Events, "timestamp"))
	if err != nil {
		return err
	}
	return f.inSessionShards(ctx, f.recordShards(), sinks.ConversionPrefix, take(Conversions, sinks.AttrAt))
}

// rawShard is the partition key of a shard of the site's raw events.
func (f *finder) rawShard(nn int) string { return sinks.RawShard(f.Site, nn) }

// finds reports whether a record, whose event time has that name, is to be found.
func (f *finder) finds(it sinks.Item, time string) bool {
	return f.names(it) && f.inTime(it[time].Int()) || f.unnamed(it)
}

// recordShards is over how many shards the site's raw events may be spread.
func (f *finder) recordShards() int {
	shards := f.shards
	for _, c := range f.log.History(f.Site) {
		shards = max(shards, slices.Max(c.Rules.ShardsIn(0, 1<<62)))
	}
	return max(shards, sinks.DefaultShards)
}

// eachEvent calls found with the raw events in packs, as items of their own.
func (f *finder) eachEvent(ctx context.Context, found func(it sinks.Item) error) error {
	return f.eachPack(ctx, func(_ context.Context, x packed) error {
		items := x.pack.Items()
		for _, i := range x.events {
			if err := found(items[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// unnamed reports whether a record has neither a visitor nor a user, and belongs to a session of the person.
func (f *finder) unnamed(it sinks.Item) bool {
	listed := it[sinks.AttrBot].Kind() != sinks.None && it[sinks.AttrBot].Str() != "rate"
	if listed || it[sinks.AttrVisitorID].Kind() != sinks.None || it[sinks.AttrUserID].Kind() != sinks.None {
		return false
	}
	_, session := sinks.Keys{}.Sessions(f.Site, it[sinks.AttrSessionID].Str(), f.shards)
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.sessions[session]
}

// inSessionShards reads items of all shards that the site's sessions have in every generation.
func (f *finder) inSessionShards(ctx context.Context, shards int, prefix string, take func(context.Context, sinks.Item) error) error {
	for _, keys := range f.keys {
		err := f.inShards(ctx, shards, prefix, func(nn int) string { return keys.Shard(f.Site, nn) }, take)
		if err != nil {
			return err
		}
	}
	return nil
}

// inLists reads a list of items that every generation has.
func (f *finder) inLists(ctx context.Context, list func(sinks.Keys) (pk, prefix string),
	take func(context.Context, sinks.Item) error) error {
	for _, keys := range f.keys {
		pk, prefix := list(keys)
		if err := inPages(ctx, f.table, sinks.Query{PK: pk, Prefix: prefix}, take); err != nil {
			return err
		}
	}
	return nil
}

// inShards reads items of all shards of the site, some shards at a time.
func (f *finder) inShards(ctx context.Context, shards int, prefix string, pk func(nn int) string,
	take func(context.Context, sinks.Item) error) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(readers)
	for nn := range shards {
		q := sinks.Query{PK: pk(nn), Prefix: prefix}
		g.Go(func() error { return inPages(ctx, f.table, q, take) })
	}
	return g.Wait()
}

// partOf reads which partition's an item is, from the end of its sort key.
func partOf(key sinks.Key) (sinks.TP, error) {
	tp, err := sinks.ParseTP(key.SK[strings.LastIndexByte(key.SK, '#')+1:])
	if err != nil {
		return tp, fmt.Errorf("item %s / %s: %w", key.PK, key.SK, err)
	}
	return tp, nil
}

// count counts what a run would touch now.
func (r *run) count(ctx context.Context) error {
	until, err := r.until(ctx)
	if err != nil {
		return err
	}
	rev := int64(0)
	if last, ok := r.last(); ok {
		rev = last.Rev
	}
	f := r.finder(rev, until)
	var mu sync.Mutex // covers the report's counts
	note := func(kind string) error {
		mu.Lock()
		defer mu.Unlock()
		r.report.Touched[kind]++
		return nil
	}
	err = f.eachSession(ctx, func(_ context.Context, it sinks.Item) error {
		if it[sinks.AttrErased].Kind() != sinks.None {
			return nil
		}
		return note(Sessions)
	})
	if err == nil && r.Person == sites.Visitor {
		err = errors.Join(f.eachVisitor(ctx, func(context.Context, sinks.Item) error { return note(Visitors) }),
			f.eachArrival(ctx, func(context.Context, sinks.Item) error { return note(Arrivals) }))
	}
	if err == nil {
		err = f.eachRecord(ctx, func(_ context.Context, kind string, _ sinks.Item) error { return note(kind) })
	}
	if err == nil {
		err = f.eachEvent(ctx, func(sinks.Item) error { return note(Events) })
	}
	if err == nil {
		for _, failed := range annotations.Naming(ctx, r.table, r.Site, r.ID) {
			if err = failed; err == nil {
				r.report.Touched[Annotations]++
			}
		}
	}
	if err == nil && r.Breakdowns {
		err = r.countRows(ctx, f, func(kind string, rows int) {
			mu.Lock()
			defer mu.Unlock()
			r.report.Touched[kind] += int64(rows)
		})
	}
	r.report.Later = f.later
	return err
}
