package sketch

import "fmt"

// Dimension is what a breakdown tells events apart by. Its number is in the bytes of breakdowns.
type Dimension uint8

// The dimensions, never reordered. Referrer, Channel and the five of utm_* are those that an event's session began with.
const (
	Hostname Dimension = iota
	Page
	Referrer
	Channel
	Source
	Medium
	Campaign
	Content
	Term
	Country
	Region
	City
	Device
	Browser
	OS
	EventName

	dimensions
)

var dimensionNames = [dimensions]string{
	Hostname:  "hostname",
	Page:      "page",
	Referrer:  "referrer",
	Channel:   "channel",
	Source:    "utm_source",
	Medium:    "utm_medium",
	Campaign:  "utm_campaign",
	Content:   "utm_content",
	Term:      "utm_term",
	Country:   "country",
	Region:    "region",
	City:      "city",
	Device:    "device",
	Browser:   "browser",
	OS:        "os",
	EventName: "event",
}

// Dimensions returns all dimensions, in the order of their numbers.
func Dimensions() []Dimension {
	all := make([]Dimension, dimensions)
	for i := range all {
		all[i] = Dimension(i)
	}
	return all
}

// String returns the dimension's name, as ParseDimension takes it: "page", "utm_source", "event".
func (d Dimension) String() string {
	if d < dimensions {
		return dimensionNames[d]
	}
	return fmt.Sprintf("dimension %d", uint8(d))
}

// ParseDimension returns the dimension of this name; the error names all that there are.
func ParseDimension(name string) (Dimension, error) {
	for d, known := range dimensionNames {
		if name == known {
			return Dimension(d), nil
		}
	}
	return 0, fmt.Errorf("dimension %q is unknown: it must be one of %q", name, dimensionNames)
}
