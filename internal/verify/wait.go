package verify

import (
	"context"
	"errors"
	"time"

	"github.com/footfall/footfall/internal/topiclog"
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/pipeline/checkpoint"
)

// pollInterval is how often the checkpoints are read while waiting for them.
const pollInterval = 200 * time.Millisecond

// wait returns when every chain has passed the end offsets and been seen between two steps, or when Options.Wait is over. It returns
// the chains that have not passed them. A chain with an open step is not among those: its writer may have ended, and its items are
// judged. With many chains there is hardly a moment without an open step, so each needs a moment of its own only.
// used is false when no pipeline has written the topic to the table by then.
func (v *verifier) wait(ctx context.Context) (used bool, behind []finding.Behind, err error) {
	targets := make(map[int32]int64)
	for p, end := range v.Ends {
		if end > v.Starts[p] {
			targets[p] = end
		}
	}
	began := time.Now()
	refined, rested := make(map[int32]bool), make(map[checkpoint.ChainID]bool)
	over := time.NewTimer(v.Opts.Wait)
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
			if all, err = v.heads.LoadHeads(ctx); err != nil {
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
		if behind, open = v.behind(all, targets, rested); len(behind) == 0 && (v.Opts.Wait == 0 || !open) {
			return used, nil, nil
		}
		if v.Opts.Waiting != nil && v.Opts.Wait > 0 {
			v.Opts.Waiting(finding.Waiting{Behind: behind, Left: max(0, v.Opts.Wait-time.Since(began))})
		}
		select {
		case <-ctx.Done():
			return used, nil, context.Cause(ctx)
		case <-over.C:
			return used, behind, nil
		case <-time.After(min(pollInterval, v.Opts.Wait+1)):
		}
	}
}

// refine makes a partition's target the end of its last data record; without any it has none.
func (v *verifier) refine(ctx context.Context, partition int32, targets map[int32]int64) error {
	start := v.Starts[partition]
	end, err := v.Log.DataEnd(ctx, partition, start, targets[partition])
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
) (list []finding.Behind, open bool) {
	for _, p := range v.Log.Partitions {
		for _, lane := range checkpoint.Lanes {
			id, at := checkpoint.ChainID{Partition: p, Lane: lane}, v.Starts[p]
			head := all[id].Head
			end, wanted := targets[p]
			if head.Step > 0 && head.TopicID == v.Log.HexID() {
				at = head.To - head.Base
				rested[id] = rested[id] || head.Done && at >= end
				open = open || !rested[id]
			}
			if wanted && at < end {
				list = append(list, finding.Behind{Partition: p, Lane: lane, Offset: at, End: end})
			}
		}
	}
	return list, open
}
