package passing

import (
	"cmp"
	"slices"

	"github.com/footfall/footfall/query/internal/numbers"
	"github.com/footfall/footfall/sinks/int128"
)

// Figures are the figures that rows can be sorted by, always in descending order.
var Figures = []string{"events", "pageViews", "uniqueVisitors", "sessions", "bounces", "durationMs", "valueSum", "conversions",
	"conversionValue", "conversionRate", "bounceRate", "avgDurationMs"}

// OfSessions reports whether one of Figures is unknown if filters, or rows, select events.
func OfSessions(figure string) bool {
	return slices.Contains([]string{"sessions", "bounces", "durationMs", "conversions", "conversionValue", "conversionRate", "bounceRate",
		"avgDurationMs"}, figure)
}

// HasShares reports whether one of Figures adds up to a whole: sums that may be negative, rates and averages do not.
func HasShares(figure string) bool {
	return !slices.Contains([]string{"valueSum", "conversionValue", "conversionRate", "bounceRate", "avgDurationMs"}, figure)
}

// A SortKey is the figure of a row that rows are sorted by.
type SortKey struct {
	Sum   int128.Int // 0 of a rate or average
	rate  float64    // -1: not known, or a sum
	Count int64      // how many sessions a rate or average is of; 0 of a sum
}

// Compare orders rows by the figure; rows without the figure come first.
func (k SortKey) Compare(other SortKey) int {
	return cmp.Or(cmp.Compare(k.rate, other.rate), k.Sum.Compare(other.Sum))
}

// SortKey returns one of Figures. rated says whether rates of conversions are known.
func (s *Sums) SortKey(figure string, rated bool) SortKey {
	k := SortKey{rate: -1}
	switch figure {
	case "conversionValue":
		k.Sum = s.Worth
	case "valueSum":
		k.Sum = s.ValueMicros
	case "conversionRate":
		k.Count = s.Sessions + s.Missed
		if rated {
			k.rate = orUnknown(numbers.Ratio(s.Converted, k.Count))
		}
	case "bounceRate":
		k.Count = s.Sessions
		k.rate = orUnknown(numbers.Ratio(s.Bounces, s.Sessions))
	case "avgDurationMs":
		k.Count = s.Sessions
		if average := numbers.Average(s.DurationMs, s.Sessions); average != nil {
			k.rate = float64(*average)
		}
	default:
		k.Sum = int128.From(s.count(figure))
	}
	return k
}

// orUnknown returns a rate; -1: there is none.
func orUnknown(rate *float64) float64 {
	if rate == nil {
		return -1
	}
	return *rate
}

// count returns one of Figures that is a whole number.
func (s *Sums) count(figure string) int64 {
	switch figure {
	case "pageViews":
		return s.PageViews
	case "uniqueVisitors":
		return int64(numbers.Clamp(s.Visitors.Estimate(), s.Events))
	case "sessions":
		return s.Sessions
	case "bounces":
		return s.Bounces
	case "durationMs":
		return s.DurationMs
	case "conversions":
		return s.Conversions
	}
	return s.Events
}
