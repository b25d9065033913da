package pipeline

import (
	"context"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"

	"github.com/footfall/footfall/pipeline/checkpoint"
)

// A transaction that its producer neither commits nor aborts keeps everything after its first record from being read: the
// partition waits, with nothing wrong at the consumer. Brokers end it after its timeout, 15 minutes at most unless they
// are configured otherwise, but for one that hangs (KIP-664), which an operator has to abort.

const (
	heldWarnAfter = time.Minute
	heldWarnAgain = 10 * time.Minute
)

// holds are the last stable offsets that partitions stand at while there is more in the log, by partition.
type holds map[int32]hold

type hold struct {
	stable int64
	warn   time.Time // when to warn of it
}

// look notes where the workers' partitions stand, and returns those to warn of.
func (h holds) look(workers []*worker, now time.Time) (held []*worker) {
	seen := make(map[int32]bool)
	for _, w := range workers {
		end := w.End()
		if end.Held() == 0 {
			continue
		}
		seen[w.partition] = true
		at, ok := h[w.partition]
		switch {
		case !ok || at.stable != end.Stable:
			at = hold{end.Stable, now.Add(heldWarnAfter)}
		case !now.Before(at.warn):
			at.warn = now.Add(heldWarnAgain)
			held = append(held, w)
		}
		h[w.partition] = at
	}
	for n := range h {
		if !seen[n] {
			delete(h, n)
		}
	}
	return held
}

// warnOfHold names the producer whose open transaction holds up a partition.
func (o *observer) warnOfHold(ctx context.Context, admin *kadm.Client, w *worker) {
	end := w.End()
	attrs := []any{"partition", w.partition, "lastStableOffset", end.Stable, "records", end.Held()}
	if tx, err := checkpoint.FindOpenTransaction(ctx, admin, o.topic, w.partition); err != nil {
		attrs = append(attrs, "error", err)
	} else {
		attrs = append(attrs, "producerId", tx.ProducerID, "producerEpoch", tx.ProducerEpoch, "transactionalId", tx.TransactionalID,
			"firstOffset", tx.FirstOffset)
	}
	if ctx.Err() == nil {
		// Cause: A producer has begun a transaction and neither committed nor aborted it. Remedy: Mend the producer or wait for its timeout. If
		// the transaction hangs, abort it by the `producerId` of the line.
		o.log.Warn("an open transaction holds up a partition: what follows it is counted once its producer, the broker's timeout, or "+
			"`kafka-transactions.sh abort` ends it", attrs...)
	}
}
