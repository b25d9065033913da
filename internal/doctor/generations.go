package doctor

import (
	"context"
	"fmt"
	"time"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/tableid"
)

// rebuildRests is how long nothing is counted into a generation until its rebuild counts as left: several of the longest intervals.
const rebuildRests = 30 * time.Minute

// generations is the examination of a table's generations of items: see package rebuild.
type generations struct{ *exam }

// check checks what is left of a rebuild.
func (e generations) check(ctx context.Context) {
	const check = "table.generations"
	settings, used, err := sinks.LoadTableSettings(ctx, e.Table, sinks.Keys{})
	has := settings.Generations
	switch {
	case err != nil:
		e.unchecked(ctx, check, err)
	case !used: // table.format says so.
	case e.checkCopy(ctx, check, has):
	case has.Flipped:
		e.warn(check, fmt.Sprintf("generation %d of the items is live, and making it so was cut short", has.Live),
			fmt.Sprintf("processes may still count into generation %d, which readers do not see", has.Former), "footfall rebuild")
	case has.Dropping > 0:
		e.warn(check, fmt.Sprintf("generation %d of the items is being deleted, or that was cut short", has.Dropping),
			"what is left of it costs storage, and no rebuild can begin", "footfall rebuild drop")
	case has.Building > 0:
		e.checkRebuild(ctx, check, has)
	case has.Former > 0:
		e.ok(check, "generation %d of the items is live; generation %d, which was live before, is kept since the last rebuild and costs "+
			"storage until footfall rebuild drop", has.Live, has.Former)
	default:
		e.ok(check, "the table has one generation of items")
	}
}

// checkCopy reports whether the table is a copy of another one, which only one command uses.
func (e generations) checkCopy(ctx context.Context, check string, has sinks.Generations) bool {
	err := tableid.Check(ctx, e.Table, has)
	copied := tableid.Copied(err)
	if copied {
		e.fail(check, err.Error(), "nothing is counted, and no question is answered", "footfall table resume-restored")
	}
	return copied
}

// checkRebuild says whether the generation that is being rebuilt is counted on.
func (e generations) checkRebuild(ctx context.Context, check string, has sinks.Generations) {
	last, err := lastFlush(ctx, e.Table, has.BuildingKeys())
	found := fmt.Sprintf("generation %d of the items is being rebuilt beside generation %d", has.Building, has.Live)
	switch rests := time.Since(last); {
	case err != nil:
		e.unchecked(ctx, check, err)
	case last.IsZero():
		e.warn(check, found+", and nothing was counted into it", "unless footfall rebuild has just begun it is not continued",
			"footfall rebuild")
	case rests > rebuildRests:
		e.warn(check, fmt.Sprintf("%s, and nothing was counted into it for %s", found, rests.Round(time.Minute)), "unless the topic is idle "+
			"the rebuild is not continued, and falls behind: continue it, or give it up with footfall rebuild drop", "footfall rebuild")
	default:
		e.ok(check, "%s", found)
	}
}

// lastFlush returns when a flush of a generation was last recorded; zero: none was.
func lastFlush(ctx context.Context, table sinks.Table, keys sinks.Keys) (last time.Time, err error) {
	topics, err := sinks.Topics(ctx, table, keys)
	if err != nil {
		return last, err
	}
	for number := range topics {
		chains, err := checkpoint.LoadChains(ctx, table, keys, number)
		if err != nil {
			return last, err
		}
		for _, s := range chains {
			if at := s.Head.FlushedAt; at > 0 && time.UnixMilli(at).After(last) {
				last = time.UnixMilli(at)
			}
		}
	}
	return last, nil
}
