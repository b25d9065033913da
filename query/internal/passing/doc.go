// Package passing counts what passes filters: events and sessions of a range, from its raw events, and the conversions of sessions.
//
//	reading.go, cost.go          reading the raw events of ranges, within what a question may cost
//	question.go, goals.go        what is asked, and whether raw events and the goals of the site can answer it
//	scan.go                      each raw event, from the walk to what it counts in
//	landings.go, whole.go        sessions that wait until they are decided about, and rows by their entry or exit page
//	goalscan.go                  goals that sessions reach, and their conversions
//	paths.go                     the pages that sessions view around a page or a goal
//	sessions.go, session.go      the sessions that are held, and what is known of one
//	event.go, dimension.go       what an event says in a dimension
//	sums.go                      sums of what passes
//	buckets.go                   sums by time
//	values.go, lists.go          sums by value, of one list and of several
//	texts.go                     one copy of each text
//	sessionfilter.go             filters of the items of sessions
package passing
