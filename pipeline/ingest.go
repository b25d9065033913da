package pipeline

import (
	"context"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/classify"
	"github.com/footfall/footfall/internal/pack"
	"github.com/footfall/footfall/pipeline/aggregate"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
)

// intake takes a partition's records into the steps of its lanes.
type intake struct {
	*owned
	chunk     *chunk   // the present one; nil: none
	decoded   []record // of chunk, and not received yet
	seen      *duplicates
	saidShort time.Time            // when the log last said that memory shortens its window
	classes   *classify.Classifier // of the lanes
	sites     aggregate.Sites      // that the lanes have in memory
	refused   []*aggregate.Site    // of them, those with a rejected record
	load      loader               // what the present portion wants of the table
	reads     pulse                // of its loads, which hold up all lanes
	queries   queryCutter
	raw       *rawWriter
	packing   pack.Event // room for the one that is being packed
	failed    *failedWriter
	totals    checkpoint.Totals // as of stats.pos
	count     counts            // of the present chunk
	brings    []siteHour        // hours that the next portion brings
	wary      int               // for how many portions sessions count as hours
	expected  int64             // the next offset to fold
	at        int64             // the offset that is being folded, for an error
	arrived   time.Time         // when the first record of the present batch was first seen in the log
}

// ingest receives records of the chunk, if none are, and folds a portion of them, in the order of offsets. No lane's redo
// ends inside of what is received: a redo is cut exactly where the step was cut before, whatever came in one fetch.
func (w *worker) ingest(ctx context.Context) error {
	if len(w.part) == 0 {
		n := w.chunkEnd(w.batch)
		if n == 0 {
			return w.redoWithoutEnd(ctx, w.batch[0])
		}
		w.part = w.receive(w.batch[:n])
		w.batch = w.batch[n:]
		w.dedupe(w.part)
	}
	n := w.portion(w.part)
	portion := w.part[:n]
	w.part = w.part[n:]
	if err := w.fold(ctx, portion); err != nil {
		return err
	}
	w.watchStale()
	w.publish()
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

// redoWithoutEnd leaves a gap in the lane whose redo cannot be completed: the log continues after the head's last record and no longer
// has that record.
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
func (in *intake) fold(ctx context.Context, records []record) error {
	in.fixTerms()
	in.judge(records)
	if err := in.meet(ctx, records); err != nil {
		return err
	}
	if err := in.loadStates(ctx, records); err != nil {
		return err
	}
	in.add(records)
	in.forgetRefused()
	in.addCounts()
	return nil
}

// fixTerms fixes under which rules of sites, and up to which record time, records are judged that a step takes first.
func (in *intake) fixTerms() {
	for _, l := range in.lanes {
		l.fixRules(in.rules.latest())
		l.date(in.now())
	}
	in.readClock()
}

// loadStates reads the states that the lanes need for their records: first what decides which states those are, then the states, and
// what these call for in turn.
func (in *intake) loadStates(ctx context.Context, records []record) error {
	for _, l := range in.lanes {
		l.adoptFirstRules(in.rules.latest())
	}
	in.accepted(records, func(l *lane, r *aggregate.Input) { l.fold.Prepare(r, &in.load) })
	if err := in.load.load(ctx); err != nil {
		return err
	}
	in.accepted(records, func(l *lane, r *aggregate.Input) { l.fold.Want(r, &in.load) })
	for rest := true; rest; rest = len(in.load.keys) > 0 {
		if err := in.load.load(ctx); err != nil {
			return err
		}
		for _, l := range in.lanes {
			if err := l.fold.Loaded(&in.load); err != nil {
				return err
			}
		}
	}
	return nil
}

// accepted calls do for each lane that accepts a record, in the order of records.
func (in *intake) accepted(records []record, do func(*lane, *aggregate.Input)) {
	for i := range records {
		r := &records[i]
		in.at = r.raw.Offset
		for _, l := range in.lanes {
			if r.verdicts[l.n] == event.Accepted {
				do(l, &r.Input)
			}
		}
	}
}

// add adds the records to the lanes' steps.
func (in *intake) add(records []record) {
	for i := range records {
		r := &records[i]
		in.at = r.raw.Offset
		for _, l := range in.lanes {
			reason := r.verdicts[l.n]
			if reason == folded {
				continue
			}
			l.take(r, in.arrived)
			switch reason {
			case event.Accepted:
				l.fold.Add(&r.Input)
			case event.Duplicate:
				l.repeats++
			}
			if l == in.stats {
				in.account(r, reason)
			}
		}
	}
}

// readClock gives the folds the time: they have no clock.
func (in *intake) readClock() {
	now := in.now().UnixMilli()
	for _, l := range in.lanes {
		l.fold.At(now)
	}
}

// folded is the verdict on a record that a lane has folded before.
const folded event.Reason = "folded"

// judge finds each lane's verdict on each record, but for how many sites may be new.
func (in *intake) judge(records []record) {
	for i := range records {
		r := &records[i]
		in.at = r.raw.Offset
		for _, l := range in.lanes {
			r.verdicts[l.n] = folded
			if l.position(r) >= l.pos {
				r.verdicts[l.n] = in.verdict(l, r)
			}
		}
	}
}

// verdict is the lane's verdict on a record under the settings and the rules of the lane's step.
func (in *intake) verdict(l *lane, r *record) event.Reason {
	switch {
	case r.reason != event.Accepted:
		return r.reason
	case r.repeats.within > 0 && in.seen.has(r.repeats, l.settings.Duplicates):
		return event.Duplicate
	}
	if reason := l.settings.Judge(&r.Event, r.Time); reason != event.Accepted {
		return reason
	}
	return in.registered(l, r)
}

// publish shows other goroutines how far the worker is.
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
