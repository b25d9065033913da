package pipeline

import (
	"context"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/footfall/footfall/internal/classify"
	"github.com/footfall/footfall/pipeline/aggregate"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/sinks"
)

func (t *taker) newWorker(partition int32, topicID [16]byte) *worker {
	o := &owned{shared: t.shared, partition: partition, tp: sinks.TP{Topic: t.number, Partition: partition},
		topicID: topicID, topicHex: hex.EncodeToString(topicID[:]), wake: make(chan struct{}, 1)}
	lanes := len(checkpoint.Lanes)
	w := &worker{owned: o, inbox: inbox{owned: o, room: make(chan struct{}, 1)}, intake: intake{owned: o,
		classes: classify.New(), sites: make(aggregate.Sites)},
		retiring: make(chan struct{}), done: make(chan struct{}), born: time.Now(),
		intents: make([]atomic.Int64, lanes), redoing: make([]atomic.Bool, lanes), stale: make([]atomic.Int64, lanes),
		states: make([]atomic.Int64, lanes)}
	decoder := &recordDecoder{shared: t.shared, partition: partition, decoder: event.NewDecoder(), classes: w.classes,
		pages: make(aggregate.Pages)}
	if w.ahead = (ahead{limit: t.chunksAhead, decoder: decoder}); w.ahead.limit > 0 {
		decoder.classes = classify.New() // The lanes use theirs at the same time.
	}
	w.load.send, w.load.pulse, w.load.read = w.send, &w.reads, w.readClock
	w.retire = sync.OnceFunc(func() { close(w.retiring) })
	return w
}

// acquire takes over the chains of one partition, in the order of Lanes, and makes the worker that continues
// them at the lowest of their positions. Each lane ignores what it has. Where a chain cannot continue, the gaps of all of
// the partition's chains, or why it is parked, are made durable instead.
func (t *taker) acquire(ctx context.Context, partition int32, id [16]byte, log checkpoint.Extent) (w *worker, still *standstill,
	err error) {
	w = t.newWorker(partition, id)
	chains, log, err := t.takeOver(ctx, w.tp, log)
	if err != nil {
		return nil, nil, err
	}
	if still, err := t.standsStill(ctx, partition, chains); still != nil || err != nil {
		return nil, still, err
	}
	gaps, err := t.resumeLanes(ctx, w, chains, log)
	if why, ok := parkOf(err); ok {
		t.toPark(partition, &why.Park)
		still, err = t.standsStill(ctx, partition, chains)
		return nil, still, err
	}
	if found := otherRelease(err, chains[0].Head.Position()-chains[0].Head.Base); found != nil {
		return nil, found, nil
	}
	if err != nil {
		return nil, nil, err
	}
	if gaps != nil {
		next := int64(math.MaxInt64)
		for _, g := range gaps {
			next = min(next, g.Gap.UnreadTo-g.Gap.Base)
		}
		return nil, &standstill{gaps: gaps, durable: true, next: next}, nil
	}
	w.nextOffset = w.start
	w.publishSettled()
	w.warmUp(log, t.observed)
	w.expected, w.fetched = w.start, w.start
	w.end = logEnd{high: log.High, stable: log.End}
	if at := w.stats.chain.Head.FlushedAt; at > 0 { // What is in the log may be waiting since then.
		now := time.Now()
		w.unread.saw(now.Add(-max(0, now.Sub(time.UnixMilli(at)))), log.High)
	}
	return w, nil, nil
}

// resumeLanes gives the worker its lanes, and finds where it starts. It returns the gaps that keep lanes from continuing.
func (t *taker) resumeLanes(ctx context.Context, w *worker, chains []laneChain, log checkpoint.Extent) (gaps []*checkpoint.GapError,
	err error) {
	w.start = log.End
	for i, name := range checkpoint.Lanes {
		l := &lane{name: name, n: i, interval: t.intervals[name], chain: chains[i], epoch: chains[i].Head.Epoch, own: t.settings,
			admission: aggregate.Admission{Key: t.keys.NewSites(w.tp, name), Mark: sinks.AttrMark(name, w.tp)}}
		switch name {
		case checkpoint.LaneStats:
			l.admission.Position = sinks.AttrAdmitted(w.tp)
			l.behindMax = t.statsMax
		case checkpoint.LaneRealtime:
			l.longest = t.realtimeMax
		}
		gap, err := t.resume(ctx, w, l, log)
		if err != nil {
			return nil, fmt.Errorf("lane %s: %w", name, err)
		}
		if gap != nil {
			gaps = append(gaps, &checkpoint.GapError{Gap: *gap, Partition: w.partition, Lane: name})
			continue
		}
		where := aggregate.Place{Keys: t.keys, TP: w.tp, Mark: sinks.AttrMark(name, w.tp), Topic: t.topic, Damaged: l.damaged(t.keys, w.tp,
			t.owner),
			SessionShards: t.sessionShards, Hash: t.hash, Sites: w.sites, Classes: w.classes,
			Keep: cohortsKept(max(l.interval, l.longest)), Max: w.limits.CacheBytes}
		w.equip(l, where)
		w.lanes = append(w.lanes, l)
		w.ahead.decoder.lists = w.ahead.decoder.lists || l.settings.Bots.Lists || l.own.Bots.Lists
		w.start = min(w.start, l.pos-l.base)
	}
	return gaps, nil
}

// takeOver takes over the chains of a partition, in the order of Lanes. Their owner until then may have folded records
// that came after the log's end was listed, which would look like records gone from the log: its end is listed again.
func (t *taker) takeOver(ctx context.Context, tp sinks.TP, log checkpoint.Extent) ([]laneChain, checkpoint.Extent, error) {
	chains := make([]laneChain, len(checkpoint.Lanes))
	ahead := false
	for i, name := range checkpoint.Lanes {
		take, pulse := checkpoint.Acquire, new(pulse)
		if name == checkpoint.LaneStats { // It is the first, and decides for all.
			take = t.acquireInTurn(tp.Partition)
		}
		c, err := take(ctx, chainTable{t.send, pulse}, t.keys.Checkpoint(tp, name), checkpoint.Owner{Name: t.owner, Group: t.group})
		if err != nil {
			return nil, log, fmt.Errorf("lane %s: %w", name, err)
		}
		chains[i] = laneChain{c, pulse}
		ahead = ahead || c.Head.Position()-c.Head.Base > log.End || c.Head.To-c.Head.Base > log.End
	}
	if ahead && !log.Cut {
		_, logs, err := t.inspect(ctx, []int32{tp.Partition})
		if err != nil {
			return nil, log, err
		}
		log = logs[tp.Partition]
	}
	return chains, log, nil
}

// warmUp makes the windows of duplicates that any lane's settings, the process's and observe ask for, and begins the worker so
// much earlier: records that every lane has folded only fill the windows.
func (w *worker) warmUp(log checkpoint.Extent, observe checkpoint.Duplicates) {
	var windows []checkpoint.Duplicates
	from, floor := w.start, int64(0)
	for _, l := range w.lanes {
		floor = max(floor, l.chain.Head.Floor-l.base)
		for _, of := range []checkpoint.Duplicates{l.own.Duplicates, l.settings.Duplicates, observe} {
			if of.Off() {
				continue
			}
			from = min(from, l.reachesBack(of))
			if !slices.Contains(windows, of) {
				windows = append(windows, of)
			}
		}
	}
	if goesOn := w.stats.chain.Head.Step > 0; from < log.Start && 0 < log.Start && goesOn {
		w.log.Warn("the log no longer holds the whole duplicates.window: a repetition of an event before its start counts again",
			"partition", w.partition, "wanted", max(0, from), "held", log.Start)
		w.metrics.Trimmed.Inc()
	}
	w.start = min(w.start, max(from, log.Start, floor)) // What was skipped cannot be read.
	w.seen = newDuplicates(windows, w.start, floor)
}

// reachesBack is the offset from which a window of duplicates needs the log where the lane continues.
func (l *lane) reachesBack(of checkpoint.Duplicates) int64 {
	head := l.chain.Head
	if head.Win > 0 && head.Base == l.base && checkpoint.RecordedDuplicates(head.Ver) == of {
		return head.Win - l.base
	}
	return of.Start(l.pos - l.base)
}

// equip gives the lane its fold and begins its first step: the head again, under the settings it was begun with,
// or the one after it, under the process's own.
func (w *worker) equip(l *lane, where aggregate.Place) {
	if l.name == checkpoint.LaneStats {
		w.stats = l
		w.totals = l.chain.Head.Totals.Clone()
		o := aggregate.StatsOptions{Base: l.base, Journal: w.limits.Journal, Epoch: l.epoch, Undecided: l.chain.Head.Undecided,
			Overtaken: func(item sinks.Key, mark int64) {
				w.load.then = append(w.load.then, func(ctx context.Context) error { return l.chain.Overtaken(ctx, l.epoch, item, mark) })
			}}
		if l.redo {
			o.Again = l.chain.Head.Step
		}
		l.fold = aggregate.NewStats(where, o)
		l.pace = l.interval / 2
	} else {
		l.fold = aggregate.NewRealtime(where)
		l.pace = min(l.interval/2, realtimePace)
	}
	now := time.Now()
	l.next, l.overdue = now.Add(l.firstTick(w.topic, w.partition)), l.redo && l.late(now)
	// After an owner that died, its interval continues: records that it had read have waited for a part of it.
	if at := time.UnixMilli(l.chain.Head.FlushedAt).Add(l.interval); l.redo && at.After(now) && at.Before(l.next) {
		l.next = at
	}
	l.durable = l.pos
	if l.redo {
		l.beginAgain()
	} else {
		l.begin(l.chain.Head.Step + 1)
		l.fold.Under(l.rules)
	}
}

// realtimePace bounds the spreading of a realtime step's writes: they are looked at as they come.
const realtimePace = 500 * time.Millisecond

// cohortsKept is for how many steps an untouched state stays in memory: half an hour's, the time after which
// most sessions have ended.
func cohortsKept(interval time.Duration) int64 { return max(2, int64(30*time.Minute/interval)) }

// redoes reports whether any lane does its head again.
func (w *worker) redoes() bool {
	for _, l := range w.lanes {
		if l.redo {
			return true
		}
	}
	return false
}

// open gives the worker its context and the writers beside its lanes.
func (w *worker) open(ctx context.Context, kill context.CancelCauseFunc) {
	w.kill = kill
	pulse := w.stats.chain.pulse
	w.raw = &rawWriter{send: w.send.confirmed(w.stats.chain, w.stats.chain.Head.Epoch), pulse: pulse, ctx: ctx, signal: w.signal,
		fail: w.fault}
	w.failed = &failedWriter{events: w.events, topicID: w.topicID, ctx: ctx, signal: w.signal, fail: w.fault, pulse: pulse,
		retries: w.metrics.Retries}
}
