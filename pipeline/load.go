package pipeline

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/footfall/footfall/pipeline/aggregate"
	"github.com/footfall/footfall/sinks"
)

// loader gathers the states that a chunk of records touches for the first time, and reads them together.
type loader struct {
	send  *sender
	pulse *pulse
	read  func() // called once the items are there, before they are handed over
	keys  []sinks.Key
	fill  []aggregate.Filler            // who takes the item at keys[i], nil if absent
	then  []func(context.Context) error // what the fills found to be done at the table; each touches its own state only
	items []sinks.Item                  // at keys; the room serves the next load
}

// loadConcurrency is how many batch reads of one partition are in flight at once.
const loadConcurrency = 4

func (l *loader) Ask(key sinks.Key, to aggregate.Filler) {
	l.keys = append(l.keys, key)
	l.fill = append(l.fill, to)
}

func (l *loader) AskAll(what string, q sinks.Query, each func(sinks.Item) error) {
	l.then = append(l.then, func(ctx context.Context) error {
		for it, err := range l.send.items(ctx, l.pulse, what, q) {
			if err == nil {
				err = each(it)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// load reads what was asked for, up to sinks.MaxBatchGet items a request, and hands each item to who asked. The
// loader is then ready for the next chunk.
func (l *loader) load(ctx context.Context) error {
	if len(l.keys) == 0 {
		return nil
	}
	defer l.reset()
	if err := l.readItems(ctx); err != nil {
		return err
	}
	l.read()
	for i, fill := range l.fill {
		if err := l.filled(ctx, l.keys[i], l.items[i], fill); err != nil {
			return fmt.Errorf("state %s / %s: %w", l.keys[i].PK, l.keys[i].SK, err)
		}
	}
	if len(l.then) == 0 {
		return nil
	}
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(loadConcurrency)
	for _, then := range l.then {
		g.Go(func() error { return then(gctx) })
	}
	return g.Wait()
}

// readItems reads the items at keys. Most loads need one request, which needs no goroutine.
func (l *loader) readItems(ctx context.Context) error {
	l.items = append(l.items[:0], make([]sinks.Item, len(l.keys))...)
	if len(l.keys) <= sinks.MaxBatchGet {
		return l.readBatch(ctx, 0, len(l.keys))
	}
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(loadConcurrency)
	for from := 0; from < len(l.keys); from += sinks.MaxBatchGet {
		g.Go(func() error { return l.readBatch(gctx, from, min(from+sinks.MaxBatchGet, len(l.keys))) })
	}
	return g.Wait()
}

// readBatch reads the items at keys[from:to].
func (l *loader) readBatch(ctx context.Context, from, to int) error {
	found, err := l.send.batchGet(ctx, l.pulse, l.keys[from:to])
	for i := from; i < to; i++ {
		l.items[i] = found[l.keys[i]]
	}
	return err
}

// reset forgets what was asked for, and keeps the room.
func (l *loader) reset() {
	clear(l.fill) // They hold states.
	clear(l.then)
	clear(l.items)
	l.keys, l.fill, l.then = l.keys[:0], l.fill[:0], l.then[:0]
}
