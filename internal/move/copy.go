package move

import (
	"context"
	"fmt"
	"maps"
	"math"
	"sync"
	"time"

	"github.com/footfall/footfall/internal/purge"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/sinks"
)

// copy copies all items of the site. done are its revisions in the new table.
func (r *run) copy(ctx context.Context, done []sites.Revision) error {
	s, err := r.speller(ctx, done)
	if err != nil {
		return err
	}
	for i, c := range r.history { // Erasures are done in the new table, too.
		if c.Erase != nil {
			if err := r.copyErasure(ctx, c.Rev, done[i].Rev); err != nil {
				return err
			}
		}
	}
	var mu sync.Mutex // covers the report; not held across I/O
	return purge.Each(ctx, purge.Options{Table: r.from, Site: r.Site, Now: r.Now}, func(ctx context.Context, it sinks.Item) error {
		moved, err := s.spell(ctx, it)
		if err != nil || moved == nil {
			return err
		}
		units, err := r.put(ctx, moved)
		mu.Lock()
		defer mu.Unlock()
		r.report.Items, r.report.WriteUnits = r.report.Items+1, r.report.WriteUnits+units
		return err
	})
}

// speller finds out how the new table spells topics and revisions.
func (r *run) speller(ctx context.Context, done []sites.Revision) (*speller, error) {
	s := &speller{run: r, numbers: make(map[int64]int64), revisions: make(map[int64]int64)}
	var err error
	if s.topics, err = sinks.Topics(ctx, r.from, r.old); err != nil {
		return nil, err
	}
	for i, c := range r.history {
		if c.Erase != nil {
			s.revisions[c.Rev] = done[i].Rev
		}
	}
	return s, nil
}

// copyErasure copies how far an erasure has come, under its number in the new table.
func (r *run) copyErasure(ctx context.Context, old, now int64) error {
	key := sinks.Keys{}.Erasure(old)
	found, err := sinks.Get(ctx, r.from, key)
	if err != nil {
		return err
	}
	it := maps.Clone(found[key])
	key = sinks.Keys{}.Erasure(now)
	it[sinks.AttrPK], it[sinks.AttrSK], it[sinks.AttrRev] = sinks.Str(key.PK), sinks.Str(key.SK), sinks.Int(now)
	_, err = r.to.Put(ctx, sinks.Put{Item: it})
	return err
}

// remade are items that are made of others: another run may have copied them as they were before.
var remade = map[string]bool{sinks.EntityMonthStats: true, sinks.EntitySealedUniques: true, sinks.EntitySealedBreakdown: true}

// put writes an item that is not there, when there are write units for it.
func (r *run) put(ctx context.Context, it sinks.Item) (units float64, err error) {
	if r.units != nil {
		if err := r.units.Wait(ctx); err != nil {
			return 0, fmt.Errorf("wait for write units: %w", err)
		}
	}
	answer, err := r.to.Put(ctx, sinks.Put{Item: it, If: []sinks.Cond{{Attr: sinks.AttrPK, Op: sinks.Absent}}})
	if err != nil {
		return 0, err
	}
	if r.units != nil {
		for n := int(math.Ceil(answer.Units)) - 1; n > 0; n -= r.units.Burst() {
			r.units.ReserveN(time.Now(), min(n, r.units.Burst()))
		}
	}
	if answer.Refused && !remade[it[sinks.AttrEntity].Str()] && !maps.EqualFunc(it, answer.Item, sinks.Value.Equal) {
		key := it.Key()
		err = fmt.Errorf("the new table has another item %s / %s: run footfall site purge there, and begin again", key.PK, key.SK)
	}
	return answer.Units, err
}
