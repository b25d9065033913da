package access

import (
	"math"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// maxHolders is how many holders of credentials a Limiter remembers, some 150 bytes each.
const maxHolders = 10_000

// A Limiter bounds the requests of each holder of a credential: a number a minute, a quarter of it at once. Safe for concurrent
// use. A nil Limiter bounds nothing.
type Limiter struct {
	perMinute int

	mu      sync.Mutex // covers holders
	holders map[string]*rate.Limiter
}

// NewLimiter makes a limiter; perMinute 0: nil.
func NewLimiter(perMinute int) *Limiter {
	if perMinute == 0 {
		return nil
	}
	return &Limiter{perMinute: perMinute, holders: make(map[string]*rate.Limiter)}
}

// Take counts a request. wait is how long to wait before another one is worth trying; 0: the request is within the limit.
func (l *Limiter) Take(holder string, now time.Time) (wait time.Duration) {
	if l == nil {
		return 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	bucket, ok := l.holders[holder]
	if !ok {
		l.makeRoom(now)
		bucket = rate.NewLimiter(rate.Limit(float64(l.perMinute)/60), max(1, l.perMinute/4))
		l.holders[holder] = bucket
	}
	r := bucket.ReserveN(now, 1)
	if wait = r.DelayFrom(now); wait > 0 {
		r.CancelAt(now)
	}
	return wait
}

// makeRoom forgets holders whose bucket is full, who lose nothing by that, or else any.
func (l *Limiter) makeRoom(now time.Time) {
	if len(l.holders) < maxHolders {
		return
	}
	for holder, bucket := range l.holders {
		if bucket.TokensAt(now) >= float64(bucket.Burst()) {
			delete(l.holders, holder)
		}
	}
	for holder := range l.holders {
		if len(l.holders) < maxHolders {
			return
		}
		delete(l.holders, holder)
	}
}

// Seconds spells a wait as the header Retry-After does.
func Seconds(wait time.Duration) int { return max(1, int(math.Ceil(wait.Seconds()))) }
