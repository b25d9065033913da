package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/footfall/footfall/pipeline/checkpoint"
)

// takeover is what came of acquiring partitions.
type takeover struct {
	workers []*worker
	still   map[int32]*standstill            // of partitions that get no worker until an operator decides
	fenced  map[int32]error                  // of partitions that another owner has taken over since
	yields  map[int32]*checkpoint.YieldError // of partitions that a later group counts
}

// taker takes partitions over: it acquires their chains and makes their workers.
type taker struct {
	*shared
	observed checkpoint.Duplicates // the window of duplicates that is only measured

	// What a takeover is to know of a partition. mu covers it, is never held across I/O, and may be taken while Pipeline.mu is held.
	mu          sync.Mutex
	truncatedAt map[int32]int64            // where the log was found to be truncated, until that is looked at
	parking     map[int32]*checkpoint.Park // to be recorded when the partition is taken over next
	resumed     map[int32]checkpoint.Park  // what was parked last because of an item that had just been quarantined, and was resumed
	quiet       map[int32]checkpoint.Stand // where a later group's stats chain has stood still for quietAfter
	yielded     map[int32]bool             // what is left to a later group
}

func newTaker(common *shared, observed checkpoint.Duplicates) *taker {
	return &taker{shared: common, observed: observed, truncatedAt: make(map[int32]int64), parking: make(map[int32]*checkpoint.Park),
		resumed: make(map[int32]checkpoint.Park), quiet: make(map[int32]checkpoint.Stand),
		yielded: make(map[int32]bool)}
}

// forget drops what was found in the partition's log, and what the next takeover was to record.
func (t *taker) forget(partition int32) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.truncatedAt, partition)
	delete(t.parking, partition)
}

// truncated notes that a partition's log was found to end at an offset.
func (t *taker) truncated(partition int32, end int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if before, ok := t.truncatedAt[partition]; !ok || end < before {
		t.truncatedAt[partition] = end
	}
}

// toPark has the next takeover of a partition record why it is parked.
func (t *taker) toPark(partition int32, why *checkpoint.Park) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.parking[partition] = why
}

// acquireAll takes over the chains of partitions and makes their workers, side by side.
func (t *taker) acquireAll(ctx context.Context, parts []int32) (takeover, error) {
	if len(parts) == 0 {
		return takeover{}, nil
	}
	id, logs, err := t.inspect(ctx, parts)
	if err != nil {
		return takeover{}, err
	}
	t.truncate(logs)
	got, err := t.acquireEach(ctx, parts, id, logs)
	if err != nil {
		return got, err
	}
	if slices.ContainsFunc(got.workers, func(w *worker) bool { return w.stats.chain.Head.Step == 0 }) {
		// No owner before this one has recorded a revision of the rules: the chain begins under all that are in the table now.
		if err := t.rules.refresh(ctx, nil); err != nil {
			return got, err
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for n := range logs {
		if got.fenced[n] == nil && got.yields[n] == nil {
			delete(t.truncatedAt, n) // It is in the checkpoint now, if it is a gap.
		}
	}
	return got, nil
}

// truncate ends logs where a fetch has found them to end.
func (t *taker) truncate(logs map[int32]checkpoint.Extent) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for n, end := range t.truncatedAt {
		if log, ok := logs[n]; ok {
			logs[n] = checkpoint.Extent{Start: log.Start, End: min(log.End, end), High: log.High, Cut: true}
		}
	}
}

// acquireEach acquires partitions side by side, and sorts what came of it.
func (t *taker) acquireEach(ctx context.Context, parts []int32, id [16]byte, logs map[int32]checkpoint.Extent) (takeover, error) {
	got := takeover{still: make(map[int32]*standstill), fenced: make(map[int32]error), yields: make(map[int32]*checkpoint.YieldError)}
	var mu sync.Mutex // covers got
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(16)
	for _, n := range parts {
		g.Go(func() error {
			w, still, err := t.acquire(gctx, n, id, logs[n])
			if found := standstillOf(err); found != nil {
				still, err = found, nil
			}
			yield, yields := errors.AsType[*checkpoint.YieldError](err)
			if err != nil && !yields && !errors.Is(err, checkpoint.ErrFenced) {
				return fmt.Errorf("partition %d: %w", n, err)
			}
			mu.Lock()
			defer mu.Unlock()
			switch {
			case yields:
				got.yields[n] = yield
			case err != nil:
				got.fenced[n] = err
			case still != nil:
				still.topicID = id
				got.still[n] = still
			default:
				got.workers = append(got.workers, w)
			}
			return nil
		})
	}
	return got, g.Wait()
}
