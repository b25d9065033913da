package aggregate

// What the stats lane has in memory, and when it lets states go: cohorts has them by the step that touched them last.

func (f *Stats) States() int { return f.kept.live }

func (f *Stats) Brought() int {
	n := f.sessions.drawn
	f.sessions.drawn = 0
	return n
}

func (f *Stats) Held() int {
	lists := f.sessions.touched.room()*touchedRoom + cap(f.visits.touched)*visitorTouched + f.ledger.open.room()*unbookedRoom
	lists += cap(f.arrivals.touched) * arrivalTouched
	lists += f.sessions.memory.awake.bytes()
	rows := (f.breakdowns.grown+f.breakdowns.uncounted)*breakdownGrowth + f.breakdowns.pending
	return f.kept.held() + rows + lists
}

// Release gives up first what costs least to have again, and nothing more once enough is free. Counting the pending events often is
// enough, since they hold memory for the longest rows that they could make. Room for sessions and sessions themselves are needed again
// with the next records.
func (f *Stats) Release(settled int64, need int) (freed int) {
	before := f.Held()
	missing := func() int { return need - (before - f.Held()) }
	spare := &f.sessions.memory.awake
	for _, giveUp := range [...]func(){
		func() { f.breakdowns.countAll(f.buckets.hours) },
		f.breakdowns.giveUpUnused,
		func() { spare.shrink(spare.bytes() - missing()) },
		func() {
			f.kept.restSettled(settled)
			spare.shrink(spare.bytes() - missing())
		},
		func() { f.kept.release(settled, missing()) },
		f.giveUpLists,
		f.forgetIdleOnce,
	} {
		giveUp()
		if missing() <= 0 {
			break
		}
	}
	return before - f.Held()
}

// giveUpLists frees the room of the step's lists that are empty.
func (f *Stats) giveUpLists() {
	if f.sessions.touched.len() == 0 {
		f.sessions.touched, f.sessions.listed.sessions, f.ledger.open = blocks[touchedSession]{}, nil, blocks[unbooked]{}
	}
	if len(f.visits.touched) == 0 {
		f.visits.touched = nil
	}
	if len(f.arrivals.touched) == 0 {
		f.arrivals.touched = nil
	}
}

// forgetIdleOnce forgets the sites without states, once a step: it looks at all sites.
func (f *Stats) forgetIdleOnce() {
	if f.idle != f.step {
		f.idle = f.step
		f.forgetIdle()
	}
}

func (f *Stats) Settled(step int64) {
	f.journals.settled(step)
	f.kept.settled(step)
	f.sessions.memory.awake.shrink(f.Max - f.kept.held())
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
