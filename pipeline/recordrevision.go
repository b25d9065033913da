package pipeline

import (
	"context"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// RecordRevision notes in the checkpoint of a chain that nobody owns, and whose last step is done, that no later step may have
// an older revision of the rules. head is the checkpoint as it was read; ok is false where it has moved.
func RecordRevision(ctx context.Context, t sinks.Table, keys sinks.Keys, tp sinks.TP, head checkpoint.Head, rev int64) (ok bool, err error) {
	r, err := t.Update(ctx, sinks.Update{Key: keys.Checkpoint(tp, checkpoint.LaneStats),
		Set: []sinks.Attr{{Name: checkpoint.AttrSeen, Value: sinks.Int(rev)}},
		If: []sinks.Cond{{Attr: checkpoint.AttrEpoch, Op: sinks.Equal, Value: sinks.Int(head.Epoch)},
			{Attr: checkpoint.AttrStep, Op: sinks.Equal, Value: sinks.Int(head.Step)}, {Attr: checkpoint.AttrDone, Op: sinks.Equal, Value: sinks.Int(1)}}})
	return err == nil && !r.Refused, err
}
