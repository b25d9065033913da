package ranges

import (
	"slices"
	"strings"
)

// Align says which earlier range a range is compared with.
type Align string

const (
	// AlignPeriod is the default. A day is compared with the day before, a week with the week before, a month or year with the one before
	// by the number of the day, and several days with the same days of the week as many whole weeks before as the range has begun.
	AlignPeriod Align = ""
	// AlignWeekday compares any range with the same days of the week, as many whole weeks before as the range has begun.
	AlignWeekday Align = "weekday"
	// AlignYear compares any range with the same dates of the year before.
	AlignYear Align = "year"
)

// Alignments are the names that a question may give.
var Alignments = []string{string(AlignWeekday), string(AlignYear)}

// Check reports whether there is such an alignment.
func (a Align) Check() error {
	if a != AlignPeriod && !slices.Contains(Alignments, string(a)) {
		return &ParamError{"align", string(a), "choose " + strings.Join(Alignments, " or ") + ", or leave it out"}
	}
	return nil
}

// What a range can be compared with, besides another range.
const (
	AgainstPrevious = "previous" // the one before
	AgainstYear     = "year"     // the same dates a year before; with AlignWeekday the same days of the week, 52 weeks before
)
