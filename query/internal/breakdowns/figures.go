package breakdowns

// Figures are the figures that rows can be sorted by, always in descending order. Rows whose rate or
// average is not known come last. Only pages have the exit rate, the time on page and the scroll depth. Rates of few events say little.
var Figures = append([]string{"events", "pageViews", "uniqueVisitors", "sessions", "bounces", "durationMs", "entries", "exits",
	"valueSum", "conversions", "conversionValue"}, rates...)

// Rates and averages that rows can be sorted by.
const (
	byExitRate       = "exitRate"
	byTimeOnPage     = "avgTimeOnPageMs"
	byScrollDepth    = "avgScrollDepth"
	byConversionRate = "conversionRate"
	byBounceRate     = "bounceRate"
	byAvgDuration    = "avgDurationMs"
)

var rates = []string{byExitRate, byTimeOnPage, byScrollDepth, byConversionRate, byBounceRate, byAvgDuration}
