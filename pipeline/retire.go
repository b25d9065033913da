package pipeline

import (
	"time"
)

// retire drains workers side by side and waits for them; each ends within its own deadlines.
func (r *roster) retire(parts []int32) {
	workers := r.of(parts)
	for _, w := range workers {
		w.retire()
	}
	limit := time.NewTimer(drainStep + 2*drainRest)
	defer limit.Stop()
	for _, w := range workers {
		select {
		case <-w.done:
		case <-limit.C: // It hangs in a read: drop it, and all that come after.
			r.drop(parts, errDeadline)
			return
		}
	}
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
