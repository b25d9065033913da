package links

// MinCountParam is the least number of sessions or page views of the rows of a list, as the API has it.
const MinCountParam = "minCount"

// Parameters of filters in the addresses of pages.
const (
	WhereParam     = "where"     // a filter, as the API has it; may be repeated
	SegmentParam   = "segment"   // the name of a segment, as the API has it
	MaxEventsParam = "maxEvents" // max. packed raw events read for the page
	// KeptParam has all filters as a query string. Forms send it, because no form field keeps every byte of a value.
	KeptParam = "filters"
	// The form of a new filter sends its parts.
	DimensionParam, OpParam, ValueParam = "filter", "op", "value"
)

// FilterParams are the parameters of the filters of a page.
var FilterParams = []string{WhereParam, SegmentParam, MaxEventsParam, KeptParam, DimensionParam, OpParam, ValueParam}
