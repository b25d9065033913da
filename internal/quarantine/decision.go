package quarantine

import (
	"context"
	"errors"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// ErrReadable reports an item that can be read, so that there is nothing to quarantine.
var ErrReadable = errors.New("the item can be read: there is nothing to quarantine")

// ErrIrreplaceable reports an item that nothing can stand in for.
var ErrIrreplaceable = errors.New("the item cannot be replaced: restore it from a backup of the table")

// ErrNoCheckpoint reports the key of a checkpoint that is not in the table.
var ErrNoCheckpoint = errors.New("there is no checkpoint under this key: nothing can stand in for one that was deleted; " +
	"docs/runbook.md says how to restore it from a backup")

// Decision is an operator's decision to quarantine a damaged item.
type Decision struct {
	Topic string
	Table sinks.Table
	Keys  sinks.Keys
	Key   sinks.Key // of the item
}

// Result is the result of a quarantine.
type Result struct {
	Type    string           // of the item, as the catalogue names it
	Attrs   []string         // that could not be read
	Copy    sinks.Key        // of the damaged item
	Spans   []sinks.LostSpan // the lost spans, by chain
	Removed bool             // the item was removed; false: it was replaced
	Resumed []int32          // partitions that were parked because of the item, and continue
	Again   bool             // it was quarantined before
	Absent  bool             // there is no item under the key: it was removed before, or has never been written
}

func (q *Decision) read(ctx context.Context, send checkpoint.Client) (sinks.Item, error) {
	found, err := send.BatchGet(ctx, []sinks.Key{q.Key})
	if err == nil && found[q.Key] == nil {
		return sinks.Item{sinks.AttrPK: sinks.Str(q.Key.PK), sinks.AttrSK: sinks.Str(q.Key.SK)}, nil
	}
	return found[q.Key], err
}

// laneOf returns the lane whose chains have a part in an item.
func laneOf(m sinks.Match) string {
	switch {
	case m.Type.Entity == sinks.EntityRealtime:
		return checkpoint.LaneRealtime
	case m.Fields.Lane != "":
		return m.Fields.Lane
	}
	return checkpoint.LaneStats
}
