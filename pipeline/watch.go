package pipeline

import "github.com/footfall/footfall/pipeline/internal/requests"

// watch publishes what others read of the worker.
func (w *worker) watch() {
	for i, l := range w.lanes {
		intent := int64(0)
		switch {
		case l.Open != nil && !l.Open.Finish:
			intent = requests.Instant(l.Open.Since)
		case l.Redo:
			intent = requests.Instant(w.born)
		}
		w.intents[i].Store(intent)
		w.redoing[i].Store(l.Redo)
		w.states[i].Store(int64(l.Fold.States()))
	}
	w.watchStale()
}

// watchStale publishes since when folded records wait. It comes before publish, so that at any time a record that is not in the table is
// either folded or unread.
func (w *worker) watchStale() {
	for i, l := range w.lanes {
		stale := int64(0)
		if since := l.StaleSince(); !since.IsZero() {
			stale = requests.Instant(since)
		}
		w.stale[i].Store(stale)
	}
}
