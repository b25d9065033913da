// Package ranges has the words in which a question names its range, its buckets and its page, and the error of a wrong one.
package ranges

import "time"

// Range is a range of time, half-open.
type Range struct {
	From, To time.Time
	// Unit is the unit of the calendar that the range is: Day, Week, Month or Year, or Days.
	Unit By
}

// CheckBegun refuses a range that lies wholly in the future, as the fault of the parameter that names its start.
func (r Range) CheckBegun(now time.Time, param, value string) error {
	if !r.From.After(now) {
		return nil
	}
	return &ParamError{Param: param, Value: value, Remedy: "the range lies in the future, and has no figures yet: choose one that has begun"}
}

// Days is the Unit of a range of several days. It is no size of a bucket.
const Days By = "days"

// Periods are the names that a period may have, besides those of several days (28d), dates, months and years.
var Periods = []string{"today", "yesterday", "7d", "28d", "30d", "90d", "week", "last-week", "month", "last-month", "year", "last-year"}
