// Package upgrade raises the format of a table: the second half of an upgrade, after which an earlier release may not return. Until then a
// member of this release writes what the earlier one does, so either may be deployed at any time.
package upgrade

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/retry"
)

// State is how far the upgrade of a table has come.
type State struct {
	Format        int     `json:"format"`        // of the table
	Release       string  `json:"release"`       // the first that knows it
	LatestFormat  int     `json:"latestFormat"`  // that this footfall knows
	LatestRelease string  `json:"latestRelease"` // that brought it
	Lanes         int     `json:"lanes"`         // of all topics and partitions
	Earlier       []Owner `json:"earlier"`       // of lanes, that do not know the latest format
	Unchanged     int     `json:"unchanged"`     // lanes whose last flush is in an earlier format
}

// Finalized reports whether the table is in the latest format.
func (s State) Finalized() bool { return s.Format == s.LatestFormat }

// Owner owns a lane of a partition, or was the last to own it.
type Owner struct {
	Topic     string    `json:"topic"`
	Partition int32     `json:"partition"`
	Lane      string    `json:"lane"`
	Owner     string    `json:"owner"`     // host, process id and a random part
	FlushedAt time.Time `json:"flushedAt"` // of the last flush, by the owner's clock; zero: none is known
}

// EarlierError reports that members of an earlier release may be at work.
type EarlierError struct{ Owners []Owner }

func (e *EarlierError) Error() string {
	o := e.Owners[0]
	return fmt.Sprintf("%d lanes are owned by members of a release before %s, partition %d of topic %q by %s: replace them, and run this "+
		"again once the new ones have taken their partitions over; for a topic that is no longer consumed add --force", len(e.Owners),
		sinks.FormatRelease(sinks.LastFormat), o.Partition, o.Topic, o.Owner)
}

// lane is a lane of a partition, with its checkpoint.
type lane struct {
	Owner
	key  sinks.Key
	head checkpoint.Head
}

// Look reads how far the upgrade has come, and changes nothing. Requests are repeated until they are answered.
func Look(ctx context.Context, table sinks.Table, keys sinks.Keys) (State, error) {
	s, _, err := look(ctx, table, keys)
	return s, err
}

func look(ctx context.Context, table sinks.Table, keys sinks.Keys) (s State, lanes []lane, err error) {
	table = retry.Policy{}.Reads(table)
	if s.Format, err = sinks.CheckFormat(ctx, table, keys); err != nil {
		return s, nil, err
	}
	s.Release, s.Earlier = sinks.FormatRelease(s.Format), []Owner{}
	s.LatestFormat, s.LatestRelease = sinks.LastFormat, sinks.FormatRelease(sinks.LastFormat)
	topics, err := sinks.Topics(ctx, table, keys)
	if err != nil {
		return s, nil, err
	}
	for _, number := range slices.Sorted(maps.Keys(topics)) {
		chains, err := checkpoint.LoadChains(ctx, table, keys, number)
		if err != nil {
			return s, nil, fmt.Errorf("topic %q: %w", topics[number], err)
		}
		for id, state := range chains {
			l := lane{Owner{Topic: topics[number], Partition: id.Partition, Lane: id.Lane, Owner: state.Head.Owner},
				keys.Checkpoint(sinks.TP{Topic: number, Partition: id.Partition}, id.Lane), state.Head}
			if at := state.Head.FlushedAt; at > 0 {
				l.FlushedAt = time.UnixMilli(at).UTC()
			}
			lanes = append(lanes, l)
		}
	}
	slices.SortFunc(lanes, func(a, b lane) int {
		return cmp.Or(cmp.Compare(a.Topic, b.Topic), cmp.Compare(a.Partition, b.Partition), cmp.Compare(a.Lane, b.Lane))
	})
	s.Lanes = len(lanes)
	for _, l := range lanes {
		if checkpoint.OwnerFormat(l.Owner.Owner) < s.LatestFormat {
			s.Earlier = append(s.Earlier, l.Owner)
		}
		if l.unchanged() {
			s.Unchanged++
		}
	}
	return s, lanes, nil
}

// unchanged reports whether the lane's last flush is in an earlier format.
func (l lane) unchanged() bool {
	settings, err := checkpoint.ParseValues(l.head.Ver)
	return l.head.Step > 0 && (err != nil || settings.Fold < checkpoint.FoldVersion)
}

// Finalize raises the format to the latest, then fences all lanes, so that their owners read it: those of this release continue in it, and
// those of an earlier one end. Unless forced, nothing is changed while lanes are owned by an earlier release, which is an *EarlierError. It
// may be cut short and repeated at any time; lanes that it has not fenced then continue in the former format until their next owner.
// SQLite and DynamoDB: one write for the table and one for each lane.
func Finalize(ctx context.Context, table sinks.Table, keys sinks.Keys, force bool) (State, error) {
	s, lanes, err := look(ctx, table, keys)
	switch {
	case err != nil:
		return s, err
	case len(s.Earlier) > 0 && !force:
		return s, &EarlierError{s.Earlier}
	}
	if err := raise(ctx, table, keys, s.Format); err != nil {
		return s, err
	}
	client, by := checkpoint.NewClient(table), checkpoint.Owner{Name: checkpoint.OwnerFinalize + checkpoint.OwnerName()}
	for _, l := range lanes {
		if s.Finalized() && !l.unchanged() {
			continue // An earlier run has fenced it.
		}
		if _, err := checkpoint.Acquire(ctx, client, l.key, by); err != nil {
			return s, fmt.Errorf("topic %q, partition %d, lane %s: %w", l.Topic, l.Partition, l.Lane, err)
		}
	}
	return Look(ctx, table, keys)
}

// raise records the latest format in the table's settings, unless another process has.
func raise(ctx context.Context, table sinks.Table, keys sinks.Keys, from int) error {
	if from == sinks.LastFormat {
		return nil
	}
	is := sinks.Cond{Attr: sinks.AttrFormat, Op: sinks.Equal, Value: sinks.Int(int64(from))}
	if from == sinks.FirstFormat {
		is = sinks.Cond{Attr: sinks.AttrFormat, Op: sinks.Absent}
	}
	r, err := retry.Policy{}.Table(table).Update(ctx, sinks.Update{Key: keys.TableSettings(),
		Set: []sinks.Attr{{Name: sinks.AttrFormat, Value: sinks.Int(sinks.LastFormat)},
			{Name: sinks.AttrRelease, Value: sinks.Str(sinks.FormatRelease(sinks.LastFormat))}},
		If: []sinks.Cond{{Attr: sinks.AttrPK, Op: sinks.Present}, is}, Return: true})
	if err != nil {
		return fmt.Errorf("raise the format of the table: %w", err)
	}
	if !r.Refused {
		return nil
	}
	if r.Item == nil {
		return fmt.Errorf("the table has no settings: no pipeline has used it")
	}
	now, err := sinks.CheckFormat(ctx, table, keys)
	if err == nil && now == from {
		err = fmt.Errorf("the table's format is still %d", now)
	}
	return err
}
