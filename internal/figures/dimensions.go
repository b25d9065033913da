package figures

// A Dimension is what breakdowns divide events by, and what sessions say of their earliest event.
type Dimension struct {
	Name  string // by which it is asked for
	Field string // of a session in JSON, CSV and exports; "": sessions have entryPage
	Top   string // attribute of sealed breakdowns that has its first rows
	Title string // of its column or line
	// Column reports whether tables of sessions have a column of it. Without, only CSV and a session by itself have it.
	Column bool
	// Given reports whether events give it as a text of its own: a field of records, items and exports under the dimension's name.
	Given bool
}

// Dimensions are all dimensions, in the order of their numbers in the bytes of breakdowns: new ones come last.
var Dimensions = [...]Dimension{
	{Name: "hostname", Field: "hostname", Top: "topHostnames", Title: "Hostname"},
	{Name: "page", Top: "topPages", Title: "Page"},
	{Name: "referrer", Field: "referrer", Top: "topReferrers", Title: "Referrer"},
	{Name: "channel", Field: "channel", Top: "topChannels", Title: "Channel", Column: true},
	{Name: "utm_source", Field: "utmSource", Top: "topUtmSources", Title: "UTM source"},
	{Name: "utm_medium", Field: "utmMedium", Top: "topUtmMediums", Title: "UTM medium"},
	{Name: "utm_campaign", Field: "utmCampaign", Top: "topUtmCampaigns", Title: "UTM campaign"},
	{Name: "utm_content", Field: "utmContent", Top: "topUtmContents", Title: "UTM content"},
	{Name: "utm_term", Field: "utmTerm", Top: "topUtmTerms", Title: "UTM term"},
	{Name: "country", Field: "country", Top: "topCountries", Title: "Country", Column: true, Given: true},
	{Name: "region", Field: "region", Top: "topRegions", Title: "Region", Given: true},
	{Name: "city", Field: "city", Top: "topCities", Title: "City", Given: true},
	{Name: "device", Field: "device", Top: "topDevices", Title: "Device", Column: true, Given: true},
	{Name: "browser", Field: "browser", Top: "topBrowsers", Title: "Browser", Given: true},
	{Name: "os", Field: "os", Top: "topOs", Title: "OS", Given: true},
	{Name: "event", Field: "eventName", Top: "topEvents", Title: "Event"},
}

// The places in [Given] of the dimensions that events give. They are no numbers of dimensions.
const (
	GivenCountry = iota
	GivenRegion
	GivenCity
	GivenDevice
	GivenBrowser
	GivenOS
	givens
)

// GivenTexts are the texts of these dimensions, as fields of JSON.
type GivenTexts struct {
	Country string `json:"country,omitzero"`
	Region  string `json:"region,omitzero"`
	City    string `json:"city,omitzero"`
	Device  string `json:"device,omitzero"`
	Browser string `json:"browser,omitzero"`
	OS      string `json:"os,omitzero"`
}

// Given are the numbers of the dimensions that events give, in the order of these places, which is that of the dimensions.
var Given = func() (of [givens]int) {
	n := 0
	for d, declared := range Dimensions {
		if declared.Given {
			of[n] = d
			n++
		}
	}
	return of
}()
