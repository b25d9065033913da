package loading

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/footfall/footfall/pipeline/aggregate"
	"github.com/footfall/footfall/pipeline/internal/requests"
	"github.com/footfall/footfall/sinks"
)

// Loader gathers the states that a chunk of records touches for the first time, and reads them together.
type Loader struct {
	send  *requests.Sender
	pulse *requests.Pulse
	read  func() // called once the items are there, before they are handed over
	keys  []sinks.Key
	fill  []aggregate.Filler            // who takes the item at keys[i], nil if absent
	then  []func(context.Context) error // what the fills found to be done at the table; each touches its own state only
	items []sinks.Item                  // at keys; the room serves the next load
}

// New makes a loader whose requests are the pulse p. read is called once items are there, before they are handed over.
func New(send *requests.Sender, p *requests.Pulse, read func()) *Loader {
	return &Loader{send: send, pulse: p, read: read}
}

// Concurrency is how many batch reads of one partition are in flight at once.
const Concurrency = 4

// Ask has the item at a key read and handed over.
func (l *Loader) Ask(key sinks.Key, to aggregate.Filler) {
	l.keys = append(l.keys, key)
	l.fill = append(l.fill, to)
}

// AskAll has what a query selects read, after the items. What it is for is named by what, for errors.
func (l *Loader) AskAll(what string, q sinks.Query, each func(sinks.Item) error) {
	l.then = append(l.then, func(ctx context.Context) error {
		for it, err := range l.send.Items(ctx, l.pulse, what, q) {
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

// Load reads what was asked for, up to sinks.MaxBatchGet items a request, and hands each item to who asked. The
// loader is then ready for the next chunk.
func (l *Loader) Load(ctx context.Context) error {
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
	g.SetLimit(Concurrency)
	for _, then := range l.then {
		g.Go(func() error { return then(gctx) })
	}
	return g.Wait()
}

// readItems reads the items at keys. Most loads need one request, which needs no goroutine.
func (l *Loader) readItems(ctx context.Context) error {
	l.items = append(l.items[:0], make([]sinks.Item, len(l.keys))...)
	if len(l.keys) <= sinks.MaxBatchGet {
		return l.readBatch(ctx, 0, len(l.keys))
	}
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(Concurrency)
	for from := 0; from < len(l.keys); from += sinks.MaxBatchGet {
		g.Go(func() error { return l.readBatch(gctx, from, min(from+sinks.MaxBatchGet, len(l.keys))) })
	}
	return g.Wait()
}

// readBatch reads the items at keys[from:to].
func (l *Loader) readBatch(ctx context.Context, from, to int) error {
	found, err := l.send.BatchGet(ctx, l.pulse, l.keys[from:to])
	for i := from; i < to; i++ {
		l.items[i] = found[l.keys[i]]
	}
	return err
}

// reset forgets what was asked for, and keeps the room.
func (l *Loader) reset() {
	clear(l.fill) // They hold states.
	clear(l.then)
	clear(l.items)
	l.keys, l.fill, l.then = l.keys[:0], l.fill[:0], l.then[:0]
}

// After adds what is to be done at the table once the items are handed over.
func (l *Loader) After(then func(context.Context) error) { l.then = append(l.then, then) }

// Asked reports whether anything was asked for since the last load.
func (l *Loader) Asked() bool { return len(l.keys) > 0 }
