package pipeline

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/footfall/footfall/internal/classify"
	"github.com/footfall/footfall/pipeline/aggregate"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/internal/decoding"
	"github.com/footfall/footfall/pipeline/internal/inbox"
	"github.com/footfall/footfall/pipeline/internal/lanes"
	"github.com/footfall/footfall/pipeline/internal/requests"
	"github.com/footfall/footfall/sinks"
)

// acquire takes over the chains of one partition, in the order of Lanes, and makes the worker that continues
// them at the lowest of their positions. Each lane skips
// records that it has already folded. Where a chain cannot continue, the gaps of all of
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
	w.Published(w.start)
	w.publishSettled()
	w.warmUp(log, t.observed)
	w.expected = w.start
	var since time.Time
	if at := w.stats.Chain.Head.FlushedAt; at > 0 { // What is in the log may be waiting since then.
		now := time.Now()
		since = now.Add(-max(0, now.Sub(time.UnixMilli(at))))
	}
	w.Inbox.Begin(w.start, inbox.End{High: log.High, Stable: log.End, Start: log.Start}, since)
	return w, nil, nil
}

// resumeLanes gives the worker its lanes, and finds where it starts. It returns the gaps that keep lanes from continuing.
func (t *taker) resumeLanes(ctx context.Context, w *worker, chains []requests.Chain, log checkpoint.Extent) (gaps []*checkpoint.GapError,
	err error) {
	w.start = log.End
	for i, name := range checkpoint.Lanes {
		l := &lanes.Lane{Name: name, N: i, Chain: chains[i], Epoch: chains[i].Head.Epoch, Own: t.options.Settings,
			Admission: aggregate.Admission{Key: t.keys.NewSites(w.tp, name), Mark: sinks.AttrMark(name, w.tp)}}
		l.Own.Fold = sinks.FoldOf(chains[i].Format)
		l.Follow(t.options.Rebuild.Scripts[checkpoint.ChainID{Partition: w.partition, Lane: name}])
		switch name {
		case checkpoint.LaneStats:
			l.Admission.Position = sinks.AttrAdmitted(w.tp)
			l.Interval, l.BehindMax = t.options.StatsInterval, t.options.StatsMax
		case checkpoint.LaneRealtime:
			l.Interval, l.Longest = t.options.RealtimeInterval, t.options.RealtimeMax
		}
		gap, err := t.resume(ctx, w, l, log)
		if err != nil {
			return nil, fmt.Errorf("lane %s: %w", name, err)
		}
		if gap != nil {
			gaps = append(gaps, &checkpoint.GapError{Gap: *gap, Partition: w.partition, Lane: name})
			continue
		}
		where := aggregate.Place{Keys: t.keys, TP: w.tp, Mark: sinks.AttrMark(name, w.tp), Topic: t.topic, Damaged: l.Damaged(t.keys, w.tp,
			t.owner),
			SessionShards: t.sessionShards, Hash: t.hash, Sites: w.sites, Classes: w.classes,
			Keep: cohortsKept(max(l.Interval, l.Longest)), Max: w.options.Limits.CacheBytes}
		w.equip(l, where)
		w.lanes = append(w.lanes, l)
		for s := range l.AllSettings() {
			w.ahead.Decoder.Lists = w.ahead.Decoder.Lists || s.Bots.Lists
		}
		w.ahead.Decoder.Rules = classify.RulesOf(l.Own.Has(sinks.FormatOfClasses))
		w.start = min(w.start, l.Pos-l.Base)
	}
	if gaps != nil {
		return gaps, nil
	}
	maps, err := lanes.Map(w.lanes, w.topicHex, log.Start, t.options.Settings.Maps.Last())
	if err == nil {
		err = w.ahead.Decoder.Map(maps)
	}
	if err == nil && maps.ReadSchemas() {
		err = t.gateSchemas(ctx, w)
	}
	return nil, err
}

// gateSchemas has the worker's chunks wait until it is decided which of the schemas that their values name are known.
func (t *taker) gateSchemas(ctx context.Context, w *worker) error {
	chain, base := w.stats.Chain, w.stats.Base
	g := &decoding.SchemaGate{Book: t.schemas, Signal: w.signal, Base: base}
	g.Learn = func(ctx context.Context, before, k checkpoint.KnownSchemas) error {
		return chain.Learn(ctx, w.stats.Epoch, before, k)
	}
	g.Known, g.Decided = lanes.Schemas(w.lanes, w.stats, w.topicHex)
	w.ahead.WaitAt(g)
	return g.Begin(ctx, chain.Head.Known)
}

// takeOver takes over the chains of a partition, in the order of Lanes. Their owner until then may have folded records
// that came after the log's end was listed, which would look like records gone from the log: its end is listed again.
func (t *taker) takeOver(ctx context.Context, tp sinks.TP, log checkpoint.Extent) ([]requests.Chain, checkpoint.Extent, error) {
	chains := make([]requests.Chain, len(checkpoint.Lanes))
	ahead := false
	for i, name := range checkpoint.Lanes {
		take, pulse := checkpoint.Acquire, new(requests.Pulse)
		if name == checkpoint.LaneStats { // It is the first, and decides for all.
			take = t.acquireInTurn(tp.Partition)
		}
		c, err := take(ctx, requests.ChainTable{Send: t.send, Pulse: pulse}, t.keys.Checkpoint(tp, name),
			checkpoint.Owner{Name: t.owner, Group: t.options.Group, Rebuilt: t.options.Settings.Rebuilt})
		if err != nil {
			return nil, log, fmt.Errorf("lane %s: %w", name, err)
		}
		chains[i] = requests.Chain{Chain: c, Pulse: pulse}
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
