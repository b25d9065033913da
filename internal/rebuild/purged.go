package rebuild

import (
	"context"
	"fmt"
	"slices"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// PurgedError reports a site that was purged while a rebuild was under way: the new generation has met events from before the purge
// under later rules. If the site is created again, a later rebuild could take these events for new ones.
type PurgedError struct {
	Partition int32
	Rev       int64 // of the rules, that purges the site
}

func (e *PurgedError) Error() string {
	return fmt.Sprintf("a site was purged by revision %d while the rebuild was under way, and of partition %d the rebuild had not come as "+
		"far as the live generation: run footfall rebuild drop, then footfall rebuild again", e.Rev, e.Partition)
}

// checkPurges returns a *PurgedError unless the new generation has counted everything that the live one had counted before a purge under
// rules of before, too.
func (p *phases) checkPurges(ctx context.Context) error {
	purges, err := p.live.purges(ctx)
	if err != nil || len(purges) == 0 {
		return err
	}
	live, err := p.live.scripts(ctx)
	if err != nil {
		return err
	}
	built, err := p.built.scripts(ctx)
	if err != nil {
		return err
	}
	for id, script := range built {
		for _, rev := range purges {
			if id.Lane == checkpoint.LaneStats && script.First(rev) < live[id].First(rev) {
				return &PurgedError{id.Partition, rev}
			}
		}
	}
	return nil
}

// purges lists the revisions that purge sites, the last one of each, in order.
func (c *chains) purges(ctx context.Context) (all []int64, err error) {
	log, err := sites.ReadLog(ctx, c.table, sinks.Keys{}, nil)
	if err != nil {
		return nil, err
	}
	log.Sites(func(site string) {
		if rev := sites.LastPurge(log.History(site)); rev > 0 {
			all = append(all, rev)
		}
	})
	slices.Sort(all)
	return all, nil
}
