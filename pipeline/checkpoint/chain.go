package checkpoint

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/footfall/footfall/sinks"
)

// ErrFenced reports that another owner has taken the chain. What its old owner holds in memory is void: the new
// owner has begun at the last durable step. Nothing may be written any more.
var ErrFenced = errors.New("fenced: another owner has taken the chain")

// ErrForeignTable reports items that carry later steps than their chain has begun, or a chain without its
// checkpoint: the table and the chain do not belong together. A table restored to an earlier point, or
// checkpoints deleted by hand, look like this.
var ErrForeignTable = errors.New("table and checkpoint do not belong together")

// Table is what a chain asks of the table. A request is repeated until it is answered: an error ends the chain's work. entity is the
// entity of the item that is written.
type Table interface {
	Update(ctx context.Context, entity string, u sinks.Update) (sinks.Result, error)
	Put(ctx context.Context, entity string, p sinks.Put) (sinks.Result, error)
	// BatchGet reads strongly; absent items are not in the answer.
	BatchGet(ctx context.Context, keys []sinks.Key) (map[sinks.Key]sinks.Item, error)
}

// Chain is the linear history of steps of one partition and lane, kept in one checkpoint item that is changed by
// compare-and-set only. It keeps the promise "exact": step k+1 cannot be begun by anyone who has not the newest
// epoch, nor while the checkpoint does not stand at k.
//
// A chain is used by one goroutine at a time.
type Chain struct {
	table  Table
	Key    sinks.Key
	owner  Owner // the group that we own it for is empty: an operator's command
	Head   Head
	Format int   // of the table, as of the takeover
	Hist   int64 // the last step that has a history item
	Seen   int64 // the revision of the rules that an idle owner has recorded; 0: none has

	answered answered // when the checkpoint last said whose it is
}

// Owner is who takes a chain over.
type Owner struct {
	Name  string // of the process or the command, as OwnerName makes it
	Group string // the process's consumer group; empty: a command, which leaves the recorded group as it is
	// Rebuilt: the owner marks its flushes as rebuilt ones: see Settings. It is refused with ErrNoRebuild where there may be none.
	Rebuilt bool
}

// ErrNoRebuild reports that no flush of a chain may begin as a rebuilt one any more: its generation is live, or about to be.
var ErrNoRebuild = errors.New("the generation of items that is being rebuilt is about to become live, and its flushes must send raw " +
	"events and failed events: another footfall rebuild is at work, or has been; see footfall rebuild status, and run it again " +
	"if needed")

// Acquire takes the chain over: one write raises the epoch, which fences every older owner, and answers with the
// head. A late copy of this very request raises the epoch once more and fences us; we then acquire again.
//
// Then it reads which format the table has, and which generation is live. The command that changes either fences the chains afterwards,
// so no owner continues in the former one. A format that this release does not know is a [*sinks.FormatError], and a chain of a
// generation that is neither live nor being rebuilt a [*sinks.GenerationError].
func Acquire(ctx context.Context, table Table, key sinks.Key, by Owner) (*Chain, error) {
	c := newChain(table, key, by)
	refused, err := c.take(ctx, nil, nil)
	if refused != nil {
		err = errors.New("an unconditional update was refused") // Never: it has no condition.
	}
	return c, err
}

// Fence raises the epoch of a chain, so that its owner has to take it over again, and reads the table's settings. Nothing else is changed.
func Fence(ctx context.Context, table Table, key sinks.Key, by Owner) error {
	_, err := Acquire(ctx, table, key, by)
	_, former := errors.AsType[*sinks.GenerationError](err)
	if _, copied := errors.AsType[*sinks.RestoringError](err); former || copied {
		return nil // It is fenced for good.
	}
	return err
}

func newChain(table Table, key sinks.Key, by Owner) *Chain {
	return &Chain{table: table, Key: key, owner: by}
}

// batchGetter is a chain's table as [sinks.CheckFormat] asks it.
type batchGetter struct{ Table }

func (b batchGetter) BatchGet(ctx context.Context, g sinks.BatchGet) (r sinks.BatchResult, err error) {
	r.Items, err = b.Table.BatchGet(ctx, g.Keys)
	return r, err
}

// take raises the epoch, on conditions, and sets what else the takeover is to record. Where the conditions do not hold it
// returns the checkpoint that it found.
func (c *Chain) take(ctx context.Context, more []sinks.Attr, conds []sinks.Cond) (refused *Head, err error) {
	set := []sinks.Attr{
		{Name: AttrOwner, Value: sinks.Str(c.owner.Name)},
		{Name: sinks.AttrEntity, Value: sinks.Str(sinks.EntityCheckpoint)},
		{Name: sinks.AttrSchema, Value: sinks.Int(sinks.SchemaVersion)},
	}
	if c.owner.Group != "" {
		set = append(set, sinks.Attr{Name: AttrGroup, Value: sinks.Str(c.owner.Group)})
	}
	asked := time.Now()
	r, err := c.table.Update(ctx, sinks.EntityCheckpoint, sinks.Update{
		Key: c.Key, Add: []sinks.Attr{{Name: AttrEpoch, Value: sinks.Int(1)}}, Set: append(set, more...), If: conds, Return: true,
	})
	if err != nil {
		return nil, fmt.Errorf("acquire chain: %w", err)
	}
	have, err := ReadHead(r.Item)
	if err != nil {
		return nil, err
	}
	if r.Refused {
		return &have, nil
	}
	c.Head, c.Hist, c.Seen = have, r.Item[AttrHistory].Int(), r.Item[AttrSeen].Int()
	c.answered.at(asked)
	var has sinks.Generations
	if c.Format, has, err = sinks.CheckFormat(ctx, batchGetter{c.table}); err != nil {
		return nil, err
	}
	keys := sinks.KeysOf(c.Key.PK)
	if err := has.Check(keys); err != nil {
		return nil, err
	}
	if c.owner.Rebuilt && !has.MayBeRebuilt(keys) {
		return nil, ErrNoRebuild
	}
	return nil, nil
}

// Intend makes step head.Step+1 durable before any of its writes: "I am about to fold exactly [from, to)". An
// answer that was lost is recognised by reading back our own values in the refusal of the repetition.
func (c *Chain) Intend(ctx context.Context, next Head, hist int64) error {
	next.Step, next.Epoch, next.Owner, next.Done, next.Next, next.Floor = c.Head.Step+1, c.Head.Epoch, c.owner.Name, false, 0, c.Head.Floor
	next.Undecided, next.Forgot = c.Head.Undecided, c.Head.Forgot
	if next.Through == 0 {
		next.Through = c.Head.Through
	}
	next.Group, next.Groups, next.FlushedAt = c.Head.Group, c.Head.Groups, time.Now().UnixMilli()
	done := sinks.Int(0)
	totals, err := json.Marshal(next.Totals)
	if err != nil {
		return fmt.Errorf("totals: %w", err)
	}
	before := sinks.Cond{Attr: AttrStep, Op: sinks.Equal, Value: sinks.Int(c.Head.Step)}
	if c.Head.Step == 0 {
		before = sinks.Cond{Attr: AttrStep, Op: sinks.Absent}
	}
	set := []sinks.Attr{
		{Name: AttrStep, Value: sinks.Int(next.Step)}, {Name: AttrFrom, Value: sinks.Int(next.From)},
		{Name: AttrTo, Value: sinks.Int(next.To)}, {Name: AttrDone, Value: done},
		{Name: AttrTopic, Value: sinks.Str(next.TopicID)}, {Name: AttrBase, Value: sinks.Int(next.Base)},
		{Name: AttrVer, Value: sinks.Str(next.Ver)}, {Name: AttrRules, Value: sinks.Int(next.Rev)},
		{Name: AttrTotals, Value: sinks.Str(string(totals))}, {Name: AttrHistory, Value: sinks.Int(hist)},
		{Name: AttrNext, Value: sinks.Int(0)}, {Name: AttrRepeats, Value: sinks.Int(next.Repeats)},
		{Name: AttrFlushedAt, Value: sinks.Int(next.FlushedAt)},
	}
	if next.Win != c.Head.Win {
		set = append(set, sinks.Attr{Name: AttrWin, Value: sinks.Int(next.Win)})
	}
	if next.Through != c.Head.Through {
		set = append(set, sinks.Attr{Name: AttrThrough, Value: sinks.Int(next.Through)})
	}
	set = append(set, next.skip()...)
	u := sinks.Update{
		Key: c.Key,
		Set: set,
		If:  []sinks.Cond{{Attr: AttrEpoch, Op: sinks.Equal, Value: sinks.Int(c.Head.Epoch)}, before},
	}
	asked := time.Now()
	r, err := c.table.Update(ctx, sinks.EntityCheckpoint, u)
	if err != nil {
		return fmt.Errorf("begin flush %d, positions [%d,%d): %w", next.Step, next.From, next.To, err)
	}
	if r.Refused {
		have, err := ReadHead(r.Item)
		if err != nil {
			return err
		}
		if have.Step != next.Step || have.Epoch != next.Epoch || have.To != next.To {
			return c.fenced(c.Head.Epoch, have)
		}
	}
	c.Head, c.Hist = next, hist
	c.answered.at(asked)
	return nil
}

// skip makes what a gap before the step changes of the head, and returns the attributes that record it.
func (h *Head) skip() (set []sinks.Attr) {
	if h.Gap == nil {
		return nil
	}
	set = append(set, h.Gap.Attr())
	if floor := h.Gap.Floor(); floor > 0 {
		h.Floor = max(h.Floor, floor)
		set = append(set, sinks.Attr{Name: AttrFloor, Value: sinks.Int(h.Floor)})
	}
	if h.Gap.UndecidedFrom < h.Gap.UndecidedTo {
		h.Undecided = max(h.Undecided, h.Gap.UndecidedTo)
		set = append(set, sinks.Attr{Name: AttrUndecided, Value: sinks.Int(h.Undecided)})
	}
	return set
}

// Unfinished reports whether Finish would record anything new.
func (c *Chain) Unfinished(next int64) bool {
	return c.Head.Step > 0 && (!c.Head.Done || next > max(c.Head.To, c.Head.Next))
}

// Finish records that every item of the head has answered, so that the next owner need not do the step again, and
// that between the head and next there is nothing to fold. through is Head.Through of the step; 0: as it was.
func (c *Chain) Finish(ctx context.Context, next, through int64) error {
	asked := time.Now()
	if through == 0 {
		through = c.Head.Through
	}
	u := sinks.Update{
		Key: c.Key,
		Set: []sinks.Attr{{Name: AttrDone, Value: sinks.Int(1)}, {Name: AttrNext, Value: sinks.Int(next)},
			{Name: AttrFlushedAt, Value: sinks.Int(asked.UnixMilli())}},
		If: []sinks.Cond{{Attr: AttrEpoch, Op: sinks.Equal, Value: sinks.Int(c.Head.Epoch)},
			{Attr: AttrStep, Op: sinks.Equal, Value: sinks.Int(c.Head.Step)}},
	}
	if through != c.Head.Through {
		u.Set = append(u.Set, sinks.Attr{Name: AttrThrough, Value: sinks.Int(through)})
	}
	r, err := c.table.Update(ctx, sinks.EntityCheckpoint, u)
	if err != nil {
		return fmt.Errorf("mark step %d as done: %w", c.Head.Step, err)
	}
	if r.Refused {
		have, err := ReadHead(r.Item)
		if err != nil {
			return err
		}
		return c.fenced(c.Head.Epoch, have)
	}
	c.Head.Done, c.Head.Next, c.Head.FlushedAt, c.Head.Through = true, next, asked.UnixMilli(), through
	c.answered.at(asked)
	return nil
}

// Overtaken returns the error for an item that carries a step which the owner of this epoch has not begun. If the checkpoint has another
// epoch, a new owner is at work. Otherwise the item belongs to another history of this chain, and parks the partition as a damaged item
// does: nothing was written, and other partitions are not affected. Safe for concurrent use.
func (c *Chain) Overtaken(ctx context.Context, epoch int64, item sinks.Key, mark int64) error {
	found, err := c.table.BatchGet(ctx, []sinks.Key{c.Key})
	if err != nil {
		return err
	}
	have, err := ReadHead(found[c.Key])
	if err != nil {
		return err
	}
	if have.Epoch == epoch {
		err := fmt.Errorf("it carries step %d, its chain is at step %d: %w: if the table was restored, or a checkpoint deleted, restore "+
			"the checkpoints that belong to it; quarantine the item only if it is the only one", mark, have.Step, ErrForeignTable)
		return NewParkError(Park{Reason: ParkedItem, PK: item.PK, SK: item.SK, Detail: err.Error()}, err)
	}
	return c.fenced(epoch, have)
}

func (c *Chain) fenced(epoch int64, have Head) error {
	return &FencedError{key: c.Key, ours: epoch, Have: have}
}

// FencedError is ErrFenced with whose the chain is now.
type FencedError struct {
	key  sinks.Key
	ours int64 // the epoch that we had
	Have Head
}

func (e *FencedError) Error() string {
	if e.Have.Owner == "" && e.Have.Epoch == 0 {
		return fmt.Sprintf("checkpoint %s / %s is gone: another program or a person has deleted it; our epoch was %d: %v", e.key.PK, e.key.SK,
			e.ours, ErrFenced)
	}
	return fmt.Sprintf("checkpoint %s / %s is now owned by %q of consumer group %q, epoch %d, ours was %d: %v",
		e.key.PK, e.key.SK, e.Have.Owner, e.Have.Group, e.Have.Epoch, e.ours, ErrFenced)
}

func (e *FencedError) Unwrap() error { return ErrFenced }
