package reads

import (
	"context"
	"sync"
	"time"
)

// Recent remembers results for a short while by name, such as a site: callers within that while share one read of the table, whichever
// credentials they have. Safe for concurrent use.
type Recent[T any] struct {
	Keep    time.Duration
	sharing Sharing

	mu   sync.Mutex // covers kept
	kept map[string]remembered[T]
}

type remembered[T any] struct {
	result T
	at     time.Time
}

// Get returns the result that is remembered, or what read returns. keep says whether that is worth remembering: what can be made up by
// callers without end is not.
func (r *Recent[T]) Get(ctx context.Context, name string, read func(context.Context) (T, error), keep func(T) bool) (none T, err error) {
	if found, ok := r.find(name); ok {
		return found, nil
	}
	got, err := r.sharing.Do(ctx, name, func(ctx context.Context) (any, error) {
		result, err := read(ctx)
		if err == nil && keep(result) {
			r.Put(name, result)
		}
		return result, err
	})
	if err != nil {
		return none, err
	}
	return got.(T), nil
}

func (r *Recent[T]) find(name string) (found T, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	known, ok := r.kept[name]
	return known.result, ok && time.Since(known.at) < r.Keep
}

// Put remembers a result, and forgets those that are too old.
func (r *Recent[T]) Put(name string, result T) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.kept == nil {
		r.kept = make(map[string]remembered[T])
	}
	now := time.Now()
	for other, known := range r.kept {
		if now.Sub(known.at) >= r.Keep {
			delete(r.kept, other)
		}
	}
	r.kept[name] = remembered[T]{result, now}
}
