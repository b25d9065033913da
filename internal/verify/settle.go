package verify

import (
	"context"
	"slices"

	"github.com/footfall/footfall/internal/verify/audit"
	"github.com/footfall/footfall/internal/verify/judge"
	"github.com/footfall/footfall/internal/verify/recount"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// settle reads again what did not agree. The checkpoints are read after each batch, and the recounts advanced to them: no item of
// the batch is ahead of its recount. A subject that does not agree then is judged for good if its chains have been the same
// since before the batch was read. Any other is read again; what no chain decides is left for settleViews.
func (v *verifier) settle(ctx context.Context) error {
	x := settling{verifier: v, reads: make(map[judge.Subject]int), queue: v.pending, stale: true}
	v.pending = nil
	for len(x.queue) > 0 {
		if err := x.batch(ctx); err != nil {
			return err
		}
		if len(x.doubts) >= maxDoubts || len(x.queue) == 0 {
			if err := v.settleEvents(ctx, x.doubts); err != nil {
				return err
			}
			x.doubts = nil
		}
	}
	return v.settleViews(ctx, x.views)
}

// settling is what is still to be settled.
type settling struct {
	*verifier
	reads  map[judge.Subject]int
	queue  []judge.Subject
	views  []judge.Subject
	doubts []*rawDoubt
	stale  bool // the recounts have not been advanced since the scan
}

// batch reads the next subjects of the queue and judges them.
func (x *settling) batch(ctx context.Context) error {
	n := min(len(x.queue), sinks.MaxBatchGet)
	batch := x.queue[:n]
	x.queue = x.queue[n:]
	found, err := x.reread(ctx, batch)
	if err != nil {
		return err
	}
	all, err := x.heads.LoadHeads(ctx)
	if err != nil {
		return err
	}
	rev := x.Rules.Rev()
	if err := x.ReadRules(ctx); err != nil {
		return err
	}
	before := make(map[checkpoint.ChainID]checkpoint.Head, len(x.Chains))
	for id, c := range x.Chains {
		before[id] = c.Head
	}
	moved := x.stale || x.Rules.Rev() != rev // A person may be erased since.
	for id, t := range all {
		if t.Head.Step > 0 && slices.Contains(checkpoint.Lanes, id.Lane) && !audit.SameHead(before[id], t.Head) {
			moved = true
		}
	}
	x.stale = false
	if moved {
		if err := x.advanceTo(ctx, all); err != nil {
			return err
		}
	}
	for i, s := range batch {
		x.one(s, found[i], x.Judge(s, found[i]), moved, before)
	}
	return nil
}

// one does with a subject what its judgement asks for. before is where the recounts were when it was read.
func (x *settling) one(s judge.Subject, items []sinks.Item, j judge.Judgement, moved bool,
	before map[checkpoint.ChainID]checkpoint.Head) {
	switch {
	case x.accept(s, items, j):
	case j.View:
		x.views = append(x.views, s)
	case moved && !unmoved(j.Chains, before):
		if x.reads[s]++; x.reads[s] == maxReads {
			x.Unsettled(x.Key(s))
		} else {
			x.queue = append(x.queue, s)
		}
	case j.Event != nil:
		x.doubts = append(x.doubts, &rawDoubt{s: s, it: j.Event})
	default:
		x.Count(s.Kind)
		x.Differ(j.Differences...)
	}
}

// unmoved reports whether the recounts of these chains are where they were.
func unmoved(chains []*recount.Chain, before map[checkpoint.ChainID]checkpoint.Head) bool {
	return len(chains) > 0 && !slices.ContainsFunc(chains, func(c *recount.Chain) bool {
		was, ok := before[c.ChainID]
		return !ok || !audit.SameHead(c.Head, was)
	})
}
