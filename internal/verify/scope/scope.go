package scope

import (
	"context"
	"iter"
	"time"

	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/retry"
	"github.com/footfall/footfall/sketch"
)

// Scope is what is verified: which table, topic, sites and times.
type Scope struct {
	Opts    Options
	Keys    sinks.Keys
	Hashes  Part // of the sites that the pass recounts
	Table   sinks.TableSettings
	Hasher  sketch.Hasher
	Number  int64            // the topic's, in the table
	Topics  map[string]int64 // numbers of all topics of the table, by name
	Numbers map[int64]bool   // those numbers
}

// patience is how often a read that the store refuses for now is repeated: after pauses of up to 50 ms, 100 ms, ..., 10 s, some
// 21 s in all.
var patience = retry.Policy{First: 50 * time.Millisecond, Most: 10 * time.Second, Tries: 12}

// Items reads what a query selects, strongly.
func (v *Scope) Items(ctx context.Context, q sinks.Query) iter.Seq2[sinks.Item, error] {
	q.Consistent = true
	return sinks.Items(ctx, v.Opts.Table, q)
}

// Load reads items strongly, any number.
func (v *Scope) Load(ctx context.Context, keys []sinks.Key) (map[sinks.Key]sinks.Item, error) {
	return sinks.Get(ctx, v.Opts.Table, keys...)
}

// Now is the time in seconds since the epoch.
func (v *Scope) Now() int64 { return v.Opts.Now().Unix() }

// Wants reports whether a site is verified.
func (v *Scope) Wants(site []byte) bool {
	if v.Opts.Site != "" {
		return v.Opts.Site == string(site)
	}
	if v.Hashes == WholeTable && v.Opts.SampleSites == 0 {
		return true
	}
	hash := SiteHash(site)
	return v.Hashes.has(hash) && (v.Opts.SampleSites == 0 || Sampled(hash, v.Opts.SampleSites))
}

// InRange reports whether [start, end), in milliseconds, overlaps the span of event time that is verified.
func (v *Scope) InRange(start, end int64) bool {
	return (v.Opts.From.IsZero() || end > v.Opts.From.UnixMilli()) && (v.Opts.To.IsZero() || start < v.Opts.To.UnixMilli())
}

// OfTopic reports whether a topic of the table has that number. An item of another number is a difference.
func (v *Scope) OfTopic(number int64) bool { return v.Numbers[number] }
