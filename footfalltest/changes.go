package footfalltest

import (
	"context"
	"sync"

	"github.com/footfall/footfall/sinks"
)

// changes wakes goroutines that wait for a change of a checkpoint.
type changes struct {
	mu   sync.Mutex // covers wait
	wait chan struct{}
}

func newChanges() *changes { return &changes{wait: make(chan struct{})} }

// next is closed at the first change from now on.
func (c *changes) next() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.wait
}

func (c *changes) wake() {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(c.wait)
	c.wait = make(chan struct{})
}

// watchedTable reports changes of checkpoints, which are all updates.
type watchedTable struct {
	sinks.Table
	changes *changes
}

// Update implements [sinks.Table].
func (w watchedTable) Update(ctx context.Context, u sinks.Update) (sinks.Result, error) {
	r, err := w.Table.Update(ctx, u)
	if sinks.EntityOf(u.Key) == sinks.EntityCheckpoint {
		w.changes.wake()
	}
	return r, err
}
