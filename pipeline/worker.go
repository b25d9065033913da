package pipeline

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// worker is the owner of one partition. It keeps the promise "one owner": the partition's windows, sketches and
// sessions are touched by the goroutine of run and by no other, without locks. Around it, one goroutine a lane
// applies the step that was cut, from bytes that no longer change; answers come back through atomics and wake.
//
// Its life: acquired, perhaps redo, then fold, cut, intend, apply over and over, until it is asked to retire
// (revoked, shutdown), or dies: lost, fenced, or a failure that ends the process.
type worker struct {
	*owned
	inbox
	intake
	ahead    ahead
	batch    []*kgo.Record // of the present chunk, and not received yet
	part     []record      // received, and not folded yet
	held     int64         // bytes in memory, as the process's budget has them
	start    int64         // the offset it was acquired at
	since    int64         // the poll that was under way then; the poll loop's
	retiring chan struct{} // closed: finish what is open, then end
	retire   func()
	kill     context.CancelCauseFunc
	done     chan struct{}
	err      error        // why run ended; read after done
	broken   atomic.Value // error of a goroutine around the worker

	// For others to see; by lane.
	born    time.Time                 // when it was acquired
	settled atomic.Pointer[settledTo] // how far all lanes are
	intents []atomic.Int64            // the instant since when its intent is open; 0: none is
	redoing []atomic.Bool             // the open intent is a redo that still accumulates
	stale   []atomic.Int64            // the instant since when folded records wait; 0: none
	states  []atomic.Int64            // states in memory
}

// owned is a partition with its lanes.
type owned struct {
	*shared
	partition int32
	tp        sinks.TP
	topicID   [16]byte
	topicHex  string
	lanes     []*lane
	stats     *lane                                // the one of lanes that raw events, failed events and totals go with
	wake      chan struct{}                        // something was answered or queued
	parking   atomic.Pointer[checkpoint.ParkError] // why to end once everything that was queued is settled; nil: do not end
}

// Reasons for which a worker's context ends.
var (
	errLost     = errors.New("partition lost")
	errReplaced = errors.New("partition acquired again")
	errDeadline = errors.New("drain cut short")
)

func (o *owned) signal() {
	select {
	case o.wake <- struct{}{}:
	default: // It is awake already.
	}
}

// fault ends the worker with an error of a goroutine around it.
func (w *worker) fault(err error) {
	w.broken.CompareAndSwap(nil, &err)
	w.signal()
}

// run is the worker's goroutine. It returns nil after a clean retirement.
func (w *worker) run(ctx context.Context) (err error) {
	defer func() {
		w.kill(context.Canceled) // What is still in flight has no use any more.
		w.ahead.stop()
		w.leaveQueue()
		w.await()
		w.reportUnfinished(err)
		w.raw.wg.Wait()
		w.memory.leave(w)
	}()
	defer func() {
		if cause := recover(); cause != nil { // A lane's state may be anything now: nothing of it may be written.
			err = w.panicked(ctx, cause, debug.Stack())
		}
	}()
	w.ahead.start()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		if err := w.advance(ctx, time.Now()); err != nil {
			return err
		}
		if !w.blocked() {
			if len(w.batch)+len(w.part) == 0 {
				if err := w.nextChunk(); err != nil {
					return err
				}
			}
			if len(w.batch)+len(w.part) > 0 {
				if err := w.ingest(ctx); err != nil {
					return err
				}
				if err := context.Cause(ctx); err != nil {
					return err
				}
				select {
				case <-w.retiring:
					return w.drain(ctx)
				default:
					continue
				}
			}
			w.raw.flush() // Nothing more to share a batch with.
			if why := w.parkEnd(); why != nil {
				return why
			}
		}
		timer.Reset(time.Until(w.nextTick()))
		select {
		case <-w.wake:
		case <-timer.C:
		case <-w.retiring:
			return w.drain(ctx)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// leaveQueue gives up what was fetched and not folded, for good.
func (w *worker) leaveQueue() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.gone = true
	w.memory.fetched.Add(-int64(w.queuedBytes + w.aheadBytes))
	w.queue, w.queuedBytes, w.aheadBytes = nil, 0, 0
}

// await waits for the goroutines that apply steps; their context has ended.
func (w *worker) await() {
	for _, l := range w.lanes {
		for l.open != nil && l.open.result.Load() == nil {
			<-w.wake
		}
	}
}

func (w *worker) nextTick() time.Time {
	t := w.lanes[0].next
	for _, l := range w.lanes[1:] {
		if l.next.Before(t) {
			t = l.next
		}
	}
	return t
}

// blocked reports whether folding must wait: a lane has grown to its ceiling while its last step is not settled, or a day
// has begun since that step began to accumulate, or too many raw or failed events are in flight. The partition's fetching
// then pauses. An outage of the table does not reach these ceilings. The first record that touches a state which is not in
// memory waits for the table in its load. That is the first record of a new minute at the latest, so a lane accumulates for
// a minute at most.
func (w *worker) blocked() bool {
	for _, l := range w.lanes {
		if l.open != nil && (l.over(w.limits, ceilingSteps) || w.crowded(l) || l.outdated(w.now())) {
			return true
		}
	}
	return w.raw.full() || w.failed.full() || w.pressed() && (w.heavy(w.raw.bytes.Load()) || w.heavy(w.failed.outstanding.Load()))
}

// ceilingSteps is how far a step may accumulate beyond the bound at which it is cut, while the step before is
// applied: one hot key then holds up its lane's writes, but not yet the other lane of its partition. The step that comes of it is
// written within drainStep where the bound takes half of that.
const ceilingSteps = 2

// advance takes note of answers, then begins what can be begun.
func (w *worker) advance(ctx context.Context, now time.Time) error {
	if p, ok := w.broken.Load().(*error); ok {
		return *p
	}
	for _, l := range w.lanes {
		if err := w.settle(l); err != nil {
			return err
		}
	}
	w.relieve()
	for _, l := range w.lanes {
		if w.parking.Load() != nil {
			l.due = true
		}
		if !now.Before(l.next) {
			l.due = l.due || !l.waits(now, w.behind())
			l.next = l.next.Add(l.interval)
			if !now.Before(l.next) { // We were held up: skip what was missed.
				l.next = now.Add(l.interval)
			}
		}
		if l.open != nil || l.redo {
			continue
		}
		if l.overdue && l.records > 0 && w.caughtUp() {
			l.due = true
		}
		switch {
		case l.records > 0 && (l.due || l.over(w.limits, 1) || w.crowded(l) || l.outdated(w.now())):
			w.cut(ctx, l, w.pace(l))
		case l.due:
			l.due = false
			switch latest := w.rules.latest().Rev(); {
			case l.records > 0:
			case l == w.stats && l.chain.Behind(latest): // Before what moves on with every transaction that is aborted.
				w.note(ctx, l, latest)
			case l.chain.Unfinished(w.next(l)):
				w.finish(ctx, l)
			}
		}
	}
	w.watch()
	return nil
}

// settle closes the lane's open step once every item has answered and every raw and failed event is durable.
func (w *worker) settle(l *lane) error {
	if l.open == nil {
		return nil
	}
	result := l.open.result.Load()
	switch {
	case result == nil:
		return nil
	case result.err != nil:
		return fmt.Errorf("lane %s, flush %d: %w", l.name, l.open.number, result.err)
	case l.open.tally != nil && l.open.tally.pending.Load() > 0:
		return nil
	}
	open := l.open
	l.open = nil
	defer w.publishSettled()
	if open.finish {
		l.durable = max(l.durable, l.chain.Head.Position())
		return nil
	}
	l.durable = l.chain.Head.To
	l.admission.Settled()
	l.fold.Settled(open.number)
	now := w.phase(l, open, phaseSettle, result.applied)
	w.reportFlushed(open, nil)
	w.metrics.Visible.WithLabelValues(l.name).Observe(now.Sub(open.first).Seconds())
	w.metrics.Steps.WithLabelValues(l.name).Inc()
	if open.redo {
		w.metrics.Redone.WithLabelValues(l.name).Inc()
	}
	return nil
}

// pace spreads a step's writes over a part of the interval, so that they do not all meet one table at once; never
// while behind, since the next step then is due already.
func (w *worker) pace(l *lane) time.Duration {
	if l.overdue || w.behind() || w.queued() {
		return 0
	}
	return l.pace
}

// behind reports whether more records wait than a chunk has, in the log and in the queue.
func (w *worker) behind() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.end.stable-w.expected > chunkRecords
}

// queued reports whether records were fetched and are not folded.
func (w *worker) queued() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.queuedBytes > 0
}

// caughtUp reports whether all records are folded that can be read, as far as the worker has heard.
func (w *worker) caughtUp() bool {
	if len(w.batch)+len(w.part) > 0 {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.queuedBytes == 0 && w.expected >= w.end.stable
}

// cut ends the lane's accumulating step and starts to apply it. The step after it begins to accumulate at once.
func (w *worker) cut(ctx context.Context, l *lane, pace time.Duration) {
	w.raw.flush()
	step, redo := l.chain.Head.Step+1, l.redo
	l.overdue = l.overdue && (redo || !l.due && !w.caughtUp()) // A flush that its size cut leaves more that waits.
	next, hist := checkpoint.Head{}, l.chain.Hist
	if redo {
		step, next = l.chain.Head.Step, l.chain.Head
	} else {
		next, hist = l.checkpoint(w.topicHex, w.laneTotals(l))
	}
	begun, records := time.Now(), l.records
	p := l.fold.Cut(w.now().Unix())
	w.metrics.planned(&p.Counts)
	bytes, packs := p.Room()+l.packs.Held(), l.packs
	p.Writes = append(p.Writes, l.admission.Cut(w.keys, w.tp, step)...)
	if h := l.history(w.keys, w.tp, next, step, hist); h != nil {
		p.Writes = append(h, p.Writes...)
	}
	open := &openStep{number: step, redo: redo, first: l.arrived, tally: l.tally, bytes: bytes}
	if w.flushed != nil {
		open.flush = &Flush{Topic: w.topic, Partition: w.partition, Lane: l.name, Number: step, From: next.From, To: next.To, Repeated: redo,
			Records: records, Items: p.Size() + packs.Len(), Bytes: bytes, Begun: begun}
	}
	open.since = w.phase(l, open, phaseCut, begun)
	l.open, l.due, l.through = open, false, l.dated
	l.begin(step + 1)
	a := &applier{send: w.send.confirmed(l.chain, l.chain.Head.Epoch), chain: l.chain, mark: sinks.AttrMark(l.name, w.tp), step: step,
		pace: pace, hurry: w.retiring, byKey: w.writesByKey}
	w.perform(open, func() error {
		applying := open.since
		if !redo {
			if err := l.chain.Intend(ctx, next, hist); err != nil {
				return err
			}
			applying = w.phase(l, open, phaseIntend, open.since)
		}
		p.Raw = w.packed(packs, step)
		err := a.run(ctx, p)
		if err == nil {
			w.phase(l, open, phaseApply, applying)
		}
		if redo && err == nil {
			w.log.Info("flush repeated after a takeover", "partition", w.partition, "lane", l.name, "step", step,
				"updates", p.Updates(), "repeated", a.repeated.Load())
		}
		return err
	})
}

// finish marks the lane's head as done, so that its next owner need not do it again.
func (w *worker) finish(ctx context.Context, l *lane) {
	l.open = &openStep{number: l.chain.Head.Step, finish: true, since: time.Now()}
	next, through := w.next(l), l.through
	w.perform(l.open, func() error { return l.chain.Finish(ctx, next, through) })
}

// note records which revision of the sites' rules the idle lane has read.
func (w *worker) note(ctx context.Context, l *lane, rev int64) {
	l.open = &openStep{number: l.chain.Head.Step, finish: true, since: time.Now()}
	w.perform(l.open, func() error { return l.chain.Note(ctx, rev) })
}

// next is the position up to which nothing follows the lane's head: a record that it has accumulated is
// still to come.
func (w *worker) next(l *lane) int64 {
	if l.records > 0 || len(w.part) > 0 {
		return l.chain.Head.To
	}
	return max(l.chain.Head.To, w.expected+l.base)
}

func (w *worker) perform(open *openStep, work func() error) {
	go func() {
		err := work()
		open.result.Store(&stepResult{err, time.Now()})
		w.signal()
	}()
}

func (w *worker) laneTotals(l *lane) checkpoint.Totals {
	if l != w.stats {
		return checkpoint.Totals{}
	}
	return w.totals.Clone()
}
