package verify

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/footfall/footfall/internal/plural"
	"github.com/footfall/footfall/internal/topiclog"
	"github.com/footfall/footfall/pipeline/checkpoint"
)

// pollInterval is how often the checkpoints are read while waiting for them.
const pollInterval = 200 * time.Millisecond

// Waiting is what the checkpoints are waited for.
type Waiting struct {
	Behind []Behind      // that have not passed the end of the log; empty: they have, and a flush is being written
	Left   time.Duration // until the wait is over
}

// String says it for people.
func (w Waiting) String() string {
	left := w.Left.Round(time.Second)
	if len(w.Behind) == 0 {
		return fmt.Sprintf("waiting up to %v until the flushes that are being written are done", left)
	}
	lags, records := make(map[int32]int64), int64(0)
	for _, b := range w.Behind { // Of a partition's two lanes, the one that has more before it.
		more := max(0, b.End-b.Offset-lags[b.Partition])
		lags[b.Partition] += more
		records += more
	}
	first := w.Behind[0]
	return fmt.Sprintf("waiting up to %v until the pipeline has counted %s, as of partition %d (%s): it is at offset %d of %d", left,
		plural.Count(records, "more record", "more records"), first.Partition, first.Lane, first.Offset, first.End)
}

// wait returns when every chain has passed the end offsets and been seen between two steps, or when Options.Wait is over. It returns
// the chains that have not passed them. A chain with an open step is not among those: its writer may have ended, and its items are
// judged. With many chains there is hardly a moment without an open step, so each needs a moment of its own only.
// used is false when no pipeline has written the topic to the table by then.
func (v *verifier) wait(ctx context.Context) (used bool, behind []Behind, err error) {
	targets := make(map[int32]int64)
	for p, end := range v.ends {
		if end > v.starts[p] {
			targets[p] = end
		}
	}
	began := time.Now()
	refined, rested := make(map[int32]bool), make(map[checkpoint.ChainID]bool)
	over := time.NewTimer(v.opts.Wait)
	defer over.Stop()
	for {
		var all checkpoint.ChainStates
		if !used {
			if used, err = v.open(ctx); err != nil {
				return used, nil, err
			}
			if v.unusable {
				return false, nil, nil
			}
		}
		if used {
			if all, err = v.heads.loadHeads(ctx); err != nil {
				return used, nil, err
			}
		}
		behind, _ = v.behind(all, targets, rested)
		for _, b := range behind {
			if refined[b.Partition] {
				continue
			}
			refined[b.Partition] = true
			if err := v.refine(ctx, b.Partition, targets); err != nil {
				return used, nil, err
			}
		}
		var open bool
		if behind, open = v.behind(all, targets, rested); len(behind) == 0 && (v.opts.Wait == 0 || !open) {
			return used, nil, nil
		}
		if v.opts.Waiting != nil && v.opts.Wait > 0 {
			v.opts.Waiting(Waiting{behind, max(0, v.opts.Wait-time.Since(began))})
		}
		select {
		case <-ctx.Done():
			return used, nil, context.Cause(ctx)
		case <-over.C:
			return used, behind, nil
		case <-time.After(min(pollInterval, v.opts.Wait+1)):
		}
	}
}

// refine makes a partition's target the end of its last data record; without any it has none.
func (v *verifier) refine(ctx context.Context, partition int32, targets map[int32]int64) error {
	start := v.starts[partition]
	end, err := v.log.DataEnd(ctx, partition, start, targets[partition])
	if _, gone := errors.AsType[*topiclog.GoneError](err); err != nil && !gone {
		return err
	}
	if end > start {
		targets[partition] = end
	} else {
		delete(targets, partition)
	}
	return nil
}

// behind returns the chains that have not come to the offsets, and whether one has had a step on its way ever since it was there.
// rested has the chains that were seen without one.
func (v *verifier) behind(
	all checkpoint.ChainStates, targets map[int32]int64, rested map[checkpoint.ChainID]bool,
) (list []Behind, open bool) {
	for _, p := range v.log.Partitions {
		for _, lane := range checkpoint.Lanes {
			id, at := checkpoint.ChainID{Partition: p, Lane: lane}, v.starts[p]
			head := all[id].Head
			end, wanted := targets[p]
			if head.Step > 0 && head.TopicID == v.log.HexID() {
				at = head.To - head.Base
				rested[id] = rested[id] || head.Done && at >= end
				open = open || !rested[id]
			}
			if wanted && at < end {
				list = append(list, Behind{Partition: p, Lane: lane, Offset: at, End: end})
			}
		}
	}
	return list, open
}
