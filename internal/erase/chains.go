package erase

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// chains returns all chains of the stats lanes of all generations, in order, the live generation's first.
func (r *run) chains(ctx context.Context) (all []Chain, err error) {
	r.topics = make(map[int64]bool)
	for _, keys := range r.has.All() {
		topics, err := sinks.Topics(ctx, r.table, keys)
		if err != nil {
			return nil, err
		}
		for number, topic := range topics {
			r.topics[number] = true
			states, err := checkpoint.LoadChains(ctx, r.table, keys, number)
			if err != nil {
				return nil, err
			}
			for id, s := range states {
				if id.Lane == checkpoint.LaneStats {
					all = append(all, r.chain(keys, sinks.TP{Topic: number, Partition: id.Partition}, topic, s))
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b Chain) int {
		return cmp.Or(cmp.Compare(a.Generation, b.Generation), cmp.Compare(a.Topic, b.Topic), cmp.Compare(a.Partition, b.Partition))
	})
	return all, nil
}

// chain describes a chain of a generation.
func (r *run) chain(keys sinks.Keys, tp sinks.TP, topic string, s checkpoint.ChainState) Chain {
	c := Chain{Topic: topic, Partition: tp.Partition, Owner: s.Head.Owner, Revision: s.Head.Recorded(),
		Open: s.Head.Step > 0 && !s.Head.Done, key: keys.Checkpoint(tp, checkpoint.LaneStats), tp: tp, head: s.Head}
	if n := max(1, keys.Generation); n != r.has.Live {
		c.Generation, c.fenced = n, n == r.has.Former && !r.has.Flipped
	}
	if s.Head.Step > 0 {
		c.settings = append(c.settings, s.Head.Ver)
	}
	for _, h := range s.History {
		c.settings = append(c.settings, h.Ver)
	}
	return c
}

// checkSkip refuses chains that the table does not have, before anything is decided: nothing takes a tombstone back.
func (r *run) checkSkip(ctx context.Context) error {
	if len(r.Skip) == 0 {
		return nil
	}
	chains, err := r.chains(ctx)
	if err != nil {
		return err
	}
	for _, name := range r.Skip {
		if !slices.ContainsFunc(chains, func(c Chain) bool { return c.Name() == name }) {
			return fmt.Errorf("--skip-partition %q: the table has no checkpoint of this partition; nothing was changed: write TOPIC/PARTITION, "+
				"as this command prints the partitions that it waits for", name)
		}
	}
	return nil
}

// recorded reports whether no step of an older revision is to be expected of any chain that is waited for. The others are
// made safe: once its last step is done, the next owner learns from the checkpoint which revision it must know.
func (r *run) recorded(ctx context.Context, p *progress) (bool, error) {
	if err := r.look(ctx); err != nil {
		return false, err
	}
	chains, err := r.chains(ctx)
	if err != nil {
		return false, err
	}
	r.report.Waiting, p.Open, r.held = []Chain{}, nil, nil
	r.heads = make(map[sinks.TP]checkpoint.Head)
	for _, c := range chains {
		r.heads[c.tp] = c.head
		skipped := c.fenced || slices.Contains(r.Skip, c.Name())
		switch {
		case c.Revision >= p.Rev:
		case skipped && c.Open:
			p.Open, r.held = append(p.Open, c.Name()), append(r.held, c.tp)
		case skipped && c.head.Step > 0:
			ok, err := checkpoint.RecordRevision(ctx, r.table, c.key, c.head, p.Rev)
			if err != nil {
				return false, err
			}
			if !ok { // It has moved: it has an owner.
				r.report.Waiting = append(r.report.Waiting, c)
			}
		case skipped: // It has not begun, and has written nothing.
		default:
			r.report.Waiting = append(r.report.Waiting, c)
		}
	}
	r.tell(*p)
	return len(r.report.Waiting) == 0, nil
}
