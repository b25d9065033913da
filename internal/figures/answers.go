package figures

// A Unit says how a figure is spelled for people and for programs.
type Unit int

// The units.
const (
	Count        Unit = iota // a whole number
	Estimate                 // a whole number that may be an estimate
	ErrorOf                  // the relative standard error of the estimate before it, 0.01 for 1 %
	Percentage               // a part of a whole, 0 to 1
	Milliseconds             // a whole number of milliseconds
	Span                     // milliseconds that people see as minutes and seconds
	Ratio                    // a number per session
	DecimalText              // a decimal, exact
)

// A Kind says how a figure comes from the sums of a bucket or a range.
type Kind int

// The kinds.
const (
	Own   Kind = iota // by a rule of its own: visitors, least and greatest values
	Total             // the sum itself
	Rate              // Sum divided by By, to six places; null if By is 0
	Mean              // Sum divided by By, to a whole number; null if By is 0
)

// A Figure is a figure of an answer about buckets.
type Figure struct {
	Name    string // in JSON, CSV and --columns
	Heading string // of its column in tables; "": tables leave it out unless it is asked for
	Unit    Unit
	Kind    Kind
	Sum, By Sum // what it is derived from
	// With is the name of a figure without which tables leave this one out: it is 0 or unknown everywhere in the answer. "": always shown.
	With string
}

// Answers are the figures of answers about buckets and ranges, in the order of their columns.
var Answers = []Figure{
	{Name: "pageViews", Heading: "Page views", Kind: Total, Sum: PageViews},
	{Name: "events", Heading: "Events", Kind: Total, Sum: Events},
	{Name: "uniqueVisitors", Heading: "Visitors", Unit: Estimate},
	{Name: "uniqueVisitorsError", Unit: ErrorOf},
	{Name: "newVisitors", Heading: "New", Kind: Total, Sum: NewVisitors, With: "newVisitors"},
	{Name: "returningVisitors", Heading: "Returning", Unit: Estimate, With: "newVisitors"},
	{Name: "returningVisitorsError", Unit: ErrorOf},
	{Name: "sessions", Heading: "Sessions", Kind: Total, Sum: Sessions},
	{Name: "bounces", Kind: Total, Sum: Bounces},
	{Name: "bounceRate", Heading: "Bounce rate", Unit: Percentage, Kind: Rate, Sum: Bounces, By: Sessions},
	{Name: "engaged", Kind: Total, Sum: Engaged},
	{Name: "engagementRate", Heading: "Engagement rate", Unit: Percentage, Kind: Rate, Sum: Engaged, By: Sessions},
	{Name: "durationMs", Unit: Milliseconds, Kind: Total, Sum: DurationMs},
	{Name: "avgDurationMs", Heading: "Avg duration", Unit: Span, Kind: Mean, Sum: DurationMs, By: Sessions},
	{Name: "pagesPerSession", Heading: "Pages/session", Unit: Ratio, Kind: Rate, Sum: PageViews, By: Sessions},
	{Name: "values", Heading: "Values", Kind: Total, Sum: Values, With: "values"},
	{Name: "valueSum", Heading: "Value sum", Unit: DecimalText, Kind: Total, Sum: ValueMicros, With: "values"},
	{Name: "valueMin", Heading: "Least value", Unit: DecimalText, With: "valueMin"},
	{Name: "valueMax", Heading: "Greatest value", Unit: DecimalText, With: "valueMin"},
	{Name: "conversions", Heading: "Conversions", Kind: Total, Sum: Conversions, With: "conversions"},
	{Name: "foreignEvents", Heading: "Foreign", Kind: Total, Sum: ForeignEvents, With: "foreignEvents"},
	{Name: "overBudgetEvents", Heading: "Over budget", Kind: Total, Sum: OverBudgetEvents, With: "overBudgetEvents"},
	{Name: "excludedEvents", Heading: "Excluded events", Kind: Total, Sum: ExcludedEvents, With: "excludedEvents"},
	{Name: "excludedPageViews", Kind: Total, Sum: ExcludedPageViews, With: "excludedEvents"},
	{Name: "botEvents", Heading: "Bot events", Kind: Total, Sum: BotEvents, With: "botEvents"},
	{Name: "botPageViews", Heading: "Bot page views", Kind: Total, Sum: BotPageViews, With: "botEvents"},
}
