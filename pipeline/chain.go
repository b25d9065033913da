package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/footfall/footfall/internal/plant"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// ErrFenced reports that another owner has taken the chain. What its old owner holds in memory is void: the new
// owner has begun at the last durable step. Nothing may be written any more.
var ErrFenced = errors.New("fenced: another owner has taken the chain")

// ErrForeignTable reports items that carry later steps than their chain has begun, or a chain without its
// checkpoint: the table and the chain do not belong together. A table restored to an earlier point, or
// checkpoints deleted by hand, look like this.
var ErrForeignTable = errors.New("table and chain do not belong together")

// Table is what a chain asks of the table. A request is repeated until it is answered: an error ends the chain's work. entity is the
// entity of the item that is written.
type Table interface {
	Update(ctx context.Context, entity string, u sinks.Update) (sinks.Result, error)
	Put(ctx context.Context, entity string, p sinks.Put) (sinks.Result, error)
	// BatchGet reads strongly; absent items are not in the answer.
	BatchGet(ctx context.Context, keys []sinks.Key) (map[sinks.Key]sinks.Item, error)
}

// chain is the linear history of steps of one partition and lane, kept in one checkpoint item that is changed by
// compare-and-set only. It keeps the promise "exact": step k+1 cannot be begun by anyone who has not the newest
// epoch, nor while the checkpoint does not stand at k.
//
// A chain is used by one goroutine at a time.
type chain struct {
	table Table
	key   sinks.Key
	owner string // who we are, for people: host, process, a random part
	group string // the consumer group that we own it for; empty: an operator's command
	head  checkpoint.Head
	hist  int64 // the last step that has a history item
	seen  int64 // the revision of the rules that an idle owner has recorded; 0: none has

	answered answered // when the checkpoint last said whose it is
}

// acquire takes the chain over: one write raises the epoch, which fences every older owner, and answers with the
// head. A late copy of this very request raises the epoch once more and fences us; we then acquire again.
func acquire(ctx context.Context, table Table, key sinks.Key, owner, group string) (*chain, error) {
	c := newChain(table, key, owner, group)
	refused, err := c.take(ctx, nil, nil)
	if refused != nil {
		err = errors.New("an unconditional update was refused") // Never: it has no condition.
	}
	return c, err
}

func newChain(table Table, key sinks.Key, owner, group string) *chain {
	return &chain{table: table, key: key, owner: owner, group: group}
}

// take raises the epoch, on conditions, and sets what else the takeover is to record. Where the conditions do not hold it
// returns the checkpoint that it found.
func (c *chain) take(ctx context.Context, more []sinks.Attr, conds []sinks.Cond) (refused *checkpoint.Head, err error) {
	set := []sinks.Attr{
		{Name: checkpoint.AttrOwner, Value: sinks.Str(c.owner)},
		{Name: sinks.AttrEntity, Value: sinks.Str(sinks.EntityCheckpoint)},
		{Name: sinks.AttrSchema, Value: sinks.Int(sinks.SchemaVersion)},
	}
	if c.group != "" {
		set = append(set, sinks.Attr{Name: checkpoint.AttrGroup, Value: sinks.Str(c.group)})
	}
	asked := time.Now()
	r, err := c.table.Update(ctx, sinks.EntityCheckpoint, sinks.Update{
		Key: c.key, Add: []sinks.Attr{{Name: checkpoint.AttrEpoch, Value: sinks.Int(1)}}, Set: append(set, more...), If: conds, Return: true,
	})
	if err != nil {
		return nil, fmt.Errorf("acquire chain: %w", err)
	}
	have, err := checkpoint.ReadHead(r.Item)
	if err != nil {
		return nil, err
	}
	if r.Refused {
		return &have, nil
	}
	c.head, c.hist, c.seen = have, r.Item[checkpoint.AttrHistory].Int(), r.Item[checkpoint.AttrSeen].Int()
	c.answered.at(asked)
	return nil, nil
}

// intend makes step head.Step+1 durable before any of its writes: "I am about to fold exactly [from, to)". An
// answer that was lost is recognised by reading back our own values in the refusal of the repetition.
func (c *chain) intend(ctx context.Context, next checkpoint.Head, hist int64) error {
	next.Step, next.Epoch, next.Owner, next.Done, next.Next, next.Floor = c.head.Step+1, c.head.Epoch, c.owner, false, 0, c.head.Floor
	next.Undecided, next.Forgot = c.head.Undecided, c.head.Forgot
	next.Group, next.Groups, next.FlushedAt = c.head.Group, c.head.Groups, time.Now().UnixMilli()
	done := sinks.Int(0)
	if plant.CommitFirst {
		next.Done, done = true, sinks.Int(1)
	}
	totals, err := json.Marshal(next.Totals)
	if err != nil {
		return fmt.Errorf("totals: %w", err)
	}
	before := sinks.Cond{Attr: checkpoint.AttrStep, Op: sinks.Equal, Value: sinks.Int(c.head.Step)}
	if c.head.Step == 0 {
		before = sinks.Cond{Attr: checkpoint.AttrStep, Op: sinks.Absent}
	}
	set := []sinks.Attr{
		{Name: checkpoint.AttrStep, Value: sinks.Int(next.Step)}, {Name: checkpoint.AttrFrom, Value: sinks.Int(next.From)},
		{Name: checkpoint.AttrTo, Value: sinks.Int(next.To)}, {Name: checkpoint.AttrDone, Value: done},
		{Name: checkpoint.AttrTopic, Value: sinks.Str(next.TopicID)}, {Name: checkpoint.AttrBase, Value: sinks.Int(next.Base)},
		{Name: checkpoint.AttrVer, Value: sinks.Str(next.Ver)}, {Name: checkpoint.AttrRules, Value: sinks.Int(next.Rev)},
		{Name: checkpoint.AttrTotals, Value: sinks.Str(string(totals))}, {Name: checkpoint.AttrHistory, Value: sinks.Int(hist)},
		{Name: checkpoint.AttrNext, Value: sinks.Int(0)}, {Name: checkpoint.AttrRepeats, Value: sinks.Int(next.Repeats)},
		{Name: checkpoint.AttrFlushedAt, Value: sinks.Int(next.FlushedAt)},
	}
	if next.Gap != nil {
		set = append(set, next.Gap.Attr())
		if floor := next.Gap.Floor(); floor > 0 {
			next.Floor = max(next.Floor, floor)
			set = append(set, sinks.Attr{Name: checkpoint.AttrFloor, Value: sinks.Int(next.Floor)})
		}
		if g := next.Gap; g.UndecidedFrom < g.UndecidedTo {
			next.Undecided = max(next.Undecided, g.UndecidedTo)
			set = append(set, sinks.Attr{Name: checkpoint.AttrUndecided, Value: sinks.Int(next.Undecided)})
		}
	}
	u := sinks.Update{
		Key: c.key,
		Set: set,
		If:  []sinks.Cond{{Attr: checkpoint.AttrEpoch, Op: sinks.Equal, Value: sinks.Int(c.head.Epoch)}, before},
	}
	if plant.NoEpoch {
		u.If = nil
	}
	if plant.IntendAnyStep {
		u.If = u.If[:1]
	}
	asked := time.Now()
	r, err := c.table.Update(ctx, sinks.EntityCheckpoint, u)
	if err != nil {
		return fmt.Errorf("begin step %d, positions [%d,%d): %w", next.Step, next.From, next.To, err)
	}
	if r.Refused {
		have, err := checkpoint.ReadHead(r.Item)
		if err != nil {
			return err
		}
		if have.Step != next.Step || have.Epoch != next.Epoch || have.To != next.To {
			return c.fenced(c.head.Epoch, have)
		}
	}
	c.head, c.hist = next, hist
	c.answered.at(asked)
	return nil
}

// unfinished reports whether finish would tell the table anything new.
func (c *chain) unfinished(next int64) bool {
	return c.head.Step > 0 && (!c.head.Done || next > max(c.head.To, c.head.Next))
}

// finish records that every item of the head has answered, so that the next owner need not do the step again, and
// that between the head and next there is nothing to fold.
func (c *chain) finish(ctx context.Context, next int64) error {
	asked := time.Now()
	u := sinks.Update{
		Key: c.key,
		Set: []sinks.Attr{{Name: checkpoint.AttrDone, Value: sinks.Int(1)}, {Name: checkpoint.AttrNext, Value: sinks.Int(next)},
			{Name: checkpoint.AttrFlushedAt, Value: sinks.Int(asked.UnixMilli())}},
		If: []sinks.Cond{{Attr: checkpoint.AttrEpoch, Op: sinks.Equal, Value: sinks.Int(c.head.Epoch)},
			{Attr: checkpoint.AttrStep, Op: sinks.Equal, Value: sinks.Int(c.head.Step)}},
	}
	if plant.FinishAnyStep {
		u.If = u.If[:1]
	}
	r, err := c.table.Update(ctx, sinks.EntityCheckpoint, u)
	if err != nil {
		return fmt.Errorf("mark step %d as done: %w", c.head.Step, err)
	}
	if r.Refused {
		have, err := checkpoint.ReadHead(r.Item)
		if err != nil {
			return err
		}
		return c.fenced(c.head.Epoch, have)
	}
	c.head.Done, c.head.Next, c.head.FlushedAt = true, next, asked.UnixMilli()
	c.answered.at(asked)
	return nil
}

// overtaken returns the error for an item that carries a step which the owner of this epoch has not begun. If the checkpoint has another
// epoch, a new owner is at work. Otherwise the item belongs to another history of this chain, and parks the partition as a damaged item
// does: nothing was written, and other partitions are not affected. Safe for concurrent use.
func (c *chain) overtaken(ctx context.Context, epoch int64, item sinks.Key, mark int64) error {
	found, err := c.table.BatchGet(ctx, []sinks.Key{c.key})
	if err != nil {
		return err
	}
	have, err := checkpoint.ReadHead(found[c.key])
	if err != nil {
		return err
	}
	if have.Epoch == epoch {
		err := fmt.Errorf("it carries step %d, its chain is at step %d: %w: if the table was restored, or a checkpoint deleted, restore "+
			"the checkpoints that belong to it; quarantine the item only if it is the only one", mark, have.Step, ErrForeignTable)
		return checkpoint.NewParkError(checkpoint.Park{Reason: checkpoint.ParkedItem, PK: item.PK, SK: item.SK, Detail: err.Error()}, err)
	}
	return c.fenced(epoch, have)
}

func (c *chain) fenced(epoch int64, have checkpoint.Head) error {
	return &fencedError{key: c.key, ours: epoch, have: have}
}

// fencedError is ErrFenced with whose the chain is now.
type fencedError struct {
	key  sinks.Key
	ours int64 // the epoch that we had
	have checkpoint.Head
}

func (e *fencedError) Error() string {
	return fmt.Sprintf("checkpoint %s / %s is now owned by %q of consumer group %q, epoch %d, ours was %d: %v",
		e.key.PK, e.key.SK, e.have.Owner, e.have.Group, e.have.Epoch, e.ours, ErrFenced)
}

func (e *fencedError) Unwrap() error { return ErrFenced }
