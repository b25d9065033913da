package direct

import (
	"context"
	"encoding/hex"

	"github.com/footfall/footfall/pipeline/aggregate/plan"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// chainTable is the table as a chain uses it.
type chainTable struct{ sinks.Table }

func (t chainTable) Update(ctx context.Context, _ string, u sinks.Update) (sinks.Result, error) {
	return t.Table.Update(ctx, u)
}

func (t chainTable) Put(ctx context.Context, _ string, p sinks.Put) (sinks.Result, error) {
	return t.Table.Put(ctx, p)
}

func (t chainTable) BatchGet(ctx context.Context, keys []sinks.Key) (map[sinks.Key]sinks.Item, error) {
	r, err := t.Table.BatchGet(ctx, sinks.BatchGet{Keys: keys, Consistent: true})
	return r.Items, err
}

// acquire begins the chain of the stats lane.
func (p *partition) acquire(ctx context.Context) (err error) {
	p.chain, err = checkpoint.Acquire(ctx, chainTable{p.Table}, p.keys.Checkpoint(p.tp, checkpoint.LaneStats), checkpoint.Owner{Name: p.Owner})
	return err
}

// intend records the step before its first write, and returns the writes that belong to its record.
func (p *partition) intend(ctx context.Context) ([]plan.Write, error) {
	ver, id := p.Settings.String(), hex.EncodeToString(p.TopicID[:])
	next := checkpoint.Head{From: p.chain.Head.To, To: p.offset, TopicID: id, Ver: ver, Totals: p.outcome.Totals.Clone(), Repeats: p.repeats,
		Through: p.through, Win: p.window}
	p.through = p.dated
	if err := p.chain.Intend(ctx, next, 1); err != nil || p.step > 1 {
		return nil, err
	}
	history := checkpoint.History{Step: 1, Ver: ver, TopicID: id}
	return []plan.Write{{Kind: sinks.EntityHistory, Item: history.Item(p.keys.History(p.tp, checkpoint.LaneStats, 1))}}, nil
}

// finish records that all is in the table.
func (p *partition) finish(ctx context.Context) error {
	if p.chain.Head.Step == 0 {
		return nil
	}
	return p.chain.Finish(ctx, p.offset, p.dated)
}
