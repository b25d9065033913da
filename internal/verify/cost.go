package verify

import (
	"context"
	"fmt"
	"math"

	"github.com/footfall/footfall/internal/topiclog"
	"github.com/footfall/footfall/sinks"
)

// Cost is what a run will read, about. Sites that are not sampled are not read from the table; their records are.
type Cost struct {
	Records   int64   `json:"records"`   // of the log, in one pass
	Items     int64   `json:"items"`     // of the table; -1: the store does not say how many it has
	ReadUnits float64 `json:"readUnits"` // strong reads of these items; -1: not known
	Passes    int64   `json:"passes"`    // over the log, at the typical 400 bytes that are kept of a record
}

// typicalBytes is about what the recount keeps of a record: its raw event, and a third of a session.
const typicalBytes = 400

// announceCost says what is about to be read.
func announceCost(ctx context.Context, o Options, log *topiclog.Log, ends map[int32]int64) error {
	if o.Cost == nil {
		return nil
	}
	starts, err := log.Starts(ctx)
	if err != nil {
		return err
	}
	c := Cost{Items: -1, ReadUnits: -1}
	for p, end := range ends {
		c.Records += max(0, end-starts[p])
	}
	share := 1.0
	if o.SampleSites > 0 {
		share = o.SampleSites
	}
	c.Passes = max(1, int64(math.Ceil(float64(c.Records)*share*typicalBytes/float64(o.Memory))))
	if o.Site != "" {
		c.Passes = 1
	}
	if o.Describe != nil && o.Site == "" {
		described, err := o.Describe(ctx)
		if err != nil && !sinks.Retryable(err) { // Without a table there is nothing to announce.
			return err
		}
		if err == nil {
			c.Items = int64(float64(described.Items) * share)
			c.ReadUnits = math.Ceil(float64(described.Bytes) * share / 4096)
		}
	}
	o.Cost(c)
	return nil
}

// String says it for people.
func (c Cost) String() string {
	s := fmt.Sprintf("about to read up to %d records", c.Records)
	if c.Passes > 1 {
		s += fmt.Sprintf(" in some %d passes", c.Passes)
	}
	if c.Items >= 0 {
		s += fmt.Sprintf(" and some %d items (%.0f read units)", c.Items, c.ReadUnits)
	}
	return s
}
