package breakdowns

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/footfall/footfall/query/ranges"
)

// Figures are the figures that rows can be sorted by, always in descending order. Rows whose rate or
// average is not known come last. Only pages have the exit rate, the time on page and the scroll depth. Rates of few events say little.
var Figures = append([]string{"events", "pageViews", "uniqueVisitors", "sessions", "bounces", "durationMs", "entries", "exits",
	"valueSum", "conversions", "conversionValue"}, Rates...)

// The names of Rates.
const (
	byExitRate       = "exitRate"
	byTimeOnPage     = "avgTimeOnPageMs"
	byScrollDepth    = "avgScrollDepth"
	byConversionRate = "conversionRate"
	byBounceRate     = "bounceRate"
	byAvgDuration    = "avgDurationMs"
)

// Rates are the rates and averages among Figures.
var Rates = []string{byExitRate, byTimeOnPage, byScrollDepth, byConversionRate, byBounceRate, byAvgDuration}

// MaxMinCount is the greatest least number that can be asked for.
const MaxMinCount = 1_000_000

// CheckMinCount checks a least number of sessions or page views of rows that are sorted by a figure; 0: there is none. The error is a
// [ranges.ParamError].
func CheckMinCount(n int, sort string) error {
	wrong := &ranges.ParamError{Param: "min-count", Value: strconv.Itoa(n)}
	switch {
	case n < 0 || n > MaxMinCount:
		wrong.Remedy = fmt.Sprintf("choose 1 to %d, or leave it out", MaxMinCount)
	case n > 0 && !slices.Contains(Rates, sort):
		wrong.Remedy = "rows are sorted by " + sort + ": sort by a rate or average, such as " + byBounceRate + ", or leave it out"
	default:
		return nil
	}
	return wrong
}
