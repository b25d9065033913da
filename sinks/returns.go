package sinks

import (
	"strconv"
	"strings"
)

// MaxReturnWeeks is how many weeks after the one in which a visitor was new it is counted that the visitor came back. A day's stats take
// some 6 bytes for each.
const MaxReturnWeeks = 52

// Attributes of an Arrival.
const (
	AttrWeeks     = "weeks"
	AttrPrevWeeks = "prevWeeks"
)

// returnPrefix is how the names of counts of returns begin.
const returnPrefix = "rw"

// AttrReturns returns the name of the attribute of a day's stats that counts the visitors who were new so many weeks before, 0 to
// MaxReturnWeeks.
func AttrReturns(weeks int) string { return returnPrefix + strconv.Itoa(weeks) }

// isReturns reports whether an attribute of stats is a count of returns.
func isReturns(attr string) bool {
	digits, ok := strings.CutPrefix(attr, returnPrefix)
	n, err := strconv.Atoi(digits)
	return ok && err == nil && n >= 0 && n <= MaxReturnWeeks && strconv.Itoa(n) == digits
}
