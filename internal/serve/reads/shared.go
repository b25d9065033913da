package reads

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
)

// A Sharing has identical questions that are asked at the same time answered by one read. The read continues as long as a caller waits
// for it: a caller that is cancelled leaves, and the last one that leaves cancels the read.
//
// golang.org/x/sync/singleflight shares results, too, but gives the read no context of its own that ends with the last caller.
type Sharing struct {
	mu      sync.Mutex // covers flights and their waiting
	flights map[string]*flight
}

// A flight is a read under way.
type flight struct {
	waiting int
	cancel  context.CancelCauseFunc
	done    chan struct{}
	result  any // and err: set before done is closed
	err     error
}

// ErrUnwanted is why a read without callers was cancelled.
var ErrUnwanted = errors.New("no caller waits for the answer any more")

// Do returns what read returns, for this or an earlier call with the same key that is still under way. The context of read has the
// values of the first caller's.
func (s *Sharing) Do(ctx context.Context, key string, read func(context.Context) (any, error)) (any, error) {
	s.mu.Lock()
	f := s.flights[key]
	if f == nil {
		own, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
		f = &flight{cancel: cancel, done: make(chan struct{})}
		if s.flights == nil {
			s.flights = make(map[string]*flight)
		}
		s.flights[key] = f
		go s.run(own, key, f, read)
	}
	f.waiting++
	s.mu.Unlock()
	select {
	case <-f.done:
		return f.result, f.err
	case <-ctx.Done():
		s.leave(key, f)
		return nil, context.Cause(ctx)
	}
}

func (s *Sharing) run(ctx context.Context, key string, f *flight, read func(context.Context) (any, error)) {
	f.result, f.err = recovered(ctx, read)
	s.mu.Lock()
	if s.flights[key] == f {
		delete(s.flights, key)
	}
	s.mu.Unlock()
	f.cancel(nil)
	close(f.done)
}

// recovered is read, whose panic is an error: no request of one caller may end the process for all.
func recovered(ctx context.Context, read func(context.Context) (any, error)) (result any, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("panic: %v\n%s", fault, debug.Stack())
		}
	}()
	return read(ctx)
}

// leave gives up waiting. A read without a caller is cancelled, and no later caller joins it.
func (s *Sharing) leave(key string, f *flight) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f.waiting--; f.waiting > 0 {
		return
	}
	if s.flights[key] == f {
		delete(s.flights, key)
	}
	f.cancel(ErrUnwanted)
}
