package sinks

import "time"

// RecentTTL is how long the list of recent sessions has a session, from the end of the minute in which it was opened.
const RecentTTL = 48 * time.Hour

// What an item of new sessions names. Readers of recent sessions rely on the span.
const (
	// MaxNewSessions is how many sessions an item names at most: as many as lists by visitor have in one bucket.
	MaxNewSessions = 2*perVisitorBucket - 1

	// NewSessionsSpan is the length of the span that the sessions of an item were opened in. It ends with the minute that the key names.
	NewSessionsSpan = 10 * time.Minute
)
