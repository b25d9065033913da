// Package lists has the tables of values: those of the cards of a site's page, and of the pages that are viewed now.
//
//	sections.go   the cards and their lists
//	lists.go      a list of an answer, with changes
//	rowtext.go    what rows are called
//	none.go       what has no value, as a row
//	now.go        what is happening now
package lists
