package verify

import (
	"context"
	"math"

	"github.com/footfall/footfall/internal/topiclog"
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/internal/verify/scope"
	"github.com/footfall/footfall/sinks"
)

// typicalBytes is about what the recount keeps of a record: its raw event, and a third of a session.
const typicalBytes = 400

// announceCost says what is about to be read.
func announceCost(ctx context.Context, o scope.Options, log *topiclog.Log, ends map[int32]int64) error {
	if o.Cost == nil {
		return nil
	}
	starts, err := log.Starts(ctx)
	if err != nil {
		return err
	}
	c := finding.Cost{Items: -1, ReadUnits: -1}
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
