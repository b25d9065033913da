package ranges

import "time"

// Coverage says up to when figures are complete. It is part of the answers about a site's figures.
type Coverage struct {
	// CompleteThrough is the Kafka timestamp up to which the records of the site's partitions were counted, as far as the table says. An
	// event is in the figures if it was published before. A partition without new records stays where it was. null: not known.
	CompleteThrough *time.Time `json:"completeThrough"`
	// Final says that no record whose Kafka timestamp is CompleteThrough or later can change what the range counts by event: events, page
	// views, visitors, values and conversions. Their events would be rejected as too late. Figures of sessions change as long as a session
	// that began in the range continues.
	Final bool `json:"final"`
	// Warnings name the partitions that are stopped, or that lag.
	Warnings []Warning `json:"warnings"`
}

// Covered returns the coverage of an answer, which has it as a part.
func (c Coverage) Covered() Coverage { return c }

// Warning is about a partition of a topic whose records are missing from the figures, if it has any of the site.
type Warning struct {
	Kind      string    `json:"kind"`      // parked, gap or behind
	Partition string    `json:"partition"` // as in events/3; empty in answers to credentials that may not hear it
	OfSite    bool      `json:"ofSite"`    // the site had events in the partition lately
	Through   time.Time `json:"completeThrough"`
	Detail    string    `json:"detail"`
}

// Kinds of warnings.
const (
	WarnParked = "parked" // the partition waits for an operator
	WarnGap    = "gap"    // records were lost from the topic before they were counted, and the partition waits for an operator
	WarnBehind = "behind" // the last flush counted records that were older than they should be, and more follow
)
