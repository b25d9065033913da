package replay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"time"

	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/retry"
)

// ErrFenced reports that another replay of the same topics has begun. What this one had published stays
// published, and the other continues from there.
var ErrFenced = errors.New("fenced: another replay of these topics has begun")

// position is how far the replay of one partition of the failed-events topic has come: one item, changed by compare-and-set
// only. The attributes are k (the last batch), f, t (its offsets in the failed-events topic), d (1: it is published), sel
// (which entries of them), ends (where the partitions it goes to ended before), src (the id of their topic), next (by class,
// up to where its entries are published), tid (the id of the failed-events topic), ep and own.
type position struct {
	table     sinks.Table
	key       sinks.Key
	owner     string
	partition int32
	span      span   // what the partition holds
	topicID   string // of the failed-events topic

	epoch    int64
	step     int64
	done     bool
	from, to int64
	chosen   selection
	ends     map[int32]int64
	sourceID string // of the topic that the batch goes to
	next     map[class]int64

	targetID string // of the source topic as it is now
	waits    bool   // before an entry whose record is not decided yet: this run goes no further
}

// Attribute names of positions.
const (
	attrStep   = "k"
	attrFrom   = "f"
	attrTo     = "t"
	attrDone   = "d"
	attrChosen = "sel"
	attrEnds   = "ends"
	attrSource = "src"
	attrNext   = "next"
	attrTopic  = "tid"
	attrEpoch  = "ep"
	attrOwner  = "own"
)

// patience is for how long a request about a position is repeated. A change whose answer was lost is recognised by its own values in
// the refusal of the repetition.
var patience = retry.Policy{Within: 2 * time.Minute}

func newPosition(o Options, key sinks.Key, partition int32, t *topics) *position {
	return &position{table: patience.Table(o.Table), key: key, owner: ownerName(), partition: partition, span: t.failed.spans[partition],
		topicID: t.failed.HexID(), targetID: t.source.HexID(), done: true, next: make(map[class]int64)}
}

// ownerName is for people: the process that owns a position.
func ownerName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return fmt.Sprintf("%s/%d", host, os.Getpid())
}

// takeOver raises the epoch, which fences every older run, and takes in where it stood.
func (p *position) takeOver(ctx context.Context) error {
	if err := p.look(ctx); err != nil {
		return err // A damaged item stays as it is.
	}
	r, err := p.table.Update(ctx, sinks.Update{
		Key: p.key,
		Add: []sinks.Attr{{Name: attrEpoch, Value: sinks.Int(1)}},
		Set: []sinks.Attr{
			{Name: attrOwner, Value: sinks.Str(p.owner)},
			{Name: sinks.AttrEntity, Value: sinks.Str(sinks.EntityReplay)},
			{Name: sinks.AttrSchema, Value: sinks.Int(sinks.SchemaVersion)},
		},
		Return: true,
	})
	if err != nil {
		return p.about(err)
	}
	return p.take(r.Item)
}

// look reads the position, and changes nothing.
func (p *position) look(ctx context.Context) error {
	found, err := sinks.Get(ctx, p.table, p.key)
	if err != nil {
		return p.about(err)
	}
	return p.take(found[p.key])
}

// take reads the position from its item. An item that contradicts itself or the topic is an error.
func (p *position) take(it sinks.Item) error {
	if it == nil {
		return nil
	}
	if err := p.check(it); err != nil {
		return err
	}
	p.epoch, p.step = it[attrEpoch].Int(), it[attrStep].Int()
	if p.step == 0 || it[attrTopic].Str() != p.topicID {
		return nil // The first run on this failed-events topic: what was on one before it is gone with it.
	}
	p.done, p.from, p.to = it[attrDone].Int() == 1, it[attrFrom].Int(), it[attrTo].Int()
	p.sourceID = it[attrSource].Str()
	for name, into := range map[string]any{attrChosen: &p.chosen, attrEnds: &p.ends, attrNext: &p.next} {
		if err := json.Unmarshal([]byte(it[name].Str()), into); err != nil {
			return p.damaged(it, name, err)
		}
	}
	return p.checkOffsets(it)
}

// start is the offset before which nothing is left of the selection.
func (p *position) start(s selection) int64 {
	least := int64(-1)
	for _, c := range s.classes() {
		if n := p.next[c]; least < 0 || n < least {
			least = n
		}
	}
	return max(0, least)
}

// furthest is the offset that no published entry is beyond.
func (p *position) furthest() (n int64) {
	for _, v := range p.next {
		n = max(n, v)
	}
	return n
}

// after returns the positions of all classes once those of the selection have reached an offset.
func (p *position) after(s selection, to int64) map[class]int64 {
	next := maps.Clone(p.next)
	for _, c := range s.classes() {
		next[c] = max(next[c], to)
	}
	return next
}

// intend makes a batch durable before it is published.
func (p *position) intend(ctx context.Context, s selection, from, to int64, ends map[int32]int64) error {
	p.done, p.from, p.to, p.chosen, p.ends, p.sourceID = false, from, to, s, ends, p.targetID
	return p.write(ctx)
}

// settle records that the batch is published.
func (p *position) settle(ctx context.Context) error {
	p.done, p.next = true, p.after(p.chosen, p.to)
	return p.write(ctx)
}

// pass moves the position where there is nothing to publish.
func (p *position) pass(ctx context.Context, s selection, to int64) error {
	next := p.after(s, to)
	if maps.Equal(next, p.next) {
		return nil
	}
	p.next = next
	return p.write(ctx)
}

// restart moves the position of a selection to the beginning; in a dry run in memory only.
func (p *position) restart(ctx context.Context, s selection, dry bool) error {
	for _, c := range s.classes() {
		delete(p.next, c)
	}
	if dry {
		return nil
	}
	return p.write(ctx)
}

// write records the position as it is now under the next number.
func (p *position) write(ctx context.Context) error {
	before := sinks.Cond{Attr: attrStep, Op: sinks.Equal, Value: sinks.Int(p.step)}
	if p.step == 0 {
		before = sinks.Cond{Attr: attrStep, Op: sinks.Absent}
	}
	p.step++
	u := sinks.Update{
		Key: p.key,
		Set: []sinks.Attr{
			{Name: attrStep, Value: sinks.Int(p.step)}, {Name: attrFrom, Value: sinks.Int(p.from)}, {Name: attrTo, Value: sinks.Int(p.to)},
			{Name: attrDone, Value: sinks.Int(0)}, {Name: attrTopic, Value: sinks.Str(p.topicID)}, {Name: attrSource, Value: sinks.Str(p.sourceID)},
		},
		If: []sinks.Cond{{Attr: attrEpoch, Op: sinks.Equal, Value: sinks.Int(p.epoch)}, before},
	}
	if p.done {
		u.Set[3].Value = sinks.Int(1)
	}
	for _, a := range []struct {
		name  string
		value any
	}{{attrChosen, p.chosen}, {attrEnds, p.ends}, {attrNext, p.next}} {
		text, err := json.Marshal(a.value)
		if err != nil {
			return p.about(err)
		}
		u.Set = append(u.Set, sinks.Attr{Name: a.name, Value: sinks.Str(string(text))})
	}
	r, err := p.table.Update(ctx, u)
	if err != nil {
		return p.about(err)
	}
	if r.Refused && (r.Item[attrEpoch].Int() != p.epoch || r.Item[attrStep].Int() != p.step) {
		return p.about(fmt.Errorf("now with %q, epoch %d, ours was %d: %w", r.Item[attrOwner].Str(), r.Item[attrEpoch].Int(), p.epoch, ErrFenced))
	}
	return nil
}

func (p *position) about(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("position of partition %d of the failed-events topic, %s / %s: %w", p.partition, p.key.PK, p.key.SK, err)
}
