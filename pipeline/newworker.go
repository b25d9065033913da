package pipeline

import (
	"context"
	"encoding/hex"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/footfall/footfall/internal/classify"
	"github.com/footfall/footfall/pipeline/aggregate"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/internal/decoding"
	"github.com/footfall/footfall/pipeline/internal/duplicates"
	"github.com/footfall/footfall/pipeline/internal/inbox"
	"github.com/footfall/footfall/pipeline/internal/lanes"
	"github.com/footfall/footfall/pipeline/internal/loading"
	"github.com/footfall/footfall/pipeline/internal/outgoing"
	"github.com/footfall/footfall/sinks"
)

func (t *taker) newWorker(partition int32, topicID [16]byte) *worker {
	o := &owned{shared: t.shared, partition: partition, tp: sinks.TP{Topic: t.number, Partition: partition},
		topicID: topicID, topicHex: hex.EncodeToString(topicID[:]), wake: make(chan struct{}, 1)}
	lanes := len(checkpoint.Lanes)
	w := &worker{owned: o, Inbox: inbox.New(inbox.Place{Fetching: fetching{t.shared}, Partition: partition, Signal: o.signal, Memory: t.memory,
		Bytes: t.options.Limits.QueueBytes, ChunksAhead: t.options.ChunksAhead}), intake: intake{owned: o,
		classes: classify.New(), sites: make(aggregate.Sites)},
		retiring: make(chan struct{}), done: make(chan struct{}), born: time.Now(),
		intents: make([]atomic.Int64, lanes), redoing: make([]atomic.Bool, lanes), stale: make([]atomic.Int64, lanes),
		states: make([]atomic.Int64, lanes)}
	classes := w.classes
	if t.options.ChunksAhead > 0 {
		classes = classify.New() // The lanes use theirs at the same time.
	}
	w.ahead = decoding.Pipe{Limit: t.options.ChunksAhead, Decoder: decoding.NewDecoder(t.log, t.hash, partition, classes), Chunks: &t.chunks}
	w.holding = t.memory.NewHolding(o.signal)
	w.load = loading.New(w.send, &w.reads, w.readClock)
	w.retire = sync.OnceFunc(func() { close(w.retiring) })
	return w
}

// warmUp makes the windows of duplicates that any lane's settings, the process's and observe ask for, and begins the worker so
// much earlier: records that every lane has folded only fill the windows.
func (w *worker) warmUp(log checkpoint.Extent, observe checkpoint.Duplicates) {
	var windows []checkpoint.Duplicates
	from, floor := w.start, int64(0)
	for _, l := range w.lanes {
		floor = max(floor, l.Chain.Head.Floor-l.Base)
		asked := []checkpoint.Duplicates{observe}
		for s := range l.AllSettings() {
			asked = append(asked, s.Duplicates)
		}
		for _, of := range asked {
			if of.Off() {
				continue
			}
			from = min(from, l.ReachesBack(of))
			if !slices.Contains(windows, of) {
				windows = append(windows, of)
			}
		}
	}
	if goesOn := w.stats.Chain.Head.Step > 0; from < log.Start && 0 < log.Start && goesOn {
		// Cause: The topic has deleted records that are younger than `duplicates.window`, so the process cannot read again which events they had.
		// Remedy: Keep records in the topic for longer than the window.
		w.log.Warn("the log no longer holds the whole duplicates.window: a repetition of an event before its start counts again",
			"partition", w.partition, "wanted", max(0, from), "held", log.Start)
		w.metrics.Trimmed.Inc()
	}
	w.start = min(w.start, max(from, log.Start, floor)) // What was skipped cannot be read.
	w.seen = duplicates.NewWindow(windows, w.start, floor)
}

// equip gives the lane its fold and begins its first step: the head again, under the settings it was begun with,
// or the one after it, under the process's own.
func (w *worker) equip(l *lanes.Lane, where aggregate.Place) {
	if l.Name == checkpoint.LaneStats {
		w.stats = l
		w.totals = l.Chain.Head.Totals.Clone()
		o := aggregate.StatsOptions{Base: l.Base, Journal: w.options.Limits.Journal, Epoch: l.Epoch, Undecided: l.Chain.Head.Undecided,
			Overtaken: func(item sinks.Key, mark int64) {
				w.load.After(func(ctx context.Context) error { return l.Chain.Overtaken(ctx, l.Epoch, item, mark) })
			}}
		if l.Redo {
			o.Again = l.Chain.Head.Step
		}
		l.Fold = aggregate.NewStats(where, o)
		l.Pace = l.Interval / 2
	} else {
		l.Fold = aggregate.NewRealtime(where)
		l.Pace = min(l.Interval/2, realtimePace)
	}
	now := time.Now()
	l.Next, l.Overdue = now.Add(l.FirstTick(w.topic, w.partition)), l.Redo && l.Late(now)
	// After an owner that died, its interval continues: records that it had read have waited for a part of it.
	if at := time.UnixMilli(l.Chain.Head.FlushedAt).Add(l.Interval); l.Redo && at.After(now) && at.Before(l.Next) {
		l.Next = at
	}
	l.Durable = l.Pos
	if l.Redo {
		l.BeginAgain()
	} else {
		l.Begin(l.Chain.Head.Step + 1)
		l.Fold.Under(l.Rules)
	}
}

// realtimePace bounds the spreading of a realtime step's writes: they are looked at as they come.
const realtimePace = 500 * time.Millisecond

// cohortsKept is for how many steps an untouched state stays in memory: half an hour's, the time after which
// most sessions have ended.
func cohortsKept(interval time.Duration) int64 { return max(2, int64(30*time.Minute/interval)) }

// open gives the worker its context and the writers beside its lanes.
func (w *worker) open(ctx context.Context, kill context.CancelCauseFunc) {
	w.kill = kill
	pulse := w.stats.Chain.Pulse
	w.raw = outgoing.NewRawWriter(ctx, w.send.Confirmed(w.stats.Chain, w.stats.Chain.Head.Epoch), pulse, w.signal, w.fault)
	w.failed = outgoing.NewFailedWriter(ctx, outgoing.FailedOptions{Events: w.events, TopicID: w.topicID, Signal: w.signal,
		Fail: w.fault, Pulse: pulse, Retries: w.metrics.Retries})
}
