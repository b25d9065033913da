package lanes

import (
	"testing"
	"time"

	"github.com/footfall/footfall/pipeline/aggregate"
)

// sizedFold is a fold of so many items.
type sizedFold struct {
	aggregate.Fold
	items int
}

func (f *sizedFold) Size() (items, bytes int) { return f.items, 0 }

// TestCalmLanesWaitUpToTheirLongestInterval has a lane of 20 sites, each with an event every so often, tick every five seconds for an hour:
// no event waits for longer than the longest interval, and a flush waits only while it has fewer than CalmEvents events an item.
func TestCalmLanesWaitUpToTheirLongestInterval(t *testing.T) {
	const sites, interval = 20, 5 * time.Second
	for _, c := range []struct {
		name    string
		every   time.Duration // of an event of each site
		longest time.Duration
		redo    bool
		flushes int
	}{
		{"busy: 20 events an item at each tick", 250 * time.Millisecond, 30 * time.Second, false, 720},
		{"calm: 17 events after three ticks", 900 * time.Millisecond, 30 * time.Second, false, 240},
		{"calmer: the longest interval", 5 * time.Second, 30 * time.Second, false, 120},
		{"the longest interval is no whole number of ticks", 5 * time.Second, 14 * time.Second, false, 360},
		{"no longest interval", 5 * time.Second, 0, false, 720},
		{"a redo", 5 * time.Second, 30 * time.Second, true, 720},
	} {
		t.Run(c.name, func(t *testing.T) {
			fold := new(sizedFold)
			l := &Lane{Interval: interval, Longest: c.longest, Fold: fold, Redo: c.redo}
			start := time.UnixMilli(1_750_000_000_000)
			flushes, last := 0, start
			for now := start.Add(interval); !now.After(start.Add(time.Hour)); now = now.Add(interval) {
				l.Taken.waiting, fold.items = last.Add(time.Millisecond), sites // The first record of the flush came just after the last one.
				l.Taken.Records = sites * int(now.Sub(last)/c.every)
				if l.Waits(now, false) {
					continue
				}
				if age := now.Sub(l.Taken.waiting); age > max(c.longest, interval) {
					t.Fatalf("a record waits for %v", age)
				}
				flushes, last = flushes+1, now
			}
			if flushes != c.flushes {
				t.Errorf("%d flushes in an hour, want %d", flushes, c.flushes)
			}
			if l.Taken.Records = 0; l.Waits(last, true) {
				t.Error("a lane without records waits, and its last flush is not marked as done")
			}
		})
	}
}

// TestLanesThatAreBehindWaitForLargerFlushes has a lane tick every two seconds while records wait.
func TestLanesThatAreBehindWaitForLargerFlushes(t *testing.T) {
	start := time.UnixMilli(1_750_000_000_000)
	for _, c := range []struct {
		name      string
		behindMax time.Duration
		behind    bool
		redo      bool
		flushed   time.Duration // after the first record
	}{
		{"behind", 10 * time.Second, true, false, 10 * time.Second},
		{"the longest interval is no whole number of ticks", 7 * time.Second, true, false, 6 * time.Second},
		{"not behind", 10 * time.Second, false, false, 2 * time.Second},
		{"without a longest interval", 0, true, false, 2 * time.Second},
		{"a redo", 10 * time.Second, true, true, 2 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := &Lane{Interval: 2 * time.Second, BehindMax: c.behindMax, Fold: &sizedFold{items: 1}, Redo: c.redo,
				Taken: Taken{Records: 1, waiting: start}}
			now := start.Add(l.Interval)
			for l.Waits(now, c.behind) {
				now = now.Add(l.Interval)
			}
			if flushed := now.Sub(start); flushed != c.flushed {
				t.Errorf("flushed after %v, want %v", flushed, c.flushed)
			}
		})
	}
}
