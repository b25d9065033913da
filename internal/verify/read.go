package verify

import (
	"context"
	"iter"
	"time"

	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/retry"
)

// patience is how often a read that the store refuses for now is repeated: after pauses of up to 50 ms, 100 ms, ..., 10 s, some
// 21 s in all.
var patience = retry.Policy{First: 50 * time.Millisecond, Most: 10 * time.Second, Tries: 12}

// items reads what a query selects, strongly.
func (v *verifier) items(ctx context.Context, q sinks.Query) iter.Seq2[sinks.Item, error] {
	q.Consistent = true
	return sinks.Items(ctx, v.opts.Table, q)
}

// get reads items strongly, any number.
func (v *verifier) get(ctx context.Context, keys []sinks.Key) (map[sinks.Key]sinks.Item, error) {
	return sinks.Get(ctx, v.opts.Table, keys...)
}
