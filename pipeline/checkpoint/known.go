package checkpoint

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/footfall/footfall/pipeline/wire"
	"github.com/footfall/footfall/sinks"
)

// Values may name their schemas by ids. A redo, both lanes, a rebuild and a recount read records again, and a registry may have changed its
// answer by then. So the checkpoint of the stats lane says from which position on each id is known. A record whose id is not known at its
// position is rejected, and stays rejected. After a takeover the former owner cannot add to the list: see [Chain.Learn].

// KnownSchema is the id of a schema that the table keeps, and the position of the first record that is read by it.
type KnownSchema struct {
	ID   wire.ID
	From int64
}

// KnownSchemas are the schemas that are known in a partition, in the order of positions, each once. The zero value is none. No method
// changes the list in place.
type KnownSchemas []KnownSchema

// maxKnownBytes bounds the list, which is written with each flush: some 16,000 of Confluent's ids, or 4,500 of Glue's.
const maxKnownBytes = 200 << 10

// Has reports whether the record at a position with this id is read by its schema.
func (k KnownSchemas) Has(id wire.ID, position int64) bool {
	return slices.ContainsFunc(k, func(s KnownSchema) bool { return s.ID == id && s.From <= position })
}

// With returns the list with more schemas. One that it has already is known from the lower of both positions on.
func (k KnownSchemas) With(more ...KnownSchema) KnownSchemas {
	all := make(KnownSchemas, 0, len(k)+len(more))
	at := make(map[wire.ID]int, len(k)+len(more))
	for _, s := range slices.Concat(k, more) {
		if i, ok := at[s.ID]; ok {
			all[i].From = min(all[i].From, s.From)
			continue
		}
		at[s.ID] = len(all)
		all = append(all, s)
	}
	slices.SortStableFunc(all, func(a, b KnownSchema) int { return cmp.Compare(a.From, b.From) })
	return all
}

// RaisedTo returns the list with no schema known below a position: those that were are known from there on.
func (k KnownSchemas) RaisedTo(position int64) KnownSchemas {
	later := slices.Clone(k)
	for i := range later {
		later[i].From = max(later[i].From, position)
	}
	return later
}

// Shifted returns the list with a number added to each position.
func (k KnownSchemas) Shifted(by int64) KnownSchemas {
	moved := slices.Clone(k)
	for i := range moved {
		moved[i].From += by
	}
	return moved
}

// KnownIn returns the schemas that are known in the topic with this id, by its offsets.
func (h Head) KnownIn(topicID string) KnownSchemas {
	base := h.Base
	if h.Step > 0 && h.TopicID != topicID { // It was created again, and no flush of the chain has begun there.
		base = h.To
	}
	return h.Known.Shifted(-base)
}

// HasRoom reports whether the checkpoint has room for more schemas.
func (k KnownSchemas) HasRoom() bool { return len(k.String()) < maxKnownBytes }

// String spells the list as a checkpoint has it: 7@0 9@1200.
func (k KnownSchemas) String() string {
	var b strings.Builder
	for i, s := range k {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(s.ID.String())
		b.WriteByte('@')
		b.WriteString(strconv.FormatInt(s.From, 10))
	}
	return b.String()
}

// readKnown reads what [KnownSchemas.String] has spelled.
func readKnown(it sinks.Item) (k KnownSchemas, err error) {
	for _, text := range strings.Fields(it[AttrKnown].Str()) {
		name, from, ok := strings.Cut(text, "@")
		s := KnownSchema{}
		if s.From, err = strconv.ParseInt(from, 10, 64); err == nil && ok {
			s.ID, err = wire.ParseID(name)
		}
		if err != nil || !ok {
			return nil, sinks.Damaged(it.Key(), AttrKnown, fmt.Errorf("%q is not an id and a position, as in 7@1200", text))
		}
		k = append(k, s)
	}
	return k, nil
}

// Learn makes a longer list durable in place of the one before, for the owner with this epoch. It may be repeated, and a copy of the
// request that arrives after a later one changes nothing. Once another owner has the chain the error wraps [ErrFenced]. It leaves Head
// alone, so it may run beside a flush.
func (c *Chain) Learn(ctx context.Context, epoch int64, before, k KnownSchemas) error {
	unchanged := sinks.Cond{Attr: AttrKnown, Op: sinks.Equal, Value: sinks.Str(before.String())}
	if len(before) == 0 {
		unchanged = sinks.Cond{Attr: AttrKnown, Op: sinks.Absent}
	}
	r, err := c.table.Update(ctx, sinks.EntityCheckpoint, sinks.Update{
		Key: c.Key,
		Set: []sinks.Attr{{Name: AttrKnown, Value: sinks.Str(k.String())}},
		If:  []sinks.Cond{{Attr: AttrEpoch, Op: sinks.Equal, Value: sinks.Int(epoch)}, unchanged},
	})
	if err != nil {
		return fmt.Errorf("record the schemas that are known: %w", err)
	}
	if r.Refused {
		have, err := ReadHead(r.Item)
		if err != nil {
			return err
		}
		switch {
		case have.Epoch != epoch:
			return c.fenced(epoch, have)
		case have.Known.String() != k.String(): // Otherwise the answer to this very request was lost.
			return sinks.Damaged(c.Key, AttrKnown, errors.New("it is not what its owner has written: another program or a person has changed it"))
		}
	}
	return nil
}
