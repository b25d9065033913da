package erase

import (
	"context"

	"github.com/footfall/footfall/sinks"
)

// An erasure holds for all generations of items. Its tombstone, a revision of the rules, and its progress belong to the table. Each sweep
// goes through all generations: live, being rebuilt, former, and dropped. The former one can be made live again. A dropped one has items
// until they expire.
//
// The erasure waits for the chains of the live generation and of the one that is being rebuilt. Former chains have no owner: like skipped
// ones, they record the revision. Chains of dropped generations are gone, and none of their flushes is repeated.

// look reads which generations the table has now.
func (w *Watch) look(ctx context.Context) (err error) {
	_, w.has, err = sinks.CheckFormat(ctx, w.Table)
	return err
}

// EveryKeys returns the keys of all generations that there ever were, the live one first.
func EveryKeys(has sinks.Generations) []sinks.Keys {
	all := []sinks.Keys{has.Keys()}
	for n := 1; n <= has.Last; n++ {
		if n != has.Live {
			all = append(all, sinks.KeysOfGeneration(n))
		}
	}
	return all
}

// gone reports whether a chain belonged to a generation that was dropped. chains must have been called.
func (r *run) gone(tp sinks.TP) bool { return !r.watch.topics[tp.Topic] }
