package pipeline

import (
	"context"
	"errors"

	"github.com/footfall/footfall/internal/quarantine"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// An owner may read a damaged item just before a quarantine replaces it, and park its partition just after the quarantine has looked for
// partitions to resume. The owner therefore reads the item once more after the park is durable: either the quarantine sees the park, or
// the owner sees the replacement.

// resumeQuarantined resumes a partition that is parked because of an item that a quarantine has replaced since. It does so once for the
// same cause: should the item still not do, the partition stays parked.
func (t *taker) resumeQuarantined(ctx context.Context, partition int32, why *checkpoint.Park) error {
	cause := *why
	cause.Since = ""
	if cause.Reason != checkpoint.ParkedItem || cause.RestoreOnly || t.resumedFor(partition) == cause {
		return nil
	}
	key := sinks.Key{PK: why.PK, SK: why.SK}
	done, err := quarantine.Done(ctx, quarantine.Decision{Topic: t.topic, Table: t.send.Table, Keys: t.keys, Key: key})
	if err != nil || !done {
		return err
	}
	u := checkpoint.Unparking{Topic: t.topic, Table: t.send.Table, Keys: t.keys, Partition: partition}
	if _, err := checkpoint.Resume(ctx, u); err != nil && !errors.Is(err, checkpoint.ErrNotParked) {
		return err
	}
	t.log.Info("the damaged item was quarantined while the partition was being parked, which therefore continues", "partition", partition,
		"item", key.PK+" / "+key.SK)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.resumed[partition] = cause
	return nil
}

func (t *taker) resumedFor(partition int32) checkpoint.Park {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.resumed[partition]
}
