package pipeline

import (
	"context"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/pipeline/aggregate"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
)

// ingest decodes a chunk of the batch, if none is decoded, and folds a portion of it, in the order of offsets. No lane's redo
// ends inside of a chunk: a redo is cut exactly where the step was cut before, whatever came in one fetch.
func (w *worker) ingest(ctx context.Context) error {
	if len(w.part) == 0 {
		n := w.chunkEnd(w.batch)
		if n == 0 {
			return w.redoWithoutEnd(ctx, w.batch[0])
		}
		w.part = w.decode(w.batch[:n])
		w.batch = w.batch[n:]
		w.dedupe(w.part)
	}
	n := w.portion(w.part)
	portion := w.part[:n]
	w.part = w.part[n:]
	if err := w.fold(ctx, portion); err != nil {
		return err
	}
	for _, l := range w.lanes {
		if !l.reached() {
			continue
		}
		if l.repeats != l.chain.Head.Repeats {
			return w.unrepeatable(ctx, l, checkpoint.GapWindow)
		}
		w.cut(ctx, l, 0)
	}
	return nil
}

// chunkEnd returns how many of the records come before the end of every redo.
func (w *worker) chunkEnd(batch []*kgo.Record) int {
	for _, l := range w.lanes {
		if !l.redo {
			continue
		}
		for i, r := range batch {
			if r.Offset+l.base >= l.chain.Head.To {
				batch = batch[:i]
				break
			}
		}
	}
	return len(batch)
}

// redoWithoutEnd tells which lane's redo cannot be completed: the log goes on behind the head's last record and does
// not have that record any more.
func (w *worker) redoWithoutEnd(ctx context.Context, next *kgo.Record) error {
	for _, l := range w.lanes {
		if l.redo && next.Offset+l.base >= l.chain.Head.To {
			return w.unrepeatable(ctx, l, checkpoint.GapMissing)
		}
	}
	panic("a chunk is empty although no redo ends before it")
}

// unrepeatable leaves a gap where the lane's open step cannot be done again as it was begun.
func (w *worker) unrepeatable(ctx context.Context, l *lane, cause checkpoint.GapCause) error {
	gap := checkpoint.Unrepeatable(cause, l.chain.Head, time.Now())
	if err := l.chain.Leave(ctx, gap); err != nil {
		return err
	}
	return &checkpoint.GapError{Gap: gap, Partition: w.partition, Lane: l.name}
}

// fold folds decoded records, all lanes at once.
func (w *worker) fold(ctx context.Context, records []record) error {
	w.fixTerms()
	w.judge(records)
	if err := w.meet(ctx, records); err != nil {
		return err
	}
	if err := w.loadStates(ctx, records); err != nil {
		return err
	}
	w.add(records)
	w.forgetRefused()
	w.tell()
	w.publish()
	return nil
}

// fixTerms fixes under which rules of sites, and up to which record time, records are judged that a step takes first.
func (w *worker) fixTerms() {
	for _, l := range w.lanes {
		l.fixRules(w.rules.latest())
		l.date(w.now())
	}
	w.readClock()
}

// loadStates reads the states that the lanes need for their records: first what decides which states those are, then the states, and
// what these call for in turn.
func (w *worker) loadStates(ctx context.Context, records []record) error {
	for _, l := range w.lanes {
		l.adoptFirstRules(w.rules.latest())
	}
	w.accepted(records, func(l *lane, in *aggregate.Input) { l.fold.Prepare(in, &w.load) })
	if err := w.load.load(ctx); err != nil {
		return err
	}
	w.accepted(records, func(l *lane, in *aggregate.Input) { l.fold.Want(in, &w.load) })
	for rest := true; rest; rest = len(w.load.keys) > 0 {
		if err := w.load.load(ctx); err != nil {
			return err
		}
		for _, l := range w.lanes {
			if err := l.fold.Loaded(&w.load); err != nil {
				return err
			}
		}
	}
	return nil
}

// accepted calls do for each lane that accepts a record, in the order of records.
func (w *worker) accepted(records []record, do func(*lane, *aggregate.Input)) {
	for i := range records {
		r := &records[i]
		w.at = r.raw.Offset
		for _, l := range w.lanes {
			if r.verdicts[l.n] == event.Accepted {
				do(l, &r.Input)
			}
		}
	}
}

// add adds the records to the lanes' steps.
func (w *worker) add(records []record) {
	for i := range records {
		r := &records[i]
		w.at = r.raw.Offset
		for _, l := range w.lanes {
			reason := r.verdicts[l.n]
			if reason == folded {
				continue
			}
			l.take(r)
			switch reason {
			case event.Accepted:
				l.fold.Add(&r.Input)
			case event.Duplicate:
				l.repeats++
			}
			if l == w.stats {
				w.account(r, reason)
			}
		}
	}
}

// readClock gives the folds the time: they have no clock.
func (w *worker) readClock() {
	now := w.now().UnixMilli()
	for _, l := range w.lanes {
		l.fold.At(now)
	}
}

// folded stands for a verdict on a record that a lane has folded before.
const folded event.Reason = "folded"

// judge finds each lane's verdict on each record, but for how many sites may be new.
func (w *worker) judge(records []record) {
	for i := range records {
		r := &records[i]
		w.at = r.raw.Offset
		for _, l := range w.lanes {
			r.verdicts[l.n] = folded
			if l.position(r) >= l.pos {
				r.verdicts[l.n] = w.verdict(l, r)
			}
		}
	}
}

// verdict is the lane's verdict on a record under the settings and the rules of the lane's step.
func (w *worker) verdict(l *lane, r *record) event.Reason {
	switch {
	case r.reason != event.Accepted:
		return r.reason
	case 0 < r.repeats && r.repeats <= l.settings.Duplicates:
		return event.Duplicate
	}
	if reason := l.settings.Judge(&r.Event, r.Time); reason != event.Accepted {
		return reason
	}
	return w.registered(l, r)
}

// publish tells others how far the worker is.
func (w *worker) publish() {
	w.mu.Lock()
	defer w.mu.Unlock()
	next := w.expected
	if len(w.part) > 0 {
		next = w.part[0].raw.Offset
	}
	if next > w.nextOffset { // Else it is still filling the window of duplicates.
		w.nextOffset = next
	}
}
