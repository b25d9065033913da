package simulation_test

import (
	"bytes"
	"context"

	"github.com/footfall/footfall/sinks"
)

// packs draws whether a process packs raw events. In some seeds none does; in others modes change from process to process.
func (s *simulation) packs() bool { return s.packing != nil && s.packing.IntN(3) > 0 }

// Put looks at packs of raw events: a process that puts one again puts the same bytes, in either mode.
func (w *witness) Put(ctx context.Context, p sinks.Put) (sinks.Result, error) {
	if p.Item[sinks.AttrEntity].Str() != sinks.EntityPack {
		return w.Table.Put(ctx, p)
	}
	if len(p.If) > 0 { // An erasure's.
		r, err := w.Table.Put(ctx, p)
		if err == nil && !r.Refused {
			w.s.cover.Hit(onRepacked)
		}
		return r, err
	}
	key, part := p.Item.Key(), p.Item[sinks.AttrPart].Bytes()
	w.mu.Lock()
	before, again := w.packs[key]
	if w.packs == nil {
		w.packs = make(map[sinks.Key][]byte)
	}
	w.packs[key] = part
	w.mu.Unlock()
	switch {
	case !again:
		w.s.cover.Hit(onPacked)
	case bytes.Equal(before, part):
		w.s.cover.Hit(onPackedAgain)
	default:
		w.s.problem("%s / %s: a pack is put again with other events", key.PK, key.SK)
	}
	return w.Table.Put(ctx, p)
}
