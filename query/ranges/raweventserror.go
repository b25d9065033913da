package ranges

import (
	"cmp"
	"fmt"
	"time"
)

// RawEventsError reports that a question cannot be answered because raw events are switched off or have expired. Their counts are still
// there: see Reader.Stats.
type RawEventsError struct {
	Site string
	Why  string // the reason, and what to do
	// Since is from when on raw events are there, because earlier ones have expired; zero: that is not why, or not known. Days is for how many
	// days they are or were kept; 0: not known.
	Since time.Time
	Days  int64
	Off   bool // they were switched off

	Unnamed string // Why without the names of partitions; "": Why has none
}

// WithoutPartitions returns the error without the names of partitions, which concern who runs the pipeline alone.
func (e *RawEventsError) WithoutPartitions() *RawEventsError {
	e = new(*e)
	e.Why, e.Unnamed = cmp.Or(e.Unnamed, e.Why), ""
	return e
}

func (e *RawEventsError) Error() string {
	return fmt.Sprintf("raw events of site %q: %s", e.Site, e.Why)
}
