package figures

// Each figure is declared here and nowhere else. Rows of breakdowns have their own rates: see query/top.go.

// A Sum is a counter of an hour or a day of a site. Sums add up over records, partitions and buckets.
type Sum int

// The sums. Those from firstDecimal on are sums of values in millionths, of up to 128 bits; the others are 64 bits wide.
const (
	PageViews Sum = iota
	Events
	Sessions
	Bounces
	DurationMs
	Engaged
	Values
	Conversions
	NewVisitors
	ForeignEvents
	OverBudgetEvents
	ExcludedPageViews
	ExcludedEvents
	BotPageViews
	BotEvents
	BotValues
	firstDecimal
)

const (
	ValueMicros Sum = firstDecimal + iota
	BotValueMicros
	endOfSums
)

// declared says of each sum what holds of it everywhere.
var declared = [endOfSums]struct {
	attr, about  string
	milliseconds bool
	byState      bool
}{
	PageViews:     {attr: "pageViews", about: "page views"},
	Events:        {attr: "events", about: "events, page views among them"},
	Sessions:      {attr: "sessions", about: "sessions that started in the bucket", byState: true},
	Bounces:       {attr: "bounces", about: "bounces among these sessions", byState: true},
	DurationMs:    {attr: "durationMs", about: "duration of these sessions together", milliseconds: true, byState: true},
	Engaged:       {attr: "engaged", about: "engaged sessions among these", byState: true},
	Values:        {attr: "values", about: "events that had a value"},
	Conversions:   {attr: "conversions", about: "conversions of all goals, at their own time", byState: true},
	NewVisitors:   {attr: "newVisitors", about: "visitors who were new in the bucket, if the site has them counted", byState: true},
	ForeignEvents: {attr: "foreignEvents", about: "events whose url is of no domain of the site"},
	OverBudgetEvents: {attr: "overBudgetEvents", byState: true,
		about: "events beyond the site's budget, which are in no session and no breakdown"},
	ExcludedPageViews: {attr: "excludedPageViews", about: "page views of pages that the site excludes, which are in no other sum"},
	ExcludedEvents:    {attr: "excludedEvents", about: "events of these pages, page views among them"},
	BotPageViews:      {attr: "botPageViews", about: "page views of bots, which are in no other sum"},
	BotEvents:         {attr: "botEvents", about: "events of bots, page views among them"},
	BotValues:         {attr: "botValues", about: "events of bots that had a value"},
	ValueMicros:       {attr: "valueMicros", about: "sum of the values"},
	BotValueMicros:    {attr: "botValueMicros", about: "sum of the values of bots"},
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
