package requests

import (
	"context"
	"log/slog"
	"time"

	"github.com/footfall/footfall/sinks"
)

// sweepEvery is how often expired items are deleted where the store does not do it itself.
const sweepEvery = 10 * time.Second

// Sweep deletes expired items until ctx ends.
func Sweep(ctx context.Context, table sinks.Sweeper, now func() time.Time, log *slog.Logger) {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			for deleted := 1; deleted > 0; { // A bounded bite each time, so that writes get their turn.
				var err error
				if deleted, err = table.Sweep(ctx, now()); err != nil && ctx.Err() == nil {
					// Cause: The SQLite file refused it: it is locked, read-only, or its disk is full. Remedy: Mend what `error` names. The process tries
					// again every 10 s; until then the file grows.
					log.Warn("expired items are not deleted", "error", err)
				}
			}
		case <-ctx.Done():
			return
		}
	}
}
