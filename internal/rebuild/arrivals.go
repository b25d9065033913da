package rebuild

import (
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// settling is about how long both generations are compared and members look for their partitions again, besides their flushes. Measured
// with 30,000 to 60,000 records of ten sites: 4 to 10 s.
const settling = 8 * time.Second

// arrivalSpan is the time before an estimate in which it looks how many records came.
const arrivalSpan = 10 * time.Minute

// arrivals returns how many records a second came to the topic of late, by their timestamps.
func (j *Job) arrivals(ctx context.Context, source Source) (perSecond float64, err error) {
	client, err := kgo.NewClient(j.Pipeline.Kafka...)
	if err != nil {
		return 0, fmt.Errorf("open the client of Kafka: %w", err)
	}
	defer client.Close()
	since, err := kadm.NewClient(client).ListOffsetsAfterMilli(ctx, time.Now().Add(-arrivalSpan).UnixMilli(), j.Pipeline.Topic)
	if err == nil {
		err = since.Error()
	}
	if err != nil {
		return 0, fmt.Errorf("the records of the last %v: %w", arrivalSpan, err)
	}
	for n, log := range source.logs {
		if from, ok := since.Lookup(j.Pipeline.Topic, n); ok {
			perSecond += float64(max(0, log.End-max(from.Offset, log.Start)))
		}
	}
	return perSecond / arrivalSpan.Seconds(), nil
}

// grow adds what it takes to count records that come in while those of the estimate are counted, and to hand over to the members, which
// flush twice in between. Overtaken is set, and nothing is added, if records come faster than they would be counted.
func (e *Estimate) grow(records int64, interval time.Duration) {
	defer func() { e.ShortestMs = e.Shortest.Milliseconds() }()
	busy := e.PerSecond * e.Shortest.Seconds() / float64(records)
	if e.Overtaken = busy >= 1; e.Overtaken {
		return
	}
	whole := 1 / (1 - busy)
	e.WriteUnits, e.Bytes = e.WriteUnits*whole, int64(float64(e.Bytes)*whole)
	e.Shortest = time.Duration(float64(e.Shortest)*whole) + 2*interval + settling
}
