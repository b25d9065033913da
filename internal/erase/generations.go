package erase

import (
	"context"

	"github.com/footfall/footfall/sinks"
)

// An erasure holds for all generations of items. Its tombstone is a revision of the rules, which belong to the table, and so does its
// progress. Each sweep goes through all generations: the live one, one that is being rebuilt, the former one, which can be made live
// again, and those that were dropped, of which items with a time to live are left until that ends.
//
// Chains of the live generation, and of the one that is being rebuilt, are waited for. Those of the former one are fenced for good, so
// they are treated as chains that were skipped: they record the revision while nobody owns them. Those of dropped ones are gone: none of
// their flushes is repeated.

// look reads which generations the table has now.
func (r *run) look(ctx context.Context) (err error) {
	_, r.has, err = sinks.CheckFormat(ctx, r.table)
	return err
}

// everyKeys returns the keys of all generations that there ever were, the live one first.
func (r *run) everyKeys() []sinks.Keys {
	all := []sinks.Keys{r.has.Keys()}
	for n := 1; n <= r.has.Last; n++ {
		if n != r.has.Live {
			all = append(all, sinks.KeysOfGeneration(n))
		}
	}
	return all
}

// gone reports whether a chain belonged to a generation that was dropped. chains must have been called.
func (r *run) gone(tp sinks.TP) bool { return !r.topics[tp.Topic] }
