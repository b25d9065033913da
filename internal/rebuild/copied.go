package rebuild

import (
	"context"
	"errors"
	"fmt"

	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/retry"
	"github.com/footfall/footfall/sinks/tableid"
)

// What the settings of a copy say, one compare-and-set each:
//
//	Take      the table's id; restoring; the generation that is built, whose flushes send raw events and failed events
//	flipCopy  that generation is live, and the copy's own one is dropped
//
// While they say restoring, the chains of the copy's generation have no owners, and nothing of it is read. It is never kept as a former
// one: there is no way back to it.

// Take records that the table is a copy which is being counted again, and gives out the number of the generation that is built for it.
// It may be repeated. live is the generation that was live when the table was found to be a copy: if another is by now, another run has
// counted the copy again, and the answer is [ErrChanged]. keepBefore is as in [Begin].
func Take(ctx context.Context, table sinks.Table, live int, keepBefore int64) (sinks.Generations, error) {
	s, err := settingsOf(ctx, table)
	has := s.Generations
	switch {
	case err != nil || has.Restoring:
		return has, err
	case has.Live != live:
		return has, ErrChanged
	case s.Fencing || s.Format != sinks.LastFormat:
		return has, fmt.Errorf("the table has format %d, and must have %d: run footfall upgrade finalize first", s.Format, sinks.LastFormat)
	}
	id, err := tableid.Of(ctx, table)
	if err != nil {
		return has, err
	}
	next, last, err := freeNumbers(ctx, retry.Policy{}.Table(table), has)
	if err != nil {
		return has, err
	}
	set := []sinks.Attr{number(sinks.AttrRestoring, 1), number(sinks.AttrBuilding, next), number(sinks.AttrGenerations, next),
		number(sinks.AttrFollowing, 1), {Name: sinks.AttrTopics, Value: sinks.Int(last)},
		{Name: sinks.AttrRestored, Value: sinks.Int(last)}}
	if id.ID != "" {
		set = append(set, sinks.Attr{Name: sinks.AttrTableID, Value: sinks.Str(id.ID)})
	}
	if keepBefore > 0 {
		set = append(set, sinks.Attr{Name: sinks.AttrKeepBefore, Value: sinks.Int(keepBefore)})
	}
	set, has.Today = decidedBy(set, has, next, 0)
	recorded := sinks.Cond{Attr: sinks.AttrTableID, Op: sinks.Absent}
	if has.TableID != "" {
		recorded = sinks.Cond{Attr: sinks.AttrTableID, Op: sinks.Equal, Value: sinks.Str(has.TableID)}
	}
	err = change(ctx, table, sinks.Update{Set: set, If: []sinks.Cond{recorded, is(sinks.AttrRestoring, 0, 0),
		is(sinks.AttrGeneration, has.Live, 1), is(sinks.AttrGenerations, has.Last, 1), is(sinks.AttrBuilding, 0, 0),
		is(sinks.AttrFormer, 0, 0), is(sinks.AttrDropping, 0, 0)}})
	has.Restored, has.Restoring, has.Following, has.TableID = last, true, true, id.ID
	has.Building, has.Last, has.KeepBefore = next, next, keepBefore
	return has, err
}

// The settings of a copy may be older than its other items. So numbers that were given out after the settings were copied are left out: a
// copy is made within minutes, and hardly a rebuild begins in these. Of a new topic, each member may draw a number.
const (
	generationsAhead = 3
	topicsAhead      = 20
)

// freeNumbers returns a number of a generation, and the last one of a topic, that no item of a copy has.
func freeNumbers(ctx context.Context, table sinks.Table, has sinks.Generations) (generation int, topic int64, err error) {
	key := sinks.Keys{}.TableSettings()
	found, err := sinks.Get(ctx, table, key)
	if err != nil {
		return 0, 0, err
	}
	topic = found[key][sinks.AttrTopics].Int()
	for generation = 1; ; generation++ {
		topics, err := sinks.Topics(ctx, table, sinks.KeysOfGeneration(generation))
		if err != nil || len(topics) == 0 && generation >= has.Last+generationsAhead {
			return generation, topic + topicsAhead, err
		}
		for number := range topics {
			topic = max(topic, number)
		}
	}
}

// flipCopy makes the generation that was built for a copy the live one. The copy's own one is dropped; what lies before the first date that
// was counted stays.
func flipCopy(ctx context.Context, table sinks.Table, has sinks.Generations) error {
	set := []sinks.Attr{number(sinks.AttrGeneration, has.Building), number(sinks.AttrDropping, has.Live)}
	if has.KeepBefore > 0 {
		kept := sinks.Kept{Of: has.Building, From: has.Live, Date: has.KeepBefore}
		set = append(set, sinks.Attr{Name: sinks.AttrKept, Value: sinks.Str(with(has.Kept, kept.String()))})
	}
	return change(ctx, table, sinks.Update{
		Set:    set,
		Remove: []string{sinks.AttrBuilding, sinks.AttrFollowing, sinks.AttrKeepBefore, sinks.AttrRestoring},
		If:     []sinks.Cond{is(sinks.AttrGeneration, has.Live, 1), is(sinks.AttrBuilding, has.Building, 0), is(sinks.AttrRestoring, 1, 0)},
	})
}

// errRestoring is what other commands on generations answer until a copy is counted again.
var errRestoring = errors.New("the table is a copy that is being counted again: run footfall table resume-restored")
