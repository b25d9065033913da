package recount

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/batch"
	"github.com/footfall/footfall/internal/classify"
	"github.com/footfall/footfall/internal/topiclog"
	"github.com/footfall/footfall/internal/verify/count"
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/internal/verify/repeats"
	"github.com/footfall/footfall/internal/verify/scope"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/sinks"
)

// Model is the recount: what the log says, as far as each chain has come with it.
type Model struct {
	*scope.Rulebook
	*finding.Tally
	Log       *topiclog.Log
	Ledger    ledger
	Pass      int             // from 1, of this run
	read      int64           // records in this pass so far
	Folding   bool            // the part of the sites may still become smaller
	Starts    map[int32]int64 // of the log, by partition
	Ends      map[int32]int64 // when the run began
	Chains    map[checkpoint.ChainID]*Chain
	Stats     []*Chain // of the stats lane, by partition
	Raw       Raw
	LostSpans Losses

	// The topic was created again: a raw event may be of a record that an owner had read, and no step had begun, when the
	// topic before was deleted. Its source does not say which topic that was.
	Recreated  bool
	decoder    *event.Decoder
	Classifier *classify.Classifier // of what is judged outside of a fold
}

// New returns a recount that has read nothing yet.
func New(rules *scope.Rulebook, found *finding.Tally, log *topiclog.Log) *Model {
	m := &Model{Rulebook: rules, Tally: found, Log: log, Ledger: ledger{bound: rules.Opts.Memory, sites: make(map[string]int64)},
		Chains: make(map[checkpoint.ChainID]*Chain), decoder: event.NewDecoder(), Classifier: classify.New()}
	m.Raw = Raw{v: m, Sites: make(map[string]map[RawKey]RawEvent)}
	return m
}

// CatchUp advances the recounts to these checkpoints.
func (v *Model) CatchUp(ctx context.Context, all checkpoint.ChainStates) error {
	if err := v.meet(all); err != nil {
		return err
	}
	if err := v.probe(ctx); err != nil {
		return err
	}
	for {
		spans, err := v.spans(ctx)
		if err != nil {
			return err
		}
		err = v.readLog(ctx, spans)
		if gone, ok := errors.AsType[*topiclog.GoneError](err); ok {
			if err := v.trimmed(ctx, gone.Partition); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return err
		}
		for _, c := range v.Chains {
			if s, ok := spans[c.Partition]; ok {
				c.next = max(c.next, min(c.upTo, s.To+c.Head.Base))
			}
		}
		if len(spans) > 0 {
			continue
		}
		for _, c := range v.Chains {
			c.next = max(c.next, c.Head.To)
		}
		return nil
	}
}

// readLog recounts one partition after the other: what may be repeated is kept of one at a time, where there are many.
func (v *Model) readLog(ctx context.Context, spans map[int32]Span) error {
	for _, p := range slices.Sorted(maps.Keys(spans)) {
		if err := v.Log.Read(ctx, p, spans[p].From, spans[p].To, v.takeAll); err != nil {
			return err
		}
		kept := 0
		for _, c := range v.Chains {
			kept += c.seen.Size()
		}
		for _, lane := range checkpoint.Lanes {
			if c := v.Chains[checkpoint.ChainID{Partition: p, Lane: lane}]; c != nil && kept > repeats.KeptSightings {
				c.seen.Forget()
			}
		}
	}
	return nil
}

// trimmed notes that the log of a partition begins later than it did.
func (v *Model) trimmed(ctx context.Context, partition int32) error {
	starts, err := v.Log.Starts(ctx)
	if err != nil {
		return err
	}
	for p, start := range v.Starts { // Of a log that can be read from later on alone.
		starts[p] = max(starts[p], start)
	}
	v.Starts = starts
	for _, c := range v.Chains {
		held := v.Starts[c.Partition] + c.Head.Base
		if c.Partition == partition && c.next < held {
			c.next, c.NotRecounted = held, "the log was cut while it was read"
		}
	}
	return nil
}

// Span is a half-open range of offsets, or of positions.
type Span struct{ From, To int64 }

// spans are the offsets that the recounts still need, one span for both lanes of a partition.
func (v *Model) spans(ctx context.Context) (map[int32]Span, error) {
	ends := v.Ends
	spans := make(map[int32]Span)
	for _, c := range v.Chains {
		c.upTo = c.stretch()
		from, to := c.next-c.Head.Base, c.upTo-c.Head.Base
		if from >= to || c.Head.TopicID != v.Log.HexID() {
			continue
		}
		if c.seen.Forgotten {
			from = max(v.Starts[c.Partition], c.seen.Start(c.next-c.Head.Base))
			for _, skipped := range c.Skips {
				if skipped.To <= c.next {
					from = max(from, skipped.To-c.Head.Base)
				}
			}
		}
		if to > ends[c.Partition] {
			var err error
			if ends, err = v.Log.Ends(ctx); err != nil {
				return nil, err
			}
		}
		if end := ends[c.Partition]; to > end {
			if c.NotRecounted != logTooShort {
				key := v.Keys.Checkpoint(c.TP, c.Lane)
				v.DifferOnce(finding.Difference{Kind: finding.KindCheckpoint, PK: key.PK, SK: key.SK, Attribute: "t",
					Table: fmt.Sprint(c.Head.To), Recount: fmt.Sprintf("the log ends at position %d", end+c.Head.Base)})
			}
			c.NotRecounted, to = logTooShort, end
			if from >= to {
				continue
			}
		}
		if s, ok := spans[c.Partition]; ok {
			from, to = joint(Span{from, to}, s)
		}
		spans[c.Partition] = Span{from, to}
	}
	return spans, nil
}

// logTooShort is why a chain cannot be recounted that is beyond the end of its log.
const logTooShort = "the log ends before the chain"

// joint returns what both lanes of a partition read next: what one of them skips is not read for the other.
func joint(a, b Span) (from, to int64) {
	from, to = min(a.From, b.From), min(a.To, b.To)
	if to <= from {
		to = max(a.To, b.To)
	}
	return from, to
}

// take recounts one record in each lane that needs it.
func (v *Model) take(k *kgo.Record) error {
	lost := batch.RangeOf(k)
	var e event.Event
	var id []byte
	reason := event.Unreadable
	if lost == nil {
		if reason = v.Decode(k.Value, &e); reason == event.Accepted {
			id = repeats.Identity(k, &e)
		}
	}
	for _, lane := range checkpoint.Lanes {
		c := v.Chains[checkpoint.ChainID{Partition: k.Partition, Lane: lane}]
		switch {
		case c == nil:
		case lost != nil:
			v.takeRange(c, k.Offset+c.Head.Base, lost)
		default:
			r := count.Record{Position: k.Offset + c.Head.Base, Offset: k.Offset, Partition: k.Partition, Time: k.Timestamp.UnixMilli(),
				Reason: reason, Event: &e, ID: id}
			if err := v.takeInLane(c, &r); err != nil {
				return err
			}
		}
	}
	return nil
}

// takeInLane recounts a record in one lane, under the settings and the rules of its step.
func (v *Model) takeInLane(c *Chain, r *count.Record) error {
	e := r.Event
	if r.Position < c.next && c.seen.Forgotten {
		c.seen.Time(r.Offset, r.Time)
		if r.ID != nil {
			c.seen.See(e.SiteID, r.ID, r.Offset, r.Time)
		}
	}
	if r.Position < c.next || r.Position >= c.Head.To {
		return nil
	}
	c.next, c.seen.Forgotten = r.Position+1, false
	c.seen.Time(r.Offset, r.Time)
	var last repeats.Sighting
	again := false
	if r.ID != nil {
		last, again = c.seen.See(e.SiteID, r.ID, r.Offset, r.Time)
	}
	if r.Position < c.First {
		if c.Stats != nil && v.First {
			v.LeaveOut(finding.BecauseBefore, "record")
		}
		return nil
	}
	rules := c.RulesAt(r.Position)
	r.Ruling, r.Erased = count.Ruling{Settings: c.SettingsAt(r.Position), Rules: rules.Site(string(e.SiteID))}, rules.Erased(string(e.SiteID))
	window, floor := r.Settings.Duplicates, max(c.floorAt(r.Position)-c.Head.Base, c.seen.Cut)
	if r.Position == c.Head.From {
		c.Edge, c.EdgeStep = c.seen.Edge(window, r.Offset, floor, v.Starts[r.Partition])+c.Head.Base, c.Head.Step
	}
	r.Duplicate = again && c.seen.Repeated(window, last, repeats.Sighting{Offset: r.Offset, Time: r.Time}, floor)
	r.Unsure = c.NotRecounted != "" && r.ID != nil && c.seen.MayLack(window, last, again, r.Offset, v.Starts[r.Partition])
	c.saw(r.Position, r.Position)
	if r.Duplicate && r.Position >= c.Head.From {
		c.Repeats++
	}
	if c.Realtime != nil {
		c.Realtime.Open = r.Position >= c.Head.From
		c.Realtime.fold(r)
		return nil
	}
	v.Report.Records++
	if r.Reason == event.Accepted {
		var err error
		if r.Hour, r.Day, err = count.BucketsOf(r.Rules, v.Zones[string(e.SiteID)], e.Timestamp); err != nil {
			return err
		}
	}
	c.Stats.Open = r.Position >= c.Head.From
	return c.Stats.fold(r)
}

// takeRange recounts offsets whose records cannot be read: all of them are rejected.
func (v *Model) takeRange(c *Chain, position int64, lost *batch.Range) {
	if position < c.next || position >= c.Head.To {
		return
	}
	c.next = lost.Next + c.Head.Base
	c.saw(position, c.next-1)
	switch {
	case c.Stats == nil:
	case position < c.First:
		v.LeaveOut(finding.BecauseBefore, "record")
	default:
		v.Report.Records += lost.Records
		c.Stats.Totals.Rejected[event.Unreadable] += lost.Records
	}
}

// saw notes which positions were recounted.
func (c *Chain) saw(first, last int64) {
	if c.Began < 0 {
		c.Began = first
	}
	c.Last = last
}

// Decode examines a record's value. One that footfall itself fails over is rejected, as it is by the pipeline.
func (v *Model) Decode(value []byte, e *event.Event) (reason event.Reason) {
	defer func() {
		if recover() != nil {
			v.decoder, *e, reason = event.NewDecoder(), event.Event{}, event.Panicked
		}
	}()
	reason, _ = v.decoder.Decode(value, e)
	return reason
}

// order keeps the chains of the stats lane in the order of their partitions.
func (v *Model) order() {
	v.Stats = v.Stats[:0]
	for _, c := range v.Chains {
		if c.Stats != nil {
			v.Stats = append(v.Stats, c)
		}
	}
	slices.SortFunc(v.Stats, func(a, b *Chain) int { return int(a.Partition) - int(b.Partition) })
}

// progressEvery is after how many records progress is reported.
const progressEvery = 1000

// advanced reports that the pass has read n more records.
func (v *Model) advanced(n int64) {
	before := v.read
	v.read += n
	if v.Opts.Progress != nil && v.read/progressEvery > before/progressEvery {
		var total int64
		for p, end := range v.Ends {
			total += max(0, end-v.Starts[p])
		}
		v.Opts.Progress(finding.Progress{Pass: v.Pass, Done: v.read, Total: total})
	}
}

// Scanned reports how many of the sites have been compared.
func (v *Model) Scanned(done, total int) {
	if v.Opts.Progress != nil {
		v.Opts.Progress(finding.Progress{Pass: v.Pass, Sites: true, Done: int64(done), Total: int64(total)})
	}
}

func (v *Model) StatsChain(tp sinks.TP) *Chain {
	if tp.Topic != v.Number {
		return nil
	}
	return v.Chains[checkpoint.ChainID{Partition: tp.Partition, Lane: checkpoint.LaneStats}]
}

// RecountedSites yields the sites that the log or the rules know; some more than once.
func (v *Model) RecountedSites() iter.Seq[string] {
	return func(yield func(string) bool) {
		more := true
		one := func(site string) { more = more && yield(site) }
		for _, c := range v.Chains {
			for site := range c.Admitted.Sites {
				one(site)
			}
			if c.Stats != nil {
				for site := range c.Stats.Sites {
					one(site)
				}
				continue
			}
			for site := range c.Realtime.Sites {
				one(site)
			}
		}
		v.Rules.Sites(one)
	}
}
