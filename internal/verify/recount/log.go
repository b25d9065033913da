package recount

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/internal/verify/repeats"
	"github.com/footfall/footfall/internal/verify/scope"
	"github.com/footfall/footfall/pipeline/checkpoint"
)

// A recount of everything need not fit into memory. Run works in passes, each over the whole log and over the sites whose hash
// lies in a part of all hashes: what is kept of other sites is who was admitted, and what may be repeated. A pass begins with
// all that is left and gives up the sites at the end of its part whenever what it keeps would pass the bound; the next pass
// begins there. So no estimate is needed, nothing is written to disk, and each pass is a comparison by itself: that is what
// --resume goes by. Reading the log again costs the brokers and the network more than sorted files on disk would cost the disk;
// a tenth of the records are folded twice.

// giveUp makes the part smaller until what is kept is half of the bound, and forgets the sites that are no longer in it. A part
// of one site stays as it is.
func (v *Model) giveUp() {
	sites := make([]string, 0, len(v.Ledger.sites))
	for site := range v.Ledger.sites {
		sites = append(sites, site)
	}
	slices.SortFunc(sites, func(a, b string) int {
		if scope.SiteHash(a) < scope.SiteHash(b) {
			return -1
		}
		return 1
	})
	for len(sites) > 1 && v.Ledger.alive > v.Ledger.bound/2 {
		last := sites[len(sites)-1]
		sites = sites[:len(sites)-1]
		v.Ledger.drop(last)
		v.forget(last)
	}
	if len(sites) > 0 {
		v.Hashes.To = min(v.Hashes.To, scope.SiteHash(sites[len(sites)-1]))
	}
	if len(sites) == 1 && v.Ledger.alive > v.Ledger.bound/2 {
		v.Ledger.bound = 0 // It is all of one site.
	}
}

// forget lets go what is kept of a site. Who was admitted stays: other sites depend on it.
func (v *Model) forget(site string) {
	delete(v.Raw.Sites, site)
	for _, c := range v.Chains {
		if c.Stats != nil {
			delete(c.Stats.Sites, site)
		} else {
			delete(c.Realtime.Sites, site)
		}
	}
}

// takeAll recounts a record, and gives up sites where that is too much to keep.
func (v *Model) takeAll(k *kgo.Record) error {
	if err := v.take(k); err != nil {
		return err
	}
	v.advanced(1)
	if v.Folding && v.Ledger.full() {
		v.giveUp()
	}
	return nil
}

// readLog recounts one partition after the other: what may be repeated is kept of one at a time, where there are many.
func (v *Model) readLog(ctx context.Context, spans map[int32]Span) error {
	for _, p := range slices.Sorted(maps.Keys(spans)) {
		if err := v.Log.Read(ctx, p, spans[p].From, spans[p].To, v.takeAll); err != nil {
			return err
		}
		kept := 0
		for _, c := range v.Chains {
			kept += c.seen.Size()
		}
		for _, lane := range checkpoint.Lanes {
			if c := v.Chains[checkpoint.ChainID{Partition: p, Lane: lane}]; c != nil && kept > repeats.KeptSightings {
				c.seen.Forget()
			}
		}
	}
	return nil
}

// trimmed notes that the log of a partition begins later than it did.
func (v *Model) trimmed(ctx context.Context, partition int32) error {
	starts, err := v.Log.Starts(ctx)
	if err != nil {
		return err
	}
	for p, start := range v.Starts { // Of a log that can be read from later on alone.
		starts[p] = max(starts[p], start)
	}
	v.Starts = starts
	for _, c := range v.Chains {
		held := v.Starts[c.Partition] + c.Head.Base
		if c.Partition == partition && c.next < held {
			c.next, c.NotRecounted = held, "the log was cut while it was read"
		}
	}
	return nil
}

// spans are the offsets that the recounts still need, one span for both lanes of a partition.
func (v *Model) spans(ctx context.Context) (map[int32]Span, error) {
	ends := v.Ends
	spans := make(map[int32]Span)
	for _, c := range v.Chains {
		c.upTo = c.stretch()
		from, to := c.next-c.Head.Base, c.upTo-c.Head.Base
		if from >= to || c.Head.TopicID != v.Log.HexID() {
			continue
		}
		if c.seen.Forgotten {
			from = max(v.Starts[c.Partition], c.seen.Start(c.next-c.Head.Base))
			for _, skipped := range c.Skips {
				if skipped.To <= c.next {
					from = max(from, skipped.To-c.Head.Base)
				}
			}
		}
		if to > ends[c.Partition] {
			var err error
			if ends, err = v.Log.Ends(ctx); err != nil {
				return nil, err
			}
		}
		if end := ends[c.Partition]; to > end {
			if c.NotRecounted != logTooShort {
				key := v.Keys.Checkpoint(c.TP, c.Lane)
				v.DifferOnce(finding.Difference{Kind: finding.KindCheckpoint, PK: key.PK, SK: key.SK, Attribute: "t",
					Table: fmt.Sprint(c.Head.To), Recount: fmt.Sprintf("the log ends at position %d", end+c.Head.Base)})
			}
			c.NotRecounted, to = logTooShort, end
			if from >= to {
				continue
			}
		}
		if s, ok := spans[c.Partition]; ok {
			from, to = joint(Span{from, to}, s)
		}
		spans[c.Partition] = Span{from, to}
	}
	return spans, nil
}

// logTooShort is why a chain cannot be recounted that is beyond the end of its log.
const logTooShort = "the log ends before the chain"

// joint returns what both lanes of a partition read next: what one of them skips is not read for the other.
func joint(a, b Span) (from, to int64) {
	from, to = min(a.From, b.From), min(a.To, b.To)
	if to <= from {
		to = max(a.To, b.To)
	}
	return from, to
}
