package pipeline

import (
	"context"
	"fmt"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// leave makes a gap durable, for operators to see and to decide about. The checkpoint says so until they have.
func (c *chain) leave(ctx context.Context, g checkpoint.Gap) error {
	return c.amend(ctx, "record a gap", []sinks.Attr{g.Attr()}, nil)
}

// forget removes a gap that has turned out to be none: the records are there again.
func (c *chain) forget(ctx context.Context) error {
	c.head.Gap = nil
	return c.amend(ctx, "remove a gap", nil, []string{checkpoint.AttrGap})
}

// amend changes what the checkpoint says beside the step, while the chain is ours and stands where it stood.
func (c *chain) amend(ctx context.Context, what string, set []sinks.Attr, remove []string) error {
	step := sinks.Cond{Attr: checkpoint.AttrStep, Op: sinks.Equal, Value: sinks.Int(c.head.Step)}
	if c.head.Step == 0 {
		step = sinks.Cond{Attr: checkpoint.AttrStep, Op: sinks.Absent}
	}
	r, err := c.table.Update(ctx, sinks.EntityCheckpoint, sinks.Update{Key: c.key, Set: set, Remove: remove,
		If: []sinks.Cond{{Attr: checkpoint.AttrEpoch, Op: sinks.Equal, Value: sinks.Int(c.head.Epoch)}, step}})
	if err != nil {
		return fmt.Errorf("%s at step %d: %w", what, c.head.Step, err)
	}
	if r.Refused {
		have, err := checkpoint.ReadHead(r.Item)
		if err != nil {
			return err
		}
		return c.fenced(c.head.Epoch, have)
	}
	return nil
}

// pass makes the gap a step of the chain, which folds nothing: intended by compare-and-set like every step, told by the
// chain's history for ever, and done. It may be called again at any point of it.
func (c *chain) pass(ctx context.Context, keys sinks.Keys, tp sinks.TP, lane string, g checkpoint.Gap) error {
	if c.head.Gap == nil || c.head.Gap.Accepted == "" {
		next := checkpoint.Head{From: g.UndecidedFrom, To: g.UnreadTo, TopicID: g.TopicID, Base: g.Base, Ver: c.head.Ver, Rev: c.head.Rev,
			Totals: c.head.Totals, Gap: &g}
		if g.UndecidedFrom == g.UndecidedTo {
			next.From = g.UnreadFrom
		}
		if err := c.intend(ctx, next, c.head.Step+1); err != nil {
			return err
		}
	}
	h := checkpoint.History{Step: c.head.Step, From: c.head.From, Ver: c.head.Ver, Rev: c.head.Rev, Base: c.head.Base, TopicID: c.head.TopicID, Gap: c.head.Gap, Forgot: c.head.ForgotAt(c.head.Step)}
	if _, err := c.table.Put(ctx, sinks.EntityHistory, sinks.Put{Item: h.Item(keys.History(tp, lane, c.head.Step))}); err != nil {
		return err
	}
	if err := c.finish(ctx, 0); err != nil {
		return err
	}
	return c.forget(ctx)
}

// forgetWindow moves the floor of the chain's window of duplicates beyond positions that it has folded. The step that is open, if
// one is, is done again above the new floor; if that finds other duplicates than the step had, its redo leaves a gap.
func (c *chain) forgetWindow(ctx context.Context, from, to int64) error {
	f := checkpoint.Forgotten{From: from, To: to, Step: c.head.Step + 1}
	if was := c.head.Forgot; was != nil && (was.Step == f.Step || was.Step == c.head.Step && !c.head.Done) { // No history names it for certain.
		f = checkpoint.Forgotten{From: min(from, was.From), To: max(to, was.To), Step: was.Step}
	}
	floor := max(c.head.Floor, f.To)
	err := c.amend(ctx, "move the window of duplicates", []sinks.Attr{f.Attr(), {Name: checkpoint.AttrFloor, Value: sinks.Int(floor)}}, nil)
	if err == nil {
		c.head.Forgot, c.head.Floor = &f, floor
	}
	return err
}
