package pipeline

import (
	"context"
	"errors"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/internal/requests"
)

// inspect asks Kafka for the topic's id and for the extent of each partition, until it gets an answer.
func (t *taker) inspect(ctx context.Context, parts []int32) (id [16]byte, logs map[int32]checkpoint.Extent, err error) {
	admin := kadm.NewClient(t.client)
	for backoff := requests.BackoffFirst; ; backoff = min(2*backoff, requests.BackoffLast) {
		if id, logs, err = checkpoint.InspectTopic(ctx, admin, t.topic, parts); err == nil {
			for n, log := range logs {
				logs[n] = log.After(t.options.Rebuild.Past, n)
			}
			return id, logs, nil
		}
		// Cause: The brokers do not return the id and the offsets of the topic, which a takeover needs. Remedy: The process asks until they do.
		// If it lasts, run `footfall doctor`.
		t.log.Warn("topic cannot be inspected yet", "topic", t.topic, "error", err)
		select {
		case <-time.After(backoff):
		case <-ctx.Done():
			return id, nil, errors.Join(context.Cause(ctx), err)
		}
	}
}
