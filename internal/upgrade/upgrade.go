// Package upgrade raises the format of a table: the second half of an upgrade, after which an earlier release may not return. Until then a
// member of this release writes what the earlier one does, so either may be deployed at any time.
package upgrade

import (
	"context"
	"errors"
	"fmt"
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
	Finalized     bool    `json:"finalized"`     // the table is in the latest format, and no owner is in another
	Lanes         int     `json:"lanes"`         // of all topics and partitions
	Earlier       []Owner `json:"earlier"`       // of lanes, that do not know the latest format; none once the upgrade is finalized
	Unchanged     int     `json:"unchanged"`     // lanes whose last flush is in an earlier format
}

// Owner owns a lane of a partition, or was the last to own it.
type Owner struct {
	Topic     string    `json:"topic"`
	Partition int32     `json:"partition"`
	Lane      string    `json:"lane"`
	Owner     string    `json:"owner"`     // as checkpoint.OwnerName makes it
	FlushedAt time.Time `json:"flushedAt"` // of the last flush, by the owner's clock; zero: none is known
}

// ErrUnused reports a table that no pipeline has used yet. The first makes it in the latest format.
var ErrUnused = errors.New("no pipeline has used the table yet: there is nothing to upgrade")

// EarlierError reports that members of an earlier release may be at work.
type EarlierError struct{ Owners []Owner }

func (e *EarlierError) Error() string {
	o := e.Owners[0]
	return fmt.Sprintf("%d lanes are owned by members of a release before %s, partition %d of topic %q by %s: replace them, and run this "+
		"again once the new ones have taken their partitions over; for a topic that is no longer consumed add --force", len(e.Owners),
		sinks.FormatRelease(sinks.LastFormat), o.Partition, o.Topic, o.Owner)
}

// Look reads how far the upgrade has come, and changes nothing. Requests are repeated until they are answered. A table without settings is
// [ErrUnused].
func Look(ctx context.Context, table sinks.Table) (State, error) {
	s, _, err := look(ctx, table)
	return s, err
}

func look(ctx context.Context, table sinks.Table) (State, sinks.Generations, error) {
	table = retry.Policy{}.Table(table)
	settings, ok, err := sinks.LoadTableSettings(ctx, table, sinks.Keys{})
	if err == nil && !ok {
		err = ErrUnused
	}
	if err != nil {
		return State{}, settings.Generations, err
	}
	s := State{Format: settings.Format, Release: sinks.FormatRelease(settings.Format), LatestFormat: sinks.LastFormat,
		LatestRelease: sinks.FormatRelease(sinks.LastFormat), Finalized: settings.Format == sinks.LastFormat && !settings.Fencing,
		Earlier: []Owner{}}
	lanes, err := list(ctx, table, settings.Generations)
	if err != nil {
		return State{}, settings.Generations, err
	}
	s.Lanes = len(lanes)
	for _, l := range lanes {
		if !s.Finalized && l.owner() != "" && checkpoint.OwnerFormat(l.owner()) < sinks.LastFormat {
			s.Earlier = append(s.Earlier, l.describe())
		}
		if l.unchanged() {
			s.Unchanged++
		}
	}
	return s, settings.Generations, nil
}

// Finalize raises the format to the latest, then fences all lanes, so that their owners read it: those of this release continue in it, and
// those of an earlier one end. Unless forced, nothing is changed while lanes are owned by an earlier release, which is an *EarlierError. It
// may be cut short and repeated at any time, also beside itself; once it returns without an error, no flush is begun in an earlier format.
// It writes the table's settings twice and each lane once.
func Finalize(ctx context.Context, table sinks.Table, force bool) (State, error) {
	s, has, err := look(ctx, table)
	if err != nil || s.Finalized {
		return s, err
	}
	if len(s.Earlier) > 0 && s.Format < sinks.LastFormat && !force {
		return s, &EarlierError{s.Earlier}
	}
	table = retry.Policy{}.Table(table)
	if s.Format < sinks.LastFormat {
		if err := raise(ctx, table, s.Format); err != nil {
			return s, err
		}
	}
	// Listed only now: who takes a lane over that is not there yet reads the format afterwards.
	lanes, err := list(ctx, table, has)
	if err != nil {
		return s, err
	}
	client, by := checkpoint.NewClient(table), checkpoint.Owner{Name: checkpoint.OwnerFinalize + checkpoint.OwnerName()}
	for _, l := range lanes {
		if err := checkpoint.Fence(ctx, client, l.key, by); err != nil {
			return s, fmt.Errorf("topic %q, partition %d, lane %s: %w", l.topic, l.id.Partition, l.id.Lane, err)
		}
	}
	_, err = table.Update(ctx, sinks.Update{Key: sinks.Keys{}.TableSettings(), Remove: []string{sinks.AttrFencing},
		If: []sinks.Cond{{Attr: sinks.AttrFormat, Op: sinks.Equal, Value: sinks.Int(sinks.LastFormat)}}})
	if err != nil {
		return s, fmt.Errorf("record that all lanes are fenced: %w", err)
	}
	return Look(ctx, table)
}

// raise records the latest format in the table's settings, unless another process has, and that chains are still to be fenced.
func raise(ctx context.Context, table sinks.Table, from int) error {
	before := []sinks.Cond{{Attr: sinks.AttrFormat, Op: sinks.Equal, Value: sinks.Int(int64(from))}}
	if from == sinks.FirstFormat { // It is rarely recorded.
		before = []sinks.Cond{{Attr: sinks.AttrRelease, Op: sinks.Absent}}
	}
	r, err := table.Update(ctx, sinks.Update{Key: sinks.Keys{}.TableSettings(),
		Set: []sinks.Attr{{Name: sinks.AttrFormat, Value: sinks.Int(sinks.LastFormat)},
			{Name: sinks.AttrRelease, Value: sinks.Str(sinks.FormatRelease(sinks.LastFormat))},
			{Name: sinks.AttrFencing, Value: sinks.Int(1)}},
		If: append(before, sinks.Cond{Attr: sinks.AttrPK, Op: sinks.Present}), Return: true})
	if err != nil {
		return fmt.Errorf("raise the format of the table: %w", err)
	}
	if !r.Refused {
		return nil
	}
	now, err := sinks.ReadTableSettings(r.Item)
	if err == nil && now.Format != sinks.LastFormat {
		err = fmt.Errorf("the format of the table has become %d in between: run this again", now.Format)
	}
	return err
}
