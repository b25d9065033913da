// Package retention answers how many of the visitors who were new in a week came back in later weeks. Days count them, so an answer reads
// the days of its weeks and no visitors.
package retention
