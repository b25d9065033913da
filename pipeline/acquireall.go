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
	if slices.ContainsFunc(got.workers, func(w *worker) bool { return w.stats.Chain.Head.Step == 0 }) {
		// No owner before this one has recorded a revision of the rules: the chain begins under all that are in the table now.
		if err := t.rules.Refresh(ctx, nil); err != nil {
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
