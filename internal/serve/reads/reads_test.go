package reads

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// Callers within a while share one read; failures and what is not worth it are not remembered, and old results are forgotten.
func TestRecentResultsAreShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, reads := Recent[int]{Keep: 6 * time.Second}, 0
		ask := func(name string, fails error) (int, error) {
			return r.Get(t.Context(), name, func(context.Context) (int, error) {
				reads++
				return reads, fails
			}, func(int) bool { return name != "made up" })
		}
		expect := func(name string, fails error, want, wantReads int) {
			t.Helper()
			if got, err := ask(name, fails); !errors.Is(err, fails) || fails == nil && got != want || reads != wantReads {
				t.Errorf("%s: %d, %v after %d reads; want %d after %d", name, got, err, reads, want, wantReads)
			}
		}
		failure := errors.New("throttled")
		expect("shop", failure, 0, 1)
		expect("shop", nil, 2, 2)
		expect("shop", nil, 2, 2)
		expect("blog", nil, 3, 3)
		expect("made up", nil, 4, 4)
		expect("made up", nil, 5, 5)
		<-time.After(5 * time.Second)
		r.Put("shop", 40)
		<-time.After(time.Second)
		expect("blog", nil, 6, 6)
		expect("shop", nil, 40, 6)
		<-time.After(5 * time.Second)
		expect("shop", nil, 7, 7)
		if len(r.kept) != 2 {
			t.Errorf("%d results are kept, want those of two sites", len(r.kept))
		}
	})
}

// One poll serves all listeners of a topic, who get every result; a slow one is dropped, and polls end with the last listener.
func TestListenersShareAPoll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var shop, blog atomic.Int64
		polls := map[string]*atomic.Int64{"shop": &shop, "blog": &blog}
		h := &Hub[int]{Every: time.Second, Most: 4, Poll: func(_ context.Context, topic string) (int, error) {
			return int(polls[topic].Add(1)), nil
		}}
		a, leaveA, _ := h.Listen("shop", "")
		b, leaveB, _ := h.Listen("shop", "")
		slow, leaveSlow, _ := h.Listen("shop", "")
		other, leaveOther, _ := h.Listen("blog", "")
		if _, _, err := h.Listen("shop", ""); !errors.Is(err, errTooManyListeners) {
			t.Errorf("a fifth listener: %v", err)
		}
		for want := range 5 {
			for _, l := range []*Listener[int]{a, b, other} {
				if got, err := l.Next(t.Context()); got != want+1 || err != nil {
					t.Errorf("news %d, %v; want %d", got, err, want+1)
				}
			}
		}
		<-slow.news
		if _, err := slow.Next(t.Context()); !errors.Is(err, errSlowListener) {
			t.Errorf("the slow listener: %v", err)
		}
		if shop.Load() != 5 || blog.Load() != 5 {
			t.Errorf("%d and %d polls, want 5 of each", shop.Load(), blog.Load())
		}
		leaveSlow()
		leaveOther()
		late, leaveLate, err := h.Listen("shop", "")
		if got, _ := late.Next(t.Context()); err != nil || got != 5 {
			t.Errorf("a late listener gets %d, %v; want the last news", got, err)
		}
		leaveA()
		leaveB()
		leaveLate()
		time.Sleep(time.Minute)
		if synctest.Wait(); shop.Load() != 5 || h.listening != 0 || len(h.topics) != 0 {
			t.Errorf("%d polls, %d listeners, %d topics after all have left", shop.Load(), h.listening, len(h.topics))
		}
	})
}

// A read is cancelled with its last caller. A later question starts another read.
func TestReadEndsWithItsLastCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s Sharing
		var ended error
		read := func(ctx context.Context) (any, error) {
			<-ctx.Done()
			ended = context.Cause(ctx)
			return nil, ended
		}
		ctx, cancel := context.WithCancel(t.Context())
		for range 3 {
			go s.Do(ctx, "question", read)
		}
		synctest.Wait()
		if ended != nil {
			t.Fatalf("the read has ended: %v", ended)
		}
		cancel()
		synctest.Wait()
		if !errors.Is(ended, ErrUnwanted) || len(s.flights) > 0 {
			t.Errorf("the read has ended with %v, and %d are under way; want it cancelled", ended, len(s.flights))
		}
		again, err := s.Do(t.Context(), "question", func(context.Context) (any, error) { return 7, nil })
		if again != 7 || err != nil {
			t.Errorf("asked again: %v, %v", again, err)
		}
	})
}

// A poll that fails ends the listeners with its error, and the next listener polls again.
func TestFailedPollEndsListeners(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lost := errors.New("lost")
		failing := true
		h := &Hub[int]{Every: time.Second, Most: 2, Poll: func(context.Context, string) (int, error) {
			if failing {
				return 0, lost
			}
			return 1, nil
		}}
		l, leave, _ := h.Listen("shop", "")
		if _, err := l.Next(t.Context()); !errors.Is(err, lost) {
			t.Errorf("%v, want the error of the poll", err)
		}
		leave()
		failing = false
		again, leave, _ := h.Listen("shop", "")
		if got, err := again.Next(t.Context()); got != 1 || err != nil {
			t.Errorf("listening again: %d, %v", got, err)
		}
		leave()
		synctest.Wait()
	})
}
