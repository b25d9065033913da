package checkpoint

import (
	"context"
	"fmt"

	"github.com/footfall/footfall/sinks"
)

// Leave makes a gap durable, for operators to see and to decide about. The checkpoint says so until they have.
func (c *Chain) Leave(ctx context.Context, g Gap) error {
	return c.Amend(ctx, "record a gap", []sinks.Attr{g.Attr()}, nil)
}

// Forget removes a gap that has turned out to be none: the records are there again.
func (c *Chain) Forget(ctx context.Context) error {
	c.Head.Gap = nil
	return c.Amend(ctx, "remove a gap", nil, []string{AttrGap})
}

// Amend changes what the checkpoint says beside the step, while the chain is ours and at the same step.
func (c *Chain) Amend(ctx context.Context, what string, set []sinks.Attr, remove []string) error {
	step := sinks.Cond{Attr: AttrStep, Op: sinks.Equal, Value: sinks.Int(c.Head.Step)}
	if c.Head.Step == 0 {
		step = sinks.Cond{Attr: AttrStep, Op: sinks.Absent}
	}
	r, err := c.table.Update(ctx, sinks.EntityCheckpoint, sinks.Update{Key: c.Key, Set: set, Remove: remove,
		If: []sinks.Cond{{Attr: AttrEpoch, Op: sinks.Equal, Value: sinks.Int(c.Head.Epoch)}, step}})
	if err != nil {
		return fmt.Errorf("%s at step %d: %w", what, c.Head.Step, err)
	}
	if r.Refused {
		have, err := ReadHead(r.Item)
		if err != nil {
			return err
		}
		return c.fenced(c.Head.Epoch, have)
	}
	return nil
}

// Pass makes the gap a step of the chain, which folds nothing: intended by compare-and-set like every step, told by the
// chain's history for ever, and done. It may be called again at any point of it.
func (c *Chain) Pass(ctx context.Context, keys sinks.Keys, tp sinks.TP, lane string, g Gap) error {
	if c.Head.Gap == nil || c.Head.Gap.Accepted == "" {
		next := Head{From: g.UndecidedFrom, To: g.UnreadTo, TopicID: g.TopicID, Base: g.Base, Ver: c.Head.Ver, Rev: c.Head.Rev,
			Totals: c.Head.Totals, Gap: &g}
		if g.UndecidedFrom == g.UndecidedTo {
			next.From = g.UnreadFrom
		}
		if g.TopicID != c.Head.TopicID && !g.Same {
			next.Ver = inAnotherTopic(next.Ver)
		}
		if err := c.Intend(ctx, next, c.Head.Step+1); err != nil {
			return err
		}
	}
	h := History{Step: c.Head.Step, From: c.Head.From, Ver: c.Head.Ver, Rev: c.Head.Rev, Base: c.Head.Base, TopicID: c.Head.TopicID,
		Gap: c.Head.Gap, Forgot: c.Head.ForgotAt(c.Head.Step)}
	if _, err := c.table.Put(ctx, sinks.EntityHistory, sinks.Put{Item: h.Item(keys.History(tp, lane, c.Head.Step))}); err != nil {
		return err
	}
	if err := c.Finish(ctx, 0, 0); err != nil {
		return err
	}
	return c.Forget(ctx)
}

// ForgetWindow moves the floor of the chain's window of duplicates beyond positions that it has folded. The step that is open, if
// one is, is done again above the new floor; if that finds other duplicates than the step had, its redo leaves a gap.
func (c *Chain) ForgetWindow(ctx context.Context, from, to int64) error {
	f := Forgotten{From: from, To: to, Step: c.Head.Step + 1}
	// No history names it for certain.
	if was := c.Head.Forgot; was != nil && (was.Step == f.Step || was.Step == c.Head.Step && !c.Head.Done) {
		f = Forgotten{From: min(from, was.From), To: max(to, was.To), Step: was.Step}
	}
	floor := max(c.Head.Floor, f.To)
	err := c.Amend(ctx, "move the window of duplicates", []sinks.Attr{f.Attr(), {Name: AttrFloor, Value: sinks.Int(floor)}}, nil)
	if err == nil {
		c.Head.Forgot, c.Head.Floor = &f, floor
	}
	return err
}

// RecordRevision notes in the checkpoint of a chain without an owner, and whose last step is done, that no later step may have an older
// revision of the rules. key is that of the partition's stats lane, and head the checkpoint as it was read; ok is false where it has
// moved.
func RecordRevision(ctx context.Context, t sinks.Table, key sinks.Key, head Head, rev int64) (ok bool, err error) {
	r, err := t.Update(ctx, sinks.Update{Key: key,
		Set: []sinks.Attr{{Name: AttrSeen, Value: sinks.Int(rev)}},
		If: []sinks.Cond{{Attr: AttrEpoch, Op: sinks.Equal, Value: sinks.Int(head.Epoch)},
			{Attr: AttrStep, Op: sinks.Equal, Value: sinks.Int(head.Step)}, {Attr: AttrDone, Op: sinks.Equal, Value: sinks.Int(1)}}})
	return err == nil && !r.Refused, err
}
