package verify

import (
	"context"
	"fmt"
	"time"

	"github.com/footfall/footfall/internal/verify/judge"
)

// publishing is how long a view may be older than its revision before it is different. It takes two requests to write both.
const publishing = 5 * time.Second

// settleViews reads again the views that did not agree. One that still does not counts if its site has had the same last
// revision for as long as it takes to publish one. The log is read after the views: no view is newer than it.
func (v *verifier) settleViews(ctx context.Context, queue []judge.Subject) error {
	for read := 1; len(queue) > 0; read++ {
		before := v.Rules
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for the metadata of sites: %w", context.Cause(ctx))
		case <-time.After(publishing):
		}
		found, err := v.reread(ctx, queue)
		if err != nil {
			return err
		}
		if err := v.ReadRules(ctx); err != nil {
			return err
		}
		var moved []judge.Subject
		for i, s := range queue {
			j := v.Judge(s, found[i])
			switch {
			case v.accept(s, found[i], j):
			case len(before.History(s.Site)) == len(v.Rules.History(s.Site)):
				v.Count(s.Kind)
				v.Differ(j.Differences...)
			case read == maxReads:
				v.Unsettled(v.Key(s))
			default:
				moved = append(moved, s)
			}
		}
		queue = moved
	}
	return nil
}
