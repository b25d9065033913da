package ranges

import "time"

// Stored says where a site has data, in an answer that has none: from the first stored day or month to the last. Data in between may be
// missing.
type Stored struct {
	From time.Time `json:"from"`
	To   time.Time `json:"to"` // exclusive
	// Expired says that data of the range of the answer, if there was any, must have expired.
	Expired bool `json:"rangeExpired"`
}

// Within is a stored hour or day in which an event lies.
type Within struct {
	From time.Time `json:"from"`
	To   time.Time `json:"to"` // exclusive
}
