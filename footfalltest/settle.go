package footfalltest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// Settle waits until all records that are in the topic now are in the table: counted, recognised as duplicates, or rejected. Records of a
// transaction that is open are not awaited. It looks at the checkpoints whenever one of them changes, and ends the test if a partition
// stops, the pipeline ends, or the time limit of the test binary (go test -timeout) comes near.
func (f *Footfall) Settle(t testing.TB) {
	t.Helper()
	inTime, cancel := beforeDeadline(t)
	defer cancel()
	goal, err := f.extents(t.Context())
	if err != nil {
		t.Fatalf("footfalltest: topic %q: %v", f.topic, err)
	}
	for {
		changed := f.changes.next()
		behind, err := f.behind(t.Context(), goal)
		switch {
		case err != nil:
			t.Fatalf("footfalltest: %v", err)
		case len(behind) == 0:
			return
		}
		select {
		case <-changed:
		case <-f.ended:
			t.Fatalf("footfalltest: the pipeline has ended, %v; not counted: %s", f.err, strings.Join(behind, "; "))
		case <-inTime.Done():
			t.Fatalf("footfalltest: not counted in time: %s", strings.Join(behind, "; "))
		}
	}
}

// extent is the part of a partition's log that can be read.
type extent struct{ start, end int64 }

// extents are those of all partitions that have records, without what open transactions hold.
func (f *Footfall) extents(ctx context.Context) (map[int32]extent, error) {
	admin := kadm.NewClient(f.client)
	ends, err := admin.ListCommittedOffsets(ctx, f.topic)
	if err == nil {
		err = ends.Error()
	}
	if err != nil {
		return nil, err
	}
	starts, err := admin.ListStartOffsets(ctx, f.topic)
	if err == nil {
		err = starts.Error()
	}
	if err != nil {
		return nil, err
	}
	all := make(map[int32]extent)
	ends.Each(func(end kadm.ListedOffset) {
		if start, ok := starts.Lookup(f.topic, end.Partition); ok && start.Offset < end.Offset {
			all[end.Partition] = extent{start.Offset, end.Offset}
		}
	})
	return all, nil
}

// behind lists the lanes that are not at the end of the extents yet. A partition that will not get there by itself is an error.
func (f *Footfall) behind(ctx context.Context, goal map[int32]extent) (lanes []string, err error) {
	chains, err := f.chains(ctx)
	if err != nil {
		return nil, err
	}
	for partition, log := range goal {
		for _, lane := range checkpoint.Lanes {
			next, head := log.start, chains[checkpoint.ChainID{Partition: partition, Lane: lane}].Head
			switch {
			case head.Park != nil:
				return nil, fmt.Errorf("partition %d is parked: %v", partition, head.Park)
			case head.Gap != nil && head.Gap.Accepted == "":
				return nil, fmt.Errorf("partition %d, lane %s, has a data gap: %v", partition, lane, head.Gap)
			case head.Step > 0:
				next = head.Position() - head.Base
			}
			if next < log.end {
				lanes = append(lanes, fmt.Sprintf("partition %d, lane %s: offsets %d to %d", partition, lane, next, log.end-1))
			}
		}
	}
	slices.Sort(lanes)
	return lanes, nil
}

// chains are what the table has of the topic; none before the pipeline has begun.
func (f *Footfall) chains(ctx context.Context) (checkpoint.ChainStates, error) {
	number, ok, err := checkpoint.NewClient(f.table).Topic(ctx, sinks.Keys{}, f.topic)
	if err != nil || !ok {
		return nil, err
	}
	return checkpoint.LoadChains(ctx, f.table, sinks.Keys{}, number)
}

// Totals say what became of the records that are in the table. Every record is in exactly one of them.
type Totals struct {
	Counted    int64
	Duplicates int64
	Rejected   map[string]int64 // by reason, as docs/events.md lists them
}

// Totals are those of all records of the topic so far. Call [Footfall.Settle] first.
func (f *Footfall) Totals(t testing.TB) Totals {
	t.Helper()
	chains, err := f.chains(t.Context())
	if err != nil {
		t.Fatalf("footfalltest: %v", err)
	}
	sum := Totals{Rejected: make(map[string]int64)}
	for _, chain := range chains { // Those of other lanes are zero.
		sum.Counted += chain.Head.Totals.Counted
		sum.Duplicates += chain.Head.Totals.Duplicate
		for reason, n := range chain.Head.Totals.Rejected {
			sum.Rejected[string(reason)] += n
		}
	}
	return sum
}

// beforeDeadline is a context that ends while the test can still say why it fails: a tenth of what is left before the test binary's time
// limit. Benchmarks have no limit.
func beforeDeadline(t testing.TB) (context.Context, context.CancelFunc) {
	if limited, ok := t.(interface{ Deadline() (time.Time, bool) }); ok {
		if deadline, ok := limited.Deadline(); ok {
			return context.WithTimeout(t.Context(), time.Until(deadline)*9/10)
		}
	}
	return context.WithCancel(t.Context())
}
