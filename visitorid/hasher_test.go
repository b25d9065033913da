package visitorid

import (
	"errors"
	"runtime"
	"sync"
	"testing"
	"time"
)

// bothHashers runs a test on a Hasher that keeps its salts in memory and on one with a directory.
func bothHashers(t *testing.T, now time.Time, test func(t *testing.T, h *Hasher)) {
	t.Run("in memory", func(t *testing.T) { test(t, new(Hasher)) })
	t.Run("in a directory", func(t *testing.T) { test(t, open(t, t.TempDir(), now)) })
}

func open(t *testing.T, dir string, now time.Time) *Hasher {
	t.Helper()
	h, err := Open(dir, now)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func (h *Hasher) mustID(t *testing.T, v Visitor, at, now time.Time) string {
	t.Helper()
	id, err := h.ID(v, at, now)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func TestSaltIsForgottenAfterTwoDays(t *testing.T) {
	day := at(t, "2026-05-12T00:00:00Z")
	bothHashers(t, day, func(t *testing.T, h *Hasher) {
		noon := day.Add(12 * time.Hour)
		id := h.mustID(t, visitor, noon, noon)
		kept := h.salts[dayOf(noon)]
		for _, now := range []time.Time{noon.Add(-MaxAhead), day.Add(24 * time.Hour), day.Add(Kept - 1)} {
			if again := h.mustID(t, visitor, noon, now); again != id {
				t.Errorf("at %v the id is %s, was %s", now, again, id)
			}
		}
		h.mustID(t, visitor, day.Add(Kept-1), day.Add(Kept-1))
		if got, err := h.ID(visitor, noon, day.Add(Kept)); !errors.Is(err, ErrForgotten) || got != "" {
			t.Errorf("after %v the id is %q, %v, want ErrForgotten", Kept, got, err)
		}
		h.mustID(t, visitor, day.Add(Kept-1), day.Add(Kept)) // A late event of any visitor, whose salt there is.
		if _, ok := h.salts[dayOf(noon)]; ok || *kept != (salt{}) {
			t.Errorf("the salt is still in memory")
		}
		if again := h.mustID(t, visitor, noon, day.Add(Kept-1)); again == id {
			t.Errorf("a clock that went back has brought the forgotten id %s back", id)
		}
	})
}

func TestForgetNeedsNoEvents(t *testing.T) {
	day := at(t, "2026-05-12T00:00:00Z")
	bothHashers(t, day, func(t *testing.T, h *Hasher) {
		h.mustID(t, visitor, day, day)
		if err := h.Forget(day.Add(Kept - 1)); err != nil || len(h.salts) != 1 {
			t.Errorf("Forget = %v and leaves %d salts before their time is over, want nil and 1", err, len(h.salts))
		}
		if err := h.Forget(day.Add(Kept)); err != nil || len(h.salts) != 0 {
			t.Errorf("Forget = %v and leaves %d salts, want nil and 0", err, len(h.salts))
		}
	})
}

func TestVisitGoesOnOverMidnight(t *testing.T) {
	const gap = 30 * time.Minute
	bothHashers(t, at(t, "2026-05-12T00:00:00Z"), func(t *testing.T, h *Hasher) {
		// now counts the visitor, before finds the visit that began half an hour ago or later.
		ids := func(now string) (own, before string) {
			x := at(t, now)
			return h.mustID(t, visitor, x, x), h.mustID(t, visitor, x.Add(-gap), x)
		}
		evening, _ := ids("2026-05-12T23:50:00Z")
		night, before := ids("2026-05-13T00:10:00Z")
		if before != evening || night == evening {
			t.Errorf("ids at night are %s and %s, want a new one and %s", night, before, evening)
		}
		if own, before := ids("2026-05-13T00:30:00Z"); own != night || before != night {
			t.Errorf("ids half an hour after midnight are %s and %s, want twice %s", own, before, night)
		}
	})
}

func TestTimeAheadOfTheClockIsRefused(t *testing.T) {
	now := at(t, "2026-05-12T23:55:00Z")
	bothHashers(t, now, func(t *testing.T, h *Hasher) {
		id := h.mustID(t, visitor, now.Add(MaxAhead), now) // Tomorrow's salt, made today.
		if got, err := h.ID(visitor, now.Add(MaxAhead+1), now); !errors.Is(err, ErrAhead) || got != "" {
			t.Errorf("beyond %v the id is %q, %v, want ErrAhead", MaxAhead, got, err)
		}
		if again := h.mustID(t, visitor, now.Add(MaxAhead), now.Add(MaxAhead)); again != id {
			t.Errorf("once its day has come the id is %s, was %s", again, id)
		}
	})
}

func TestSaltsAreRandom(t *testing.T) {
	now := at(t, "2026-05-12T14:00:00Z")
	if a, b := new(Hasher).mustID(t, visitor, now, now), new(Hasher).mustID(t, visitor, now, now); a == b {
		t.Errorf("two Hashers have the same id %s", a)
	}
}

// Goroutines that meet a new day at the same time, some of them with the clock of the day before, agree on its ids.
func TestHasherIsSafeForConcurrentUse(t *testing.T) {
	midnight := at(t, "2026-05-13T00:00:00Z")
	bothHashers(t, midnight, func(t *testing.T, h *Hasher) {
		const goroutines, rounds = 8, 50
		before, after := make([][]string, goroutines), make([][]string, goroutines)
		var wg sync.WaitGroup
		for g := range goroutines {
			wg.Go(func() {
				for i := range rounds {
					now := midnight.Add(time.Duration((g+i)%3-1) * time.Minute)
					for at, ids := range map[time.Time]*[]string{midnight.Add(-time.Second): &before[g], midnight: &after[g]} {
						id, err := h.ID(visitor, at, now)
						if err != nil {
							t.Error(err)
							return
						}
						*ids = append(*ids, id)
					}
				}
			})
		}
		wg.Wait()
		distinct := make(map[string]int)
		for _, lists := range [][][]string{before, after} {
			for _, ids := range lists {
				for _, id := range ids {
					distinct[id]++
				}
			}
		}
		if len(distinct) != 2 {
			t.Errorf("a visitor of two days has %d ids, want 2: %v", len(distinct), distinct)
		}
	})
}

// crowded is a Store. While it forgets the salts of a day that has ended, visitors come.
type crowded struct {
	come   func()
	forgot int
}

func (c *crowded) Keep(_ time.Time, salt []byte) ([]byte, error) { return salt, nil }

func (c *crowded) Forget(func(time.Time) bool) error {
	c.forgot++
	c.come()
	return nil
}

// TestStoreIsAskedOnceADay: those who wait for a day's salt do not ask the store again, one after the other.
func TestStoreIsAskedOnceADay(t *testing.T) {
	now := at(t, "2026-05-12T00:00:00Z")
	s := &crowded{come: func() {}}
	h, err := OpenStore(s, now.Add(-time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	var all, begun sync.WaitGroup
	s.come = sync.OnceFunc(func() {
		for range 100 {
			begun.Add(1)
			all.Go(func() {
				begun.Done()
				if _, err := h.ID(visitor, now, now); err != nil {
					t.Error(err)
				}
			})
		}
		begun.Wait()
		runtime.Gosched()
	})
	h.mustID(t, visitor, now, now)
	all.Wait()
	if s.forgot != 2 { // The first by OpenStore.
		t.Errorf("the store was asked %d times to forget, want 2", s.forgot)
	}
}
