package erase

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// Watch looks at the chains of all generations of a table, to find out which of them have recorded a revision of the rules. Erasures and
// purges wait for them.
type Watch struct {
	Table    sinks.Table // that repeats requests
	Skip     []string    // as [Options.Skip]
	Realtime bool        // look at the chains of realtime lanes, too

	has    sinks.Generations // as they were looked at last
	topics map[int64]bool    // numbers of topics that have chains
}

// Every is how often the chains are looked at while they are waited for.
const Every = 5 * time.Second

// Wait lets some time pass before the next look. It returns the cause if ctx ends first.
func Wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// chains returns the chains of all generations, in order, the live generation's first: of the stats lanes, and of the realtime lanes if
// they are looked at.
func (w *Watch) chains(ctx context.Context) (all []Chain, err error) {
	w.topics = make(map[int64]bool)
	for _, keys := range w.has.All() {
		topics, err := sinks.Topics(ctx, w.Table, keys)
		if err != nil {
			return nil, err
		}
		for number, topic := range topics {
			w.topics[number] = !sites.IsMoved(topic)
			states, err := checkpoint.LoadChains(ctx, w.Table, keys, number)
			if err != nil {
				return nil, err
			}
			for id, s := range states {
				if id.Lane == checkpoint.LaneStats || w.Realtime {
					all = append(all, w.chain(keys, sinks.TP{Topic: number, Partition: id.Partition}, id.Lane, topic, s))
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
func (w *Watch) chain(keys sinks.Keys, tp sinks.TP, lane, topic string, s checkpoint.ChainState) Chain {
	c := Chain{Topic: topic, Partition: tp.Partition, Owner: s.Head.Owner, Revision: s.Head.Recorded(),
		Open: s.Head.Step > 0 && !s.Head.Done, key: keys.Checkpoint(tp, lane), tp: tp, head: s.Head,
		realtime: lane != checkpoint.LaneStats}
	if n := max(1, keys.Generation); n != w.has.Live {
		c.Generation, c.fenced = n, n == w.has.Former && !w.has.Flipped
	}
	if s.Head.Step > 0 {
		c.settings = append(c.settings, s.Head.Ver)
	}
	for _, h := range s.History {
		c.settings = append(c.settings, h.Ver)
	}
	return c
}

// CheckSkip refuses chains that the table does not have, before anything is decided: nothing takes a tombstone back.
func (w *Watch) CheckSkip(ctx context.Context) error {
	if len(w.Skip) == 0 {
		return nil
	}
	if err := w.look(ctx); err != nil {
		return err
	}
	chains, err := w.chains(ctx)
	if err != nil {
		return err
	}
	for _, name := range w.Skip {
		if !slices.ContainsFunc(chains, func(c Chain) bool { return c.Name() == name }) {
			return fmt.Errorf("--skip-partition %q: the table has no checkpoint of this partition; nothing was changed: write TOPIC/PARTITION, "+
				"as this command prints the partitions that it waits for", name)
		}
	}
	return nil
}

// Seen is what a look at the chains has found.
type Seen struct {
	Waiting []Chain                      // that are waited for, and have not recorded the revision
	Open    []string                     // names of chains that are not waited for, and whose last flush may be repeated under older rules
	held    []sinks.TP                   // the partitions of Open
	heads   map[sinks.TP]checkpoint.Head // of the stats lanes
}

// Recorded finds the chains that may still apply a step of an older revision than rev. Chains that are not waited for are made safe if
// their last step is done: the checkpoint then requires the revision of the next owner.
func (w *Watch) Recorded(ctx context.Context, rev int64) (Seen, error) {
	s := Seen{Waiting: []Chain{}, heads: make(map[sinks.TP]checkpoint.Head)}
	if err := w.look(ctx); err != nil {
		return s, err
	}
	chains, err := w.chains(ctx)
	if err != nil {
		return s, err
	}
	for _, c := range chains {
		if !c.realtime {
			s.heads[c.tp] = c.head
		}
		skipped := c.fenced || slices.Contains(w.Skip, c.Name())
		switch {
		case c.Revision >= rev:
		case skipped && c.Open:
			s.Open, s.held = append(s.Open, c.Name()), append(s.held, c.tp)
		case c.realtime && !c.Open: // Its owner learns of the revision as that of the stats lane does, which is waited for.
		case skipped && c.head.Step > 0:
			ok, err := checkpoint.RecordRevision(ctx, w.Table, c.key, c.head, rev)
			if err != nil {
				return s, err
			}
			if !ok { // It has moved: it has an owner.
				s.Waiting = append(s.Waiting, c)
			}
		case skipped: // It has not begun, and has written nothing.
		default:
			s.Waiting = append(s.Waiting, c)
		}
	}
	return s, nil
}

// recorded reports whether no step of an older revision is to be expected of any chain that is waited for.
func (r *run) recorded(ctx context.Context, p *progress) (bool, error) {
	seen, err := r.watch.Recorded(ctx, p.Rev)
	if err != nil {
		return false, err
	}
	r.report.Waiting, p.Open, r.held, r.heads = seen.Waiting, seen.Open, seen.held, seen.heads
	r.tell(*p)
	return len(r.report.Waiting) == 0, nil
}
