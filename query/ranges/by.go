package ranges

import (
	"slices"
	"strings"

	"github.com/footfall/footfall/internal/near"
)

// By is the size of a bucket. "" leaves the choice to the question.
type By string

// Sizes of buckets. Weeks begin on Monday, as in ISO 8601.
const (
	Hour  By = "hour"
	Day   By = "day"
	Week  By = "week"
	Month By = "month"
	Year  By = "year"
)

// Sizes are the names of all sizes of buckets, in ascending order.
var Sizes = []string{string(Hour), string(Day), string(Week), string(Month), string(Year)}

// Check reports whether there is such a size.
func (b By) Check() error {
	if !slices.Contains(Sizes, string(b)) {
		return &ParamError{"by", string(b), near.Hint(string(b), Sizes) + "choose " + strings.Join(Sizes, ", ")}
	}
	return nil
}
