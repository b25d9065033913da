package aggregate

import (
	"math"

	"github.com/footfall/footfall/pipeline/aggregate/internal/arena"
)

// What the stats lane has in memory, and when it lets states go: cohorts has them by the step that touched them last.

func (f *Stats) States() int { return f.kept.Live }

func (f *Stats) Brought() int {
	n := f.sessions.brought
	f.sessions.brought = 0
	return n
}

func (f *Stats) Held() int {
	lists := f.sessions.touched.Room()*touchedRoom + cap(f.visits.touched)*visitorTouched + f.ledger.room()
	lists += cap(f.arrivals.touched) * arrivalTouched
	lists += f.sessions.memory.awake.bytes()
	rows := (f.breakdowns.grown+f.breakdowns.uncounted)*breakdownGrowth + f.breakdowns.pending
	return f.kept.Held() + rows + lists
}

func (f *Stats) Release(settled int64, need int) (freed int) {
	before := f.Held()
	f.release(settled, need)
	if f.idle != f.step && before-f.Held() < need { // It looks at all sites: once a step is enough.
		f.idle = f.step
		f.forgetIdle()
	}
	return before - f.Held()
}

func (f *Stats) Drop(settled int64) { f.release(settled, math.MaxInt) }

// release lets states go, but remembers their sites.
func (f *Stats) release(settled int64, need int) {
	before := f.Held()
	f.breakdowns.countAll(f.buckets.hours)
	f.kept.RestSettled(settled)
	if before-f.Held() < need { // Often it is enough to count: pending events hold memory for the longest rows that they can make.
		f.breakdowns.giveUpUnused()
		f.sessions.memory.awake.giveUp(0)
	}
	f.kept.Release(settled, need-(before-f.Held()))
	if f.sessions.touched.Len() == 0 {
		f.sessions.touched, f.sessions.listed.sessions = arena.Blocks[touchedSession]{}, nil
		f.ledger.giveUp()
	}
	if len(f.visits.touched) == 0 {
		f.visits.touched = nil
	}
	if len(f.arrivals.touched) == 0 {
		f.arrivals.touched = nil
	}
}

func (f *Stats) Settled(step int64) {
	f.journals.settled(step)
	f.kept.Settled(step)
	f.sessions.memory.awake.giveUp(f.Max - f.kept.Held())
	if len(f.Sites) > maxIdleSites {
		f.forgetIdle()
	}
}

// forgetIdle forgets the sites that have no state in memory.
func (f *Stats) forgetIdle() {
	for id, s := range f.Sites {
		if s.Empty() {
			delete(f.Sites, id)
		}
	}
}

// maxIdleSites is how many sites without any state in memory a worker remembers, at some 300 bytes each.
const maxIdleSites = 10_000
