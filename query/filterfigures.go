package query

import (
	"time"
)

// FilteredBucket is a bucket with the figures of what passes filters. Its fields are those of Bucket.
type FilteredBucket struct {
	Start      time.Time `json:"start"`
	End        time.Time `json:"end"` // exclusive
	Partial    bool      `json:"clippedByRange"`
	InProgress bool      `json:"inProgress"`
	FilteredFigures
	Previous *FilteredBucket  `json:"previous,omitempty"`
	Change   *FilteredChanges `json:"change,omitempty"`
}
