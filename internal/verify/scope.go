package verify

import (
	"context"
	"iter"
	"time"

	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/retry"
	"github.com/footfall/footfall/sketch"
)

// scope is what is verified: which table, topic, sites and times.
type scope struct {
	opts    Options
	keys    sinks.Keys
	hashes  part // of the sites that the pass recounts
	table   sinks.TableSettings
	hasher  sketch.Hasher
	number  int64            // the topic's, in the table
	topics  map[string]int64 // numbers of all topics of the table, by name
	numbers map[int64]bool   // those numbers
}

// patience is how often a read that the store refuses for now is repeated: after pauses of up to 50 ms, 100 ms, ..., 10 s, some
// 21 s in all.
var patience = retry.Policy{First: 50 * time.Millisecond, Most: 10 * time.Second, Tries: 12}

// items reads what a query selects, strongly.
func (v *scope) items(ctx context.Context, q sinks.Query) iter.Seq2[sinks.Item, error] {
	q.Consistent = true
	return sinks.Items(ctx, v.opts.Table, q)
}

// get reads items strongly, any number.
func (v *scope) get(ctx context.Context, keys []sinks.Key) (map[sinks.Key]sinks.Item, error) {
	return sinks.Get(ctx, v.opts.Table, keys...)
}

// now is the time in seconds since the epoch.
func (v *scope) now() int64 { return v.opts.Now().Unix() }

// wants reports whether a site is verified.
func (v *scope) wants(site []byte) bool {
	if v.opts.Site != "" {
		return v.opts.Site == string(site)
	}
	if v.hashes == wholeTable && v.opts.SampleSites == 0 {
		return true
	}
	hash := siteHash(site)
	return v.hashes.has(hash) && (v.opts.SampleSites == 0 || sampled(hash, v.opts.SampleSites))
}

// inRange reports whether [start, end), in milliseconds, overlaps the span of event time that is verified.
func (v *scope) inRange(start, end int64) bool {
	return (v.opts.From.IsZero() || end > v.opts.From.UnixMilli()) && (v.opts.To.IsZero() || start < v.opts.To.UnixMilli())
}
