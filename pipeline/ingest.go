package pipeline

import (
	"context"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/internal/decoding"
	"github.com/footfall/footfall/pipeline/internal/lanes"
)

// ingest folds a portion of the received records, in the order of offsets. If none are left, it receives the next ones of the chunk. No
// lane's redo ends inside of what is received: a redo is cut exactly where the step was cut before, whatever came in one fetch.
func (w *worker) ingest(ctx context.Context) error {
	if len(w.part) == 0 {
		n := w.chunkEnd(w.batch)
		if n == 0 {
			return w.afterEnd(ctx, w.batch[0])
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
		if !l.Reached() {
			continue
		}
		if l.Taken.Repeats != l.Chain.Head.Repeats {
			return w.unrepeatable(ctx, l, checkpoint.GapWindow)
		}
		w.cut(ctx, l, 0)
	}
	return nil
}

// receive takes the next raw records of the present chunk, and returns what was decoded of them. Records that come before what the worker
// expects, as after a seek, are left out.
func (in *intake) receive(raws []*kgo.Record) []decoding.Record {
	all, used, kept := in.decoded, 0, 0
	for _, raw := range raws {
		isRecord := used < len(all) && all[used].Raw == raw // Else it is a control record.
		if isRecord {
			used++
		}
		if raw.Offset < in.expected {
			continue
		}
		in.expected = raw.Offset + 1
		if !isRecord {
			continue
		}
		if span := all[used-1].Span; span != nil {
			in.expected = span.Next
		}
		if kept < used-1 {
			all[kept] = all[used-1]
		}
		kept++
	}
	in.decoded = all[used:]
	return all[:kept]
}

// chunkEnd returns how many of the records come before the end of every step that has one.
func (o *owned) chunkEnd(batch []*kgo.Record) int {
	for _, l := range o.lanes {
		end := l.End()
		if end == 0 {
			continue
		}
		for i, r := range batch {
			if r.Offset+l.Base >= end {
				batch = batch[:i]
				break
			}
		}
	}
	return len(batch)
}

// afterEnd is called when the next record comes after the end of a step. It leaves a gap in a lane whose redo cannot be completed: the
// log continues after the head's last record and no longer has that record. A step that repeats a script ends here.
func (o *owned) afterEnd(ctx context.Context, next *kgo.Record) error {
	for _, l := range o.lanes {
		if l.Redo && next.Offset+l.Base >= l.Chain.Head.To {
			return o.unrepeatable(ctx, l, checkpoint.GapMissing)
		}
		l.Beyond(next.Offset + l.Base)
	}
	return nil
}

// unrepeatable leaves a gap where the lane's open step cannot be done again as it was begun.
func (o *owned) unrepeatable(ctx context.Context, l *lanes.Lane, cause checkpoint.GapCause) error {
	gap := checkpoint.Unrepeatable(cause, l.Chain.Head, time.Now())
	if err := l.Chain.Leave(ctx, gap); err != nil {
		return err
	}
	return &checkpoint.GapError{Gap: gap, Partition: o.partition, Lane: l.Name}
}

// publish shows other goroutines how far the worker is.
func (w *worker) publish() {
	next := w.expected
	if len(w.part) > 0 {
		next = w.part[0].Raw.Offset
	}
	w.Published(next)
}
