package verify

import (
	"context"
	"slices"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// maxReads is how often a subject that moves is read before it is said not to settle.
const maxReads = 30

// settle reads again what did not agree. Each batch is read between two reads of the checkpoints, with the recounts
// at the first: a subject whose chains were the same at the second is judged for good. Any other is read again; what no
// chain decides is left for settleViews.
func (v *verifier) settle(ctx context.Context) error {
	reads := make(map[subject]int)
	queue := v.pending
	v.pending = nil
	var views []subject
	var doubts []*rawDoubt
	stale := true // the checkpoints have moved on from where the recounts stand
	for len(queue) > 0 {
		if stale {
			if _, err := v.advance(ctx); err != nil {
				return err
			}
		}
		n := min(len(queue), sinks.MaxBatchGet)
		batch := queue[:n]
		queue = queue[n:]
		found, err := v.reread(ctx, batch)
		if err != nil {
			return err
		}
		after, err := v.heads.loadHeads(ctx)
		if err != nil {
			return err
		}
		rev := v.rules.Rev()
		if err := v.readRules(ctx); err != nil {
			return err
		}
		stale = v.rules.Rev() != rev // A person may be erased since.
		for id, t := range after {
			if c := v.chains[id]; t.Head.Step > 0 && slices.Contains(checkpoint.Lanes, id.Lane) && (c == nil || !sameHead(c.head, t.Head)) {
				stale = true
			}
		}
		for i, s := range batch {
			j := v.judge(s, found[i])
			if v.accept(s, j) {
				continue
			}
			if j.view {
				views = append(views, s)
				continue
			}
			if !stale || unmoved(j.chains, after) {
				if j.event != nil {
					doubts = append(doubts, &rawDoubt{s: s, it: j.event})
					continue
				}
				v.count(s.kind)
				v.differ(j.differences...)
				continue
			}
			if reads[s]++; reads[s] == maxReads {
				v.unsettled(v.key(s))
				continue
			}
			queue = append(queue, s)
		}
		if len(doubts) >= maxDoubts || len(queue) == 0 {
			if err := v.settleEvents(ctx, doubts); err != nil {
				return err
			}
			doubts = nil
		}
	}
	return v.settleViews(ctx, views)
}

// unmoved reports whether the recounts of these chains stand where the checkpoints do.
func unmoved(chains []*chain, now checkpoint.ChainStates) bool {
	for _, c := range chains {
		if !sameHead(c.head, now[c.ChainID].Head) {
			return false
		}
	}
	return len(chains) > 0
}

// reread reads the items of each subject.
func (v *scanner) reread(ctx context.Context, batch []subject) ([][]sinks.Item, error) {
	var keys []sinks.Key
	for _, s := range batch {
		if s.kind != kindRecent && !s.sealed() {
			keys = append(keys, v.key(s))
		}
	}
	if err := v.late.rereadJournals(ctx, batch); err != nil {
		return nil, err
	}
	found, err := v.get(ctx, keys)
	if err != nil {
		return nil, err
	}
	items := make([][]sinks.Item, len(batch))
	for i, s := range batch {
		key := v.key(s)
		if s.sealed() {
			if items[i], err = v.readSealed(ctx, s); err != nil {
				return nil, err
			}
			continue
		}
		if s.kind != kindRecent {
			if it := found[key]; it != nil {
				items[i] = []sinks.Item{it}
			}
			continue
		}
		for it, err := range v.items(ctx, sinks.Query{PK: key.PK, Prefix: key.SK}) {
			if err != nil {
				return nil, err
			}
			items[i] = append(items[i], it)
		}
	}
	return items, nil
}
