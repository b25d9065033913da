package sinks_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/footfall/footfall/sinks"
)

// failing answers reads once it has refused so many of them.
type failing struct {
	sinks.Table
	refusals int
	with     error
	reads    int
}

func (f *failing) Query(context.Context, sinks.Query) (sinks.Page, error) {
	f.reads++
	if f.reads <= f.refusals {
		return sinks.Page{}, f.with
	}
	return sinks.Page{Next: "answered"}, nil
}

func (f *failing) BatchGet(context.Context, sinks.BatchGet) (sinks.BatchResult, error) {
	f.reads++
	if f.reads <= f.refusals {
		return sinks.BatchResult{}, f.with
	}
	return sinks.BatchResult{Units: 1}, nil
}

func TestReadsAreRetriedUntilAnswered(t *testing.T) {
	for _, with := range []error{sinks.ErrThrottled, sinks.ErrUnknownOutcome} {
		synctest.Test(t, func(t *testing.T) {
			f := &failing{refusals: 5, with: with}
			if page, err := sinks.RetryReads(f).Query(t.Context(), sinks.Query{}); err != nil || page.Next != "answered" || f.reads != 6 {
				t.Errorf("Query = %+v, %v after %d reads of a table that fails 5 times with %v", page, err, f.reads, with)
			}
			f.reads = 0
			if r, err := sinks.RetryReads(f).BatchGet(t.Context(), sinks.BatchGet{}); err != nil || r.Units != 1 || f.reads != 6 {
				t.Errorf("BatchGet = %+v, %v after %d reads of a table that fails 5 times with %v", r, err, f.reads, with)
			}
		})
	}
}

func TestReadsThatCannotSucceedAreNotRetried(t *testing.T) {
	f := &failing{refusals: 1, with: sinks.ErrDenied}
	if _, err := sinks.RetryReads(f).Query(t.Context(), sinks.Query{}); !errors.Is(err, sinks.ErrDenied) || f.reads != 1 {
		t.Errorf("Query = %v after %d reads, want the refusal at once", err, f.reads)
	}
}

func TestRetriedReadsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &failing{refusals: 1 << 30, with: sinks.ErrUnknownOutcome}
		start := time.Now()
		if _, err := sinks.RetryReads(f).Query(t.Context(), sinks.Query{}); !errors.Is(err, sinks.ErrUnknownOutcome) {
			t.Errorf("Query = %v, want the last failure", err)
		}
		if waited := time.Since(start); waited < time.Minute || waited > time.Minute+4*time.Second {
			t.Errorf("gave up after %v, want a minute and at most one pause more", waited)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		over := errors.New("over")
		cancel(over)
		if _, err := sinks.RetryReads(f).Query(ctx, sinks.Query{}); !errors.Is(err, over) {
			t.Errorf("Query with a context that has ended = %v, want its cause", err)
		}
	})
}
