package produce

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

func TestPaceIsKept(t *testing.T) {
	for _, rate := range []float64{0.5, 3, 1000, 25_000} {
		synctest.Test(t, func(t *testing.T) {
			p := newPacer(rate, nil)
			began := time.Now()
			n := int(rate*10) + 1 // The first is due at once.
			for range n {
				if err := p.wait(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			if took := time.Since(began); (took - 10*time.Second).Abs() > 10*time.Millisecond {
				t.Errorf("%d at %v a second took %v, want 10s", n, rate, took)
			}
		})
	}
}

func TestPaceMakesUpForASecondAtMost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPacer(10, nil)
		p.wait(t.Context())
		time.Sleep(time.Hour)
		began := time.Now()
		for range 21 {
			p.wait(t.Context())
		}
		if took := time.Since(began); took != time.Second {
			t.Errorf("21 records after a pause took %v, want 11 at once and 10 in 1s", took)
		}
	})
}

func TestPaceEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		p := newPacer(0.001, nil)
		p.wait(ctx)
		if err := p.wait(ctx); err != context.DeadlineExceeded || p.every != 1000*time.Second {
			t.Errorf("wait = %v, want %v", err, context.DeadlineExceeded)
		}
		if err := (*pacer)(nil).wait(ctx); err != context.DeadlineExceeded {
			t.Errorf("wait without a rate = %v, want %v", err, context.DeadlineExceeded)
		}
	})
}
