package pipeline

import (
	"github.com/footfall/footfall/pipeline/aggregate"
	"github.com/footfall/footfall/pipeline/internal/lanes"
)

// hold publishes how many bytes the worker holds.
func (w *worker) hold() {
	n := int64(len(w.sites)*aggregate.SiteRoom) + w.raw.Held() + w.failed.Waiting()
	for _, l := range w.lanes {
		n += int64(l.Accumulated())
		if l.Open != nil {
			n += int64(l.Open.Bytes)
		}
	}
	w.holding.Set(n)
}

// relieve lets go of states that no open step has touched, as many as the worker must.
func (w *worker) relieve() {
	w.hold()
	if !w.holding.Pressed() {
		return
	}
	for _, l := range w.lanes {
		need := w.holding.Excess()
		if need <= 0 {
			return
		}
		settled := l.Settled()
		w.metrics.Memory.Released.Add(float64(l.Fold.Release(settled, int(need))))
		w.hold()
	}
}

// crowded reports whether the lane's accumulating step is so large that it must be cut, or, while the step before is being
// applied, must not grow.
func (w *worker) crowded(l *lanes.Lane) bool {
	return w.holding.Pressed() && w.holding.Heavy(int64(l.Accumulated()))
}

// A chunk that touches many hours which are not in memory is folded in portions, since each of them may bring a breakdown of
// two megabytes. Between two portions a step can be cut.
