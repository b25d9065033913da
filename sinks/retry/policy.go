// Package retry repeats requests to a table that were throttled, or whose outcome is unknown.
//
// Stores do not retry, and neither does code that only uses a table: one layer does, with a [Policy] that its owner chooses.
// [Policy.Table] and [Policy.Reads] decorate a table with it. Callers that do more for each request, as the pipeline does with
// its limit of requests in flight, run their requests through [Policy.Do].
package retry

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/footfall/footfall/sinks"
)

// Pauses of a Policy that names none. 4 s keep a table that is away from being hammered, and one that is back from waiting long.
const (
	DefaultFirst = 25 * time.Millisecond
	DefaultMost  = 4 * time.Second
)

// Policy says how often a request is repeated, and after which pauses. The zero Policy repeats it until it is answered or its
// context ends. Safe for concurrent use as long as its functions are.
//
// Only errors that [sinks.Retryable] names are repeated. The request is sent unchanged: whether a write whose outcome is unknown
// has happened shows in the answer to the repetition, which the caller judges by the write's own condition.
type Policy struct {
	// Pauses have full jitter over a span that doubles with each (Brooker, "Exponential backoff and jitter", 2015): the first is
	// at most First, and none is longer than Most. 0: DefaultFirst, DefaultMost.
	First, Most time.Duration

	Tries  int           // max. number of tries; 0: unlimited
	Within time.Duration // a failure that comes later than this after the first try began is final; 0: unlimited

	Before func(context.Context) error // called before every try; its error ends the request. Nil: nothing
	Failed func(error)                 // called with each failure that is followed by another try. Nil: nothing
}

// Do calls request until it succeeds, fails for good, or has had its tries. When ctx ends, the error is its cause together with
// the last failure.
func (p *Policy) Do(ctx context.Context, request func() error) error {
	pause, most := p.First, p.Most
	if pause == 0 {
		pause = DefaultFirst
	}
	if most == 0 {
		most = DefaultMost
	}
	var begun time.Time
	if p.Within > 0 {
		begun = time.Now()
	}
	var last error
	for tries := 1; ; tries++ {
		if p.Before != nil {
			if err := p.Before(ctx); err != nil {
				return errors.Join(err, last)
			}
		}
		err := request()
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return errors.Join(context.Cause(ctx), err)
		case !sinks.Retryable(err):
			return err
		case tries == p.Tries, p.Within > 0 && time.Since(begun) > p.Within:
			return fmt.Errorf("after %d tries: %w", tries, err)
		}
		last = err
		if p.Failed != nil {
			p.Failed(err)
		}
		select {
		case <-time.After(rand.N(pause)):
		case <-ctx.Done():
			return errors.Join(context.Cause(ctx), err)
		}
		pause = min(2*pause, most)
	}
}
