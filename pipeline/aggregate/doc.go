// Package aggregate turns the events of a partition into what its items get: counters, uniques, breakdowns, sessions, visits,
// conversions and realtime minutes. It has no I/O, no clock and no locks. What it does depends on the events, their positions, the
// settings and the rules of the step, and the states before the step, and on nothing else; so a redo does the same.
//
// A lane has one [Fold], [Stats] or [Realtime]. The engine (package pipeline) drives it, for every chunk of records:
//
//	Prepare, Want   each event asks for the states that it touches and that are not in memory
//	Loaded          asks for what these call for, until nothing more is asked for
//	Add             changes the states, in the order of positions
//	Cut             ends the step: every state that it touched becomes a write of the [plan.Plan]
//	Settled         all writes are in the table: states may be let go
//
// The step that the stats lane accumulates is type accumulating (accumulating.go). Its states are divided among the fields of [Stats]. A
// field calls only fields above it in this list:
//
//	buckets      hours and days: sums, and the visitors of hours (buckets.go)
//	journals     the journal of hours that are not rewritten at each step (journals.go, journalread.go, journalcut.go)
//	breakdowns   figures of hours by page, referrer, browser, ... (breakdown.go, breakdownread.go, purge.go; pending.go: events that are
//	             counted later);
//	             dimensions.go, properties.go: what an event says; attention.go: how long and how far a page is read
//	ledger       what sessions have in breakdowns, and its corrections (ledger.go)
//	budgets      what is spent of sites' budgets (budgets.go)
//	goals        conversions (goals.go)
//	sessions     sessions (sessions.go; earliest.go: what its earliest event decides)
//	arrivals     where visitors are counted as new (arrivals.go)
//	visits       visits of events without sessionId (visits.go)
//
// # Other files
//
//	fold.go        the interface, what it takes, what it asks and where it runs
//	stats.go       the way of an event through these; realtime.go: the realtime lane
//	statscut.go    the end of a step; sessioncut.go, newsessions.go, recent.go, visitorlists.go, hourcut.go, journalcut.go: what it writes
//	               of sessions, of hours and days; cutting.go: what these share
//	states.go      sites, and all states below them, in memory; minute.go: realtime minutes
//	reading.go     the parts of hours that are read
//	memory.go      how much the states are; weights.go: what each takes
//	resting.go     sessions that no open step has touched, in fewer bytes; texts.go: their texts
//	sessionmemory.go, spare.go: where sessions have their memory from
//	bots.go        events of bots; foreign.go: events whose url is of another domain; exclude.go: pages that a site excludes
//	erased.go      persons whose data were erased
//	admission.go   sites that are new
//
// The packages below have what needs none of these: transition (how an event changes one state), plan (the writes of a step), damage
// (what cannot be read), internal/additions (what a step adds to hours and days), internal/arena (room for many small states).
package aggregate
