package event

import (
	"math"
	"strconv"
)

// What an event of type engagement may say of how its page was read, in its properties.
const (
	engagementType   = "engagement"
	propertyTime     = "engagementMs"
	propertyScroll   = "scroll"
	maxEngagementMs  = DayMs
	maxScrollPercent = 100
)

// Engagement is what an event says of how its page was read. A field is Unsaid where the event does not say it.
type Engagement struct {
	TimeMs int64 // that the page was in front since the event of its kind before, 0 to a day
	Scroll int64 // how far down the page was scrolled, 0 to 100 percent
}

// Unsaid is what an event does not say.
const Unsaid = -1

// Engagement returns what the event says. Numbers have their fraction cut off first. A scroll depth above 100 counts as 100: browsers round
// positions, and let pages be scrolled beyond their end. What is no number, or out of its range, counts as unsaid.
func (e *Event) Engagement() Engagement {
	said := Engagement{Unsaid, Unsaid}
	if string(e.Type) != engagementType || e.Properties == nil {
		return said
	}
	eachMember(e.Properties, func(key, value []byte) {
		switch string(key) {
		case propertyTime:
			said.TimeMs = wholeNumber(value, maxEngagementMs)
		case propertyScroll:
			said.Scroll = min(wholeNumber(value, math.MaxInt32), maxScrollPercent)
		}
	})
	return said
}

// wholeNumber returns a JSON number of 0 to most without its fraction; Unsaid: it is none.
func wholeNumber(text []byte, most float64) int64 {
	if c := text[0]; c != '-' && (c < '0' || c > '9') {
		return Unsaid
	}
	n, err := strconv.ParseFloat(string(text), 64)
	if n = math.Trunc(n); err != nil || n < 0 || n > most {
		return Unsaid
	}
	return int64(n)
}
