// Package alerts has the alerts of sites: the language of their conditions, how hours are judged, and the items that keep alerts and what
// they found.
//
//	rule.go     conditions, and how they are spelled
//	parse.go    reading them
//	judge.go    whether an hour fulfils one: pure, of counts by hour
//	alert.go    an alert and its item
//	finding.go  what an alert found in an hour, and its item
//	store.go    reading and writing these items
//
// Package watch judges hours as they are complete, and sends what it finds.
package alerts
