package reads

import (
	"context"
	"errors"
	"sync"
	"time"
)

// A Hub polls the table once for all listeners of a topic, such as a site, and sends each the result.
type Hub[T any] struct {
	Every    time.Duration // between two polls of a topic
	Most     int           // listeners, of all topics together
	MostEach int           // of these, of one holder
	Poll     func(ctx context.Context, topic string) (T, error)

	mu        sync.Mutex // covers all below
	listening int
	held      map[string]int // listeners of each holder that has any
	topics    map[string]*topic[T]
}

type topic[T any] struct {
	listeners map[*Listener[T]]bool
	last      *T // nil: nothing was polled yet
	stop      context.CancelFunc
}

// A Listener gets what is polled. News is closed when the listener is dropped: because a poll has failed, which err says, or because it has
// not taken the last news when the next came.
type Listener[T any] struct {
	news chan T
	err  error // set before news is closed
}

var (
	errTooManyListeners = errors.New("too many streams are open")
	// ErrTooManyHeld reports that a credential has too many streams.
	ErrTooManyHeld  = errors.New("too many streams are open with one credential")
	errSlowListener = errors.New("the listener does not keep up")
)

// Listen begins to listen to a topic. The caller calls leave when it has ended. holder is who listens; "": only the bound of all holds.
func (h *Hub[T]) Listen(name, holder string) (l *Listener[T], leave func(), err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case holder != "" && h.held[holder] >= h.MostEach:
		return nil, nil, ErrTooManyHeld
	case h.listening >= h.Most:
		return nil, nil, errTooManyListeners
	}
	h.listening++
	if h.held == nil {
		h.held = make(map[string]int)
	}
	h.held[holder]++
	t := h.topics[name]
	if t == nil {
		if h.topics == nil {
			h.topics = make(map[string]*topic[T])
		}
		ctx, stop := context.WithCancel(context.Background())
		t = &topic[T]{listeners: make(map[*Listener[T]]bool), stop: stop}
		h.topics[name] = t
		go h.run(ctx, name, t)
	}
	l = &Listener[T]{news: make(chan T, 1)}
	t.listeners[l] = true
	if t.last != nil {
		l.news <- *t.last
	}
	return l, func() { h.leave(name, holder, t, l) }, nil
}

// leave ends listening. The last listener of a topic ends its polls.
func (h *Hub[T]) leave(name, holder string, t *topic[T], l *Listener[T]) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.listening--
	if h.held[holder]--; h.held[holder] == 0 {
		delete(h.held, holder)
	}
	delete(t.listeners, l)
	if len(t.listeners) == 0 {
		t.stop()
		if h.topics[name] == t {
			delete(h.topics, name)
		}
	}
}

// run polls a topic until it has no listeners, or a poll fails.
func (h *Hub[T]) run(ctx context.Context, name string, t *topic[T]) {
	tick := time.NewTicker(h.Every)
	defer tick.Stop()
	for {
		found, err := h.Poll(ctx, name)
		if !h.publish(name, t, found, err) {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// publish gives a topic's listeners what was found. It reports whether there is any listener left.
func (h *Hub[T]) publish(name string, t *topic[T], found T, err error) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err == nil {
		t.last = &found
	} else if h.topics[name] == t {
		delete(h.topics, name) // The next listener starts a new poll.
	}
	for l := range t.listeners {
		why := err
		if why == nil {
			select {
			case l.news <- found:
				continue
			default:
				why = errSlowListener
			}
		}
		l.err = why
		close(l.news)
		delete(t.listeners, l)
	}
	if len(t.listeners) == 0 && h.topics[name] == t {
		delete(h.topics, name)
	}
	return len(t.listeners) > 0
}

// Next waits for news.
func (l *Listener[T]) Next(ctx context.Context) (news T, err error) {
	select {
	case news, ok := <-l.news:
		if !ok {
			return news, l.err
		}
		return news, nil
	case <-ctx.Done():
		return news, context.Cause(ctx)
	}
}
