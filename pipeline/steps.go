package pipeline

import (
	"context"
	"fmt"
	"time"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/internal/lanes"
	"github.com/footfall/footfall/pipeline/telemetry"
	"github.com/footfall/footfall/sinks"
)

// settle closes the lane's open step once every item has answered and every raw and failed event is durable.
func (w *worker) settle(l *lanes.Lane) error {
	if l.Open == nil {
		return nil
	}
	result := l.Open.Result.Load()
	switch {
	case result == nil:
		return nil
	case result.Err != nil:
		return fmt.Errorf("lane %s, flush %d: %w", l.Name, l.Open.Number, result.Err)
	case l.Open.Tally != nil && !l.Open.Tally.Done():
		return nil
	}
	open := l.Open
	l.Open = nil
	defer w.publishSettled()
	if open.Finish {
		l.Durable = max(l.Durable, l.Chain.Head.Position())
		return nil
	}
	l.Durable = l.Chain.Head.To
	l.Admission.Settled()
	l.Fold.Settled(open.Number)
	now := w.phase(l, open, telemetry.PhaseSettle, result.Applied)
	w.reportFlushed(open, nil)
	w.metrics.Visible.WithLabelValues(l.Name).Observe(now.Sub(open.First).Seconds())
	w.metrics.Steps.WithLabelValues(l.Name).Inc()
	if open.Redo {
		w.metrics.Redone.WithLabelValues(l.Name).Inc()
	}
	return nil
}

// pace spreads a step's writes over a part of the interval, as they would otherwise all meet one table at once; never
// while behind, since the next step then is due already.
func (w *worker) pace(l *lanes.Lane) time.Duration {
	if l.Overdue || w.Behind(w.expected) || !w.Empty() {
		return 0
	}
	return l.Pace
}

// caughtUp reports whether all records are folded that can be read, as far as the worker has heard.
func (w *worker) caughtUp() bool {
	if len(w.batch)+len(w.part) > 0 {
		return false
	}
	return w.Exhausted(w.expected)
}

// cut ends the lane's accumulating step and starts to apply it. The step after it begins to accumulate at once.
func (w *worker) cut(ctx context.Context, l *lanes.Lane, pace time.Duration) {
	w.raw.Flush()
	step, redo := l.Chain.Head.Step+1, l.Redo
	l.Overdue = l.Overdue && (redo || !l.Due && !w.caughtUp()) // A flush that its size cut leaves more that waits.
	next, hist := checkpoint.Head{}, l.Chain.Hist
	if redo {
		step, next = l.Chain.Head.Step, l.Chain.Head
	} else {
		next, hist = l.Checkpoint(w.topicHex, w.laneTotals(l))
	}
	begun, records := time.Now(), l.Taken.Records
	p := l.Fold.Cut(w.now().Unix())
	w.metrics.CountPlanned(&p.Counts)
	bytes, packs := p.Room()+l.Taken.Packs.Held(), l.Taken.Packs
	p.Writes = append(p.Writes, l.Admission.Cut(w.keys, w.tp, step)...)
	if h := l.History(w.keys, w.tp, next, step, hist); h != nil {
		p.Writes = append(h, p.Writes...)
	}
	open := &lanes.Open{Number: step, Redo: redo, First: l.Taken.Arrived, Tally: l.Taken.Tally, Bytes: bytes}
	if w.options.Flushed != nil {
		open.Flush = &Flush{Topic: w.topic, Partition: w.partition, Lane: l.Name, Number: step, From: next.From, To: next.To, Repeated: redo,
			Records: records, Items: p.Size() + packs.Len(), Bytes: bytes, Begun: begun}
	}
	open.Since = w.phase(l, open, telemetry.PhaseCut, begun)
	l.Open, l.Due, l.Through = open, false, l.Taken.Dated
	l.Begin(step + 1)
	a := &lanes.Applier{Send: w.send.Confirmed(l.Chain, l.Chain.Head.Epoch), Chain: l.Chain, Mark: sinks.AttrMark(l.Name, w.tp), Step: step,
		Pace: pace, Hurry: w.retiring, ByKey: w.options.WritesByKey, Past: l.Past(w.keys, w.tp, next, w.End().Start)}
	w.perform(open, func() error {
		applying := open.Since
		if !redo {
			if err := l.Chain.Intend(ctx, next, hist); err != nil {
				return err
			}
			applying = w.phase(l, open, telemetry.PhaseIntend, open.Since)
		}
		p.Raw = w.packed(packs, step)
		err := a.Run(ctx, p)
		if err == nil {
			w.phase(l, open, telemetry.PhaseApply, applying)
		}
		if redo && err == nil {
			w.log.Info("flush repeated after a takeover", "partition", w.partition, "lane", l.Name, "step", step,
				"updates", p.Updates(), "repeated", a.Repeated.Load())
		}
		return err
	})
}

// finish marks the lane's head as done, so that its next owner need not do it again.
func (w *worker) finish(ctx context.Context, l *lanes.Lane) {
	l.Open = &lanes.Open{Number: l.Chain.Head.Step, Finish: true, Since: time.Now()}
	next, through := w.next(l), l.Through
	w.perform(l.Open, func() error { return l.Chain.Finish(ctx, next, through) })
}

// note records which revision of the sites' rules the idle lane has read.
func (w *worker) note(ctx context.Context, l *lanes.Lane, rev int64) {
	l.Open = &lanes.Open{Number: l.Chain.Head.Step, Finish: true, Since: time.Now()}
	w.perform(l.Open, func() error { return l.Chain.Note(ctx, rev) })
}

func (o *owned) perform(open *lanes.Open, work func() error) {
	go func() {
		err := work()
		open.Result.Store(&lanes.StepResult{Err: err, Applied: time.Now()})
		o.signal()
	}()
}

func (w *worker) laneTotals(l *lanes.Lane) checkpoint.Totals {
	if l != w.stats {
		return checkpoint.Totals{}
	}
	return w.totals.Clone()
}
