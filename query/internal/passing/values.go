package passing

import (
	"fmt"

	"github.com/footfall/footfall/query/ranges"
)

// MaxValues bounds the values of a filtered list. The visitors of each take up to 16 KB, in all at most 22 bytes an event that was read:
// those of filters.DefaultMaxEvents some 430 MB. Tests lower it.
var MaxValues = 100_000

// Values are the sums of values; "": of what has none.
type Values map[string]*Sums

// Of returns the sums of a value.
func (v Values) Of(value string) *Sums {
	row := v[value]
	if row == nil {
		row = NewSums() // Visitors as totals have them: a row of all visitors has the same figure.
		v[value] = row
	}
	return row
}

// TooMany returns why values and missed sessions of a list do not fit in memory; nil: they do.
func TooMany(dimension string, values Values, missed Missed) error {
	if len(values) > MaxValues {
		return tooManyValues(dimension)
	}
	if len(missed) > maxMissed {
		return tooManyMissed(dimension)
	}
	return nil
}

// tooManyValues is the error of a list that does not fit in memory.
func tooManyValues(dimension string) error {
	return &ranges.ParamError{Param: "dimension", Value: dimension,
		Remedy: fmt.Sprintf("it has more than %d values in the range: ask for a shorter one, or add a filter",
			MaxValues)}
}

// Missed are the numbers of sessions that missed the goal that a filter asks for, by their values. Most values may be of no session
// that passes: they have no row.
type Missed map[string]int64

// maxMissed bounds the values of such sessions, those of all lists that are read together. A million take some 100 MB.
const maxMissed = 1_000_000

// AddTo adds the sessions to the values that have anything that passes.
func (m Missed) AddTo(values Values) {
	for value, sums := range values {
		sums.Missed += m[value]
	}
}

// tooManyMissed is the error of a list whose rates do not fit in memory.
func tooManyMissed(dimension string) error {
	return &ranges.ParamError{Param: "dimension", Value: dimension,
		Remedy: fmt.Sprintf("sessions that miss the goal have more than %d values in the range: ask for a "+
			"shorter one, or add a filter", maxMissed)}
}
