package erase

import (
	"context"

	"github.com/footfall/footfall/internal/pack"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// Raw events in packs are erased by writing the pack again without them, under the same key and on condition that it is as it was read.
// Only packs of flushes that will not be repeated are written: a repeated flush would bring back what it had. When the last sweep
// begins, every chain has recorded the tombstone, so flushes that are still open have nothing of the person.

// A packed is a pack with some events of the person.
type packed struct {
	item   sinks.Item
	pack   *pack.Pack
	events []int
}

// eachPack calls found with every pack that has raw events of the person, as eachRecord finds them.
func (f *finder) eachPack(ctx context.Context, found func(context.Context, packed) error) error {
	return f.inShards(ctx, f.recordShards(), sinks.PackPrefix, f.rawShard, func(ctx context.Context, it sinks.Item) error {
		x, err := f.inPack(it)
		if err != nil || len(x.events) == 0 {
			return err
		}
		return found(ctx, x)
	})
}

// inPack finds the events of the person in a pack.
func (f *finder) inPack(it sinks.Item) (x packed, err error) {
	x.item = it
	if x.pack, err = new(pack.Decoder).Read(it); err != nil {
		return x, err
	}
	for i, e := range x.pack.Items() {
		if f.finds(e, "timestamp") {
			x.events = append(x.events, i)
		}
	}
	return x, nil
}

// repack takes the person's events from a pack.
func (s *sweeper) repack(ctx context.Context, x packed) error {
	for {
		if s.repeated(x.pack.TP, x.pack.Step) {
			return nil
		}
		asRead := []sinks.Cond{{Attr: sinks.AttrPart, Op: sinks.Equal, Value: x.item[sinks.AttrPart]}}
		var answer sinks.Result
		var err error
		if left := x.pack.Without(x.events); left == nil {
			answer, err = s.table.Delete(ctx, sinks.Delete{Key: x.pack.Key, If: asRead})
		} else {
			answer, err = s.table.Put(ctx, sinks.Put{Item: left, If: asRead})
		}
		if err != nil {
			return err
		}
		if !answer.Refused {
			for range x.events {
				s.touched(Events)
			}
			return nil
		}
		if answer.Item == nil {
			return nil // Deleted since, by its time to live.
		}
		if x, err = s.inPack(answer.Item); err != nil || len(x.events) == 0 {
			return err
		}
	}
}

// loadHeads reads the checkpoints, before the first sweep: the last finds them read.
func (s *sweeper) loadHeads(ctx context.Context) error {
	if s.heads != nil {
		return nil
	}
	chains, err := s.watch.chains(ctx)
	if err != nil {
		return err
	}
	s.heads = make(map[sinks.TP]checkpoint.Head)
	for _, c := range chains {
		s.heads[c.tp] = c.head
	}
	return nil
}
