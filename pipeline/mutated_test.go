package pipeline_test

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/pipeline/checkpoint"
)

var mutated = flag.Int("mutated", 20_000, "how many mutated records TestMutatedRecordsAreAllAccountedFor sends")

// mutatedBatch is how many records go through one pipeline: kfake keeps a topic in memory.
const mutatedBatch = 500_000

// pieces are what mutations put into records beside random bytes.
var pieces = []string{`"`, `\`, `{`, `}`, `[`, `]`, `,`, `:`, `null`, `true`, `1e999`, `-0`, `\ud800`, `\u0000`, "\x00", "\xff", "\xc3\x28",
	"\ufeff",
	`"siteId"`, `"timestamp"`, `9223372036854775808`, `0.0000001`, `"properties":{}`, `{"a":{"a":{"a":`, " ", "\n", "é", "\u202e", "/*", "NaN"}

// mutate changes a record in one to four places.
func mutate(rng *rand.Rand, value []byte) []byte {
	v := bytes.Clone(value)
	for range 1 + rng.IntN(4) {
		i := rng.IntN(len(v) + 1)
		j := min(len(v), i+rng.IntN(8))
		switch rng.IntN(5) {
		case 0: // Random bytes in place of some.
			for k := i; k < j; k++ {
				v[k] = byte(rng.Uint32())
			}
		case 1:
			v = append(v[:i:i], v[j:]...)
		case 2:
			v = append(append(v[:i:i], pieces[rng.IntN(len(pieces))]...), v[i:]...)
		case 3: // A part of it again.
			v = append(v[:j:j], v[i:]...)
		case 4:
			v = v[:j]
		}
	}
	return v
}

// TestMutatedRecordsAreAllAccountedFor keeps the promise "nothing vanishes" against records that are events but for a few
// bytes: the hard half of hostile input. Many more than by default go through with -mutated.
func TestMutatedRecordsAreAllAccountedFor(t *testing.T) {
	slow.Unraced(t)
	t.Parallel()
	for sent, seed := 0, uint64(0); sent < *mutated; seed++ {
		n := min(mutatedBatch, *mutated-sent)
		sent += n
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			inWorld(t, 1, func(t *testing.T, w *world) {
				o := w.Options()
				o.Settings.RawEvents = n < mutatedBatch
				run := w.Start(o)
				rng := rand.New(rand.NewPCG(seed, 6))
				seeds := traffic(seed, 1, 200, bubbleStart)
				for left := n; left > 0; {
					batch := make([]record, min(left, 2000))
					left -= len(batch)
					for i := range batch {
						batch[i] = seeds[rng.IntN(len(seeds))]
						batch[i].Value = mutate(rng, batch[i].Value)
					}
					w.Produce(batch...)
				}
				w.Settled()
				run.Drain()
				head := w.head(0, checkpoint.LaneStats)
				if head.To != int64(n) || head.Totals.Records() != int64(n) {
					t.Errorf("totals of %d records at position %d, want %d", head.Totals.Records(), head.To, n)
				}
				rejected := 0
				for _, r := range head.Totals.Rejected {
					rejected += int(r)
				}
				if rejected < n/10 || head.Totals.Counted+head.Totals.Duplicate < int64(n/20) {
					t.Errorf("totals %+v: the mutations are too strong, or too weak", head.Totals)
				}
				if got := len(w.failedEntries(rejected)); got != rejected {
					t.Errorf("%d entries on the failed-events topic, want %d", got, rejected)
				}
				if r, err := w.Verify(o); err != nil || r.DifferenceCount != 0 {
					t.Errorf("verify: %v, %d differences, first %+v", err, r.DifferenceCount, r.Differences[:min(3, len(r.Differences))])
				}
			})
		})
	}
}
