// Package aggregate turns the events of a partition into what its items get: counters, uniques, breakdowns, sessions, visits,
// conversions and realtime minutes. It has no I/O, no clock and no locks. What it does depends on the events, their positions, the
// settings and the rules of the step, and the states before the step, and on nothing else; so a redo does the same.
//
// A lane has one [Fold], [Stats] or [Realtime]. The engine (package pipeline) drives it, for every chunk of records:
//
//	Prepare, Want   each event asks for the states that it touches and that are not in memory
//	Loaded          asks for what these call for, until nothing more is asked for
//	Add             changes the states, in the order of positions
//	Cut             ends the step: every state that it touched becomes a write of the [Plan]
//	Settled         all writes are in the table: states may be let go
//
// # Files
//
//	fold.go        the interface, what it takes and where it runs; which states stay in memory
//	stats.go       the stats lane; realtime.go: the realtime lane
//	statscut.go    the end of a step; sessioncut.go, hourcut.go: what it writes of sessions, of hours and days
//	states.go      sites, hours, days, sessions and minutes in memory, and how they are asked for; weights.go: what they take
//	sessions.go    what an event does to its session; visitor.go, visits.go: the visit of an event without sessionId
//	breakdown.go   figures by page, referrer, browser, ...; dimensions.go: what an event says in each dimension;
//	               booking.go: what sessions have in breakdowns
//	late.go        the journal of hours that are not rewritten at each step
//	goals.go       goals that sessions reach, and their conversions
//	bots.go        events of bots; foreign.go: events whose url is of another domain; sitebudget.go: events beyond a site's budget
//	erased.go      persons whose data were erased; purge.go: rows that only they made
//	newsites.go    how many sites are new in an hour
//	plan.go        the writes of a step, and their guard; parts.go: reading parts and states
package aggregate
