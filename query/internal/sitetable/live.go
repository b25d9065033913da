package sitetable

import (
	"context"
	"sync"
	"time"

	"github.com/footfall/footfall/internal/kept"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/tableid"
)

// liveFor is how long a reader takes a generation for the live one without reading the table's settings again.
const liveFor = 5 * time.Second

// Live finds the store of the live generation. Safe for concurrent use.
type Live struct {
	table sinks.Table
	now   func() time.Time

	mu    sync.Mutex // covers the rest
	store *Store
	until time.Time // by the process's clock; zero and a store: for ever
}

// NewLive makes a Live of a table, with the current time as in [New].
func NewLive(table sinks.Table, now func() time.Time) *Live { return &Live{table: table, now: now} }

// Pinned makes a Live that always finds one store.
func Pinned(s *Store) *Live { return &Live{store: s} }

// oneKey is the key of a context's stores by Live: a *sync.Map.
type oneKey struct{}

// OfOneGeneration returns a context for which each Live always finds the store that it found first, whose answers are all under the
// settings of a site that the first has read.
func OfOneGeneration(ctx context.Context) context.Context {
	return context.WithValue(ctx, oneKey{}, new(sync.Map))
}

// Store returns the store of the generation that is live, or was within the last five seconds. An answer uses one.
func (l *Live) Store(ctx context.Context) (*Store, error) {
	one, ok := ctx.Value(oneKey{}).(*sync.Map)
	if !ok {
		return l.current(ctx)
	}
	if first, ok := one.Load(l); ok {
		return first.(*Store), nil
	}
	store, err := l.current(ctx)
	if err != nil {
		return nil, err
	}
	first, _ := one.LoadOrStore(l, store.ofPage())
	return first.(*Store), nil
}

// current returns the store of the generation that is live, or was within the last five seconds.
func (l *Live) current(ctx context.Context) (*Store, error) {
	l.mu.Lock()
	store, until := l.store, l.until
	l.mu.Unlock()
	if store != nil && (until.IsZero() || time.Now().Before(until)) {
		return store, nil
	}
	_, has, err := sinks.CheckFormat(ctx, patience.Reads(l.table))
	if err == nil && (store == nil || has.Restoring) {
		err = tableid.Check(ctx, l.table, has) // Of a copy every answer would be wrong.
	}
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.store == nil || l.store.Keys != has.Keys() {
		l.store = l.open(has)
	}
	l.until = time.Now().Add(liveFor)
	return l.store, nil
}

// open makes the store of the live generation, with the earlier dates that others keep for it.
func (l *Live) open(has sinks.Generations) *Store {
	s := New(kept.Join(l.table, has, has.Live), has.Keys(), l.now)
	s.has = has
	if before, ok := has.KeptBefore(has.Live); ok {
		s.Since = before.Date
	}
	return s
}

// OnLive answers a question from the generation that is live.
func OnLive[P, A any](ctx context.Context, l *Live, p P, answer func(context.Context, *Store, P) (A, error)) (a A, err error) {
	store, err := l.Store(ctx)
	if err != nil {
		return a, err
	}
	return answer(ctx, store, p)
}
