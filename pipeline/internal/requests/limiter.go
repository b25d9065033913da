package requests

import (
	"context"
	"sync"
)

// limiter bounds the requests that a process has in flight at the table, and adapts the bound to what the table
// takes: a throttle that concerns the table or the account halves it, and it grows by one for every round of
// answers without one (additive increase, multiplicative decrease; Chiu and Jain 1989). A throttle of one hot key
// leaves it alone: only that key's writer waits.
type limiter struct {
	mu      sync.Mutex // covers all below
	max     int        // never more in flight
	limit   int        // now
	used    int
	good    int // answers since the limit last changed
	waiting []chan struct{}
}

// acquire waits for a place, first come, first served.
func (l *limiter) acquire(ctx context.Context) error {
	l.mu.Lock()
	if l.used < l.limit && len(l.waiting) == 0 {
		l.used++
		l.mu.Unlock()
		return nil
	}
	place := make(chan struct{})
	l.waiting = append(l.waiting, place)
	l.mu.Unlock()
	select {
	case <-place:
		return nil
	case <-ctx.Done():
		l.mu.Lock()
		defer l.mu.Unlock()
		select {
		case <-place: // Given at the same moment: give it back.
			l.used--
			l.hand()
		default:
			for i, w := range l.waiting {
				if w == place {
					l.waiting = append(l.waiting[:i], l.waiting[i+1:]...)
					break
				}
			}
		}
		return context.Cause(ctx)
	}
}

// release gives the place back; throttled says that the table as a whole was at its limit.
func (l *limiter) release(throttled bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.used--
	if throttled {
		if l.good > 0 || l.limit == l.max { // One halving per round: requests sent together are refused together.
			l.limit = max(1, l.limit/2)
			l.good = 0
		}
	} else if l.good++; l.good >= l.limit && l.limit < l.max {
		l.limit++
		l.good = 0
	}
	l.hand()
}

func (l *limiter) hand() {
	for l.used < l.limit && len(l.waiting) > 0 {
		l.used++
		close(l.waiting[0])
		l.waiting = l.waiting[1:]
	}
}
