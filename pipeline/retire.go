package pipeline

import (
	"time"
)

// retire drains workers side by side, waits for them and returns them.
func (r *roster) retire(parts []int32) []*worker {
	workers := r.of(parts)
	for _, w := range workers {
		w.retire()
	}
	limit := time.NewTimer(drainWorkers)
	defer limit.Stop()
	for _, w := range workers {
		select {
		case <-w.done:
		case <-limit.C: // Drop it, and all that come after.
			r.drop(parts, errDeadline)
			return workers
		}
	}
	return workers
}

// drop ends workers at once and waits for them.
func (r *roster) drop(parts []int32, cause error) {
	workers := r.of(parts)
	for _, w := range workers {
		w.kill(cause)
	}
	for _, w := range workers {
		<-w.done
	}
}
