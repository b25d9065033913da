package retry_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/retry"
)

// request fails a number of times and counts its tries.
type request struct {
	failures int
	with     error
	tries    int
}

func (r *request) try() error {
	if r.tries++; r.tries <= r.failures {
		return r.with
	}
	return nil
}

const forever = 1 << 30

func TestRequestIsRepeatedUntilAnswered(t *testing.T) {
	for _, with := range []error{sinks.ErrThrottled, sinks.ErrUnknownOutcome} {
		synctest.Test(t, func(t *testing.T) {
			failed := 0
			p := retry.Policy{Failed: func(err error) {
				if failed++; !errors.Is(err, with) {
					t.Errorf("Failed(%v), want %v", err, with)
				}
			}}
			r := &request{failures: 5, with: with}
			start := time.Now()
			if err := p.Do(t.Context(), r.try); err != nil || r.tries != 6 || failed != 5 {
				t.Errorf("Do = %v after %d tries and %d reported failures of a request that fails 5 times with %v", err, r.tries, failed, with)
			}
			if waited, most := time.Since(start), (25+50+100+200+400)*time.Millisecond; waited > most {
				t.Errorf("paused for %v, want at most %v", waited, most)
			}
		})
	}
}

func TestPausesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var last time.Time
		longest := time.Duration(0)
		p := retry.Policy{First: time.Millisecond, Most: 40 * time.Millisecond, Before: func(context.Context) error {
			if !last.IsZero() {
				longest = max(longest, time.Since(last))
			}
			last = time.Now()
			return nil
		}}
		r := &request{failures: 200, with: sinks.ErrThrottled}
		if err := p.Do(t.Context(), r.try); err != nil || longest > 40*time.Millisecond || longest < 20*time.Millisecond {
			t.Errorf("Do = %v, the longest of 200 pauses was %v, want one in (20ms, 40ms]", err, longest)
		}
	})
}

func TestRequestThatCannotSucceedIsNotRepeated(t *testing.T) {
	r := &request{failures: forever, with: sinks.ErrDenied}
	if err := new(retry.Policy).Do(t.Context(), r.try); !errors.Is(err, sinks.ErrDenied) || r.tries != 1 {
		t.Errorf("Do = %v after %d tries, want the refusal at once", err, r.tries)
	}
}

func TestTriesAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &request{failures: forever, with: sinks.ErrThrottled}
		err := (&retry.Policy{Tries: 3}).Do(t.Context(), r.try)
		if !errors.Is(err, sinks.ErrThrottled) || !strings.HasPrefix(err.Error(), "after 3 tries: ") || r.tries != 3 {
			t.Errorf("Do = %v after %d tries, want the third failure", err, r.tries)
		}
	})
}

func TestPatienceEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start, r := time.Now(), &request{failures: forever, with: sinks.ErrUnknownOutcome}
		if err := (&retry.Policy{Within: time.Minute}).Do(t.Context(), r.try); !errors.Is(err, sinks.ErrUnknownOutcome) {
			t.Errorf("Do = %v, want the last failure", err)
		}
		if waited := time.Since(start); waited < time.Minute || waited > time.Minute+retry.DefaultMost {
			t.Errorf("gave up after %v, want a minute and at most one pause more", waited)
		}
	})
}

func TestCancellationHasItsCauseAndTheLastFailure(t *testing.T) {
	over := errors.New("over")
	for _, test := range []struct {
		name string
		do   func(ctx context.Context, stop func()) error
	}{
		{"during a pause", func(ctx context.Context, stop func()) error {
			p := retry.Policy{First: time.Hour, Most: time.Hour, Failed: func(error) { time.AfterFunc(time.Nanosecond, stop) }}
			return p.Do(ctx, func() error { return sinks.ErrThrottled })
		}},
		{"during a request", func(ctx context.Context, stop func()) error {
			return new(retry.Policy).Do(ctx, func() error { stop(); return sinks.ErrThrottled })
		}},
		{"before a try", func(ctx context.Context, stop func()) error {
			tries := 0
			p := retry.Policy{Before: func(ctx context.Context) error {
				if tries++; tries == 3 {
					stop()
				}
				return context.Cause(ctx)
			}}
			return p.Do(ctx, func() error { return sinks.ErrThrottled })
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				if err := test.do(ctx, func() { cancel(over) }); !errors.Is(err, over) || !errors.Is(err, sinks.ErrThrottled) {
					t.Errorf("Do = %v, want the cause of the cancellation and the last failure", err)
				}
			})
		})
	}
}

func TestBeforeEndsTheRequest(t *testing.T) {
	fenced := errors.New("fenced")
	p := retry.Policy{Before: func(context.Context) error { return fenced }}
	r := &request{}
	if err := p.Do(t.Context(), r.try); !errors.Is(err, fenced) || r.tries != 0 {
		t.Errorf("Do = %v after %d tries, want the error of Before and no try", err, r.tries)
	}
}

// TestDoAllocatesNothing holds a request that is answered at once: a flush makes thousands of them.
func TestDoAllocatesNothing(t *testing.T) {
	p := &retry.Policy{Before: func(context.Context) error { return nil }}
	ctx, answer := t.Context(), 0
	if n := testing.AllocsPerRun(100, func() {
		if err := p.Do(ctx, func() error { answer++; return nil }); err != nil {
			t.Error(err)
		}
	}); n > 0 {
		t.Errorf("Do allocates %v times a request", n)
	}
}
