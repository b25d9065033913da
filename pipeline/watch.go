package pipeline

// watch publishes what others read of the worker.
func (w *worker) watch() {
	for i, l := range w.lanes {
		intent := int64(0)
		switch {
		case l.open != nil && !l.open.finish:
			intent = instant(l.open.since)
		case l.redo:
			intent = instant(w.born)
		}
		w.intents[i].Store(intent)
		w.redoing[i].Store(l.redo)
		w.states[i].Store(int64(l.fold.States()))
	}
	w.watchStale()
}

// watchStale publishes since when folded records wait. It comes before publish, so that at any time a record that is not in the table is
// either folded or unread.
func (w *worker) watchStale() {
	for i, l := range w.lanes {
		stale := int64(0)
		if since := l.staleSince(); !since.IsZero() {
			stale = instant(since)
		}
		w.stale[i].Store(stale)
	}
}
