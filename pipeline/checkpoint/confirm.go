package checkpoint

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/footfall/footfall/sinks"
)

// An owner that was stopped for a while, or cut off from the table, may have been replaced without noticing. Its writes under a mark
// are refused then. Raw events and items that are put whole have no mark, and neither have items that were deleted in between. So an
// owner that has not heard from its chain's checkpoint for confirmAfter asks it before it writes. What package erase has swept
// therefore cannot come back after that time plus the validity of a request (5 minutes, by its signature).

// confirmAfter is how long an owner writes without an answer from the checkpoint.
const confirmAfter = 60 * time.Second

// answered is when the checkpoint last said whose it is. Safe for concurrent use.
type answered struct{ asked atomic.Pointer[time.Time] }

// at notes that a request that was sent then has been answered.
func (a *answered) at(asked time.Time) { a.asked.Store(&asked) }

// ago is how long ago that was: by the clock, or by the one that does not stand still while a machine is suspended,
// whichever says more.
func (a *answered) ago(now time.Time) time.Duration {
	asked := a.asked.Load()
	return max(now.Sub(*asked), now.Round(0).Sub(asked.Round(0)))
}

// Confirm makes sure that the chain is still that of the epoch, unless its checkpoint has said so lately. Safe for concurrent
// use.
func (c *Chain) Confirm(ctx context.Context, epoch int64) error {
	if c.answered.ago(time.Now()) < confirmAfter {
		return nil
	}
	return c.ConfirmNow(ctx, epoch)
}

// ConfirmNow asks the checkpoint whether the chain is still that of the epoch. It returns a FencedError if it is not. Safe for
// concurrent use.
func (c *Chain) ConfirmNow(ctx context.Context, epoch int64) error {
	now := time.Now()
	found, err := c.table.BatchGet(ctx, []sinks.Key{c.Key})
	if err != nil {
		return err
	}
	have, err := ReadHead(found[c.Key])
	if err != nil {
		return err
	}
	if have.Epoch != epoch {
		return c.fenced(epoch, have)
	}
	c.answered.at(now)
	return nil
}

// Behind reports whether the checkpoint lacks a revision of the sites' rules that its owner has read, and may be given it. Before the
// last step is marked as done it may not: that step could be repeated under older rules.
func (c *Chain) Behind(rev int64) bool {
	return (c.Head.Step == 0 || c.Head.Done) && max(c.Head.Rev, c.Seen) < rev
}

// Note records which revision of the sites' rules the owner of an idle chain has read, once the last step is done. No owner begins a
// step with an older one from then on.
func (c *Chain) Note(ctx context.Context, rev int64) error {
	asked := time.Now()
	standing := sinks.Cond{Attr: AttrStep, Op: sinks.Equal, Value: sinks.Int(c.Head.Step)}
	if c.Head.Step == 0 {
		standing = sinks.Cond{Attr: AttrStep, Op: sinks.Absent}
	}
	r, err := c.table.Update(ctx, sinks.EntityCheckpoint, sinks.Update{
		Key: c.Key,
		Set: []sinks.Attr{{Name: AttrSeen, Value: sinks.Int(rev)}},
		If:  []sinks.Cond{{Attr: AttrEpoch, Op: sinks.Equal, Value: sinks.Int(c.Head.Epoch)}, standing},
	})
	if err != nil {
		return fmt.Errorf("note revision %d of the rules: %w", rev, err)
	}
	if r.Refused {
		have, err := ReadHead(r.Item)
		if err != nil {
			return err
		}
		return c.fenced(c.Head.Epoch, have)
	}
	c.Seen = rev
	c.answered.at(asked)
	return nil
}
