package verify

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/batch"
	"github.com/footfall/footfall/internal/classify"
	"github.com/footfall/footfall/internal/topiclog"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
)

// model is the recount: what the log says, as far as each chain has come with it.
type model struct {
	*rulebook
	*tally
	log       *topiclog.Log
	ledger    ledger
	pass      int             // from 1, of this run
	read      int64           // records in this pass so far
	folding   bool            // the part of the sites may still become smaller
	starts    map[int32]int64 // of the log, by partition
	ends      map[int32]int64 // when the run began
	chains    map[checkpoint.ChainID]*chain
	stats     []*chain // of the stats lane, by partition
	raw       rawRecount
	lostSpans losses

	// The topic was created again: a raw event may be of a record that an owner had read, and no step had begun, when the
	// topic before was deleted. Its source does not say which topic that was.
	recreated  bool
	decoder    *event.Decoder
	classifier *classify.Classifier // of what is judged outside of a fold
}

// newModel returns a recount that has read nothing yet.
func newModel(rules *rulebook, found *tally, log *topiclog.Log) *model {
	m := &model{rulebook: rules, tally: found, log: log, ledger: ledger{bound: rules.opts.Memory, sites: make(map[string]int64)},
		chains: make(map[checkpoint.ChainID]*chain), decoder: event.NewDecoder(), classifier: classify.New()}
	m.raw = rawRecount{v: m, sites: make(map[string]map[rawKey]rawEvent)}
	return m
}

// catchUp advances the recounts to these checkpoints.
func (v *model) catchUp(ctx context.Context, all checkpoint.ChainStates) error {
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
		for _, c := range v.chains {
			if s, ok := spans[c.Partition]; ok {
				c.next = max(c.next, min(c.upTo, s.to+c.head.Base))
			}
		}
		if len(spans) > 0 {
			continue
		}
		for _, c := range v.chains {
			c.next = max(c.next, c.head.To)
		}
		return nil
	}
}

// readLog recounts one partition after the other: what may be repeated is kept of one at a time, where there are many.
func (v *model) readLog(ctx context.Context, spans map[int32]span) error {
	for _, p := range slices.Sorted(maps.Keys(spans)) {
		if err := v.log.Read(ctx, p, spans[p].from, spans[p].to, v.takeAll); err != nil {
			return err
		}
		kept := 0
		for _, c := range v.chains {
			kept += c.seen.size()
		}
		for _, lane := range checkpoint.Lanes {
			if c := v.chains[checkpoint.ChainID{Partition: p, Lane: lane}]; c != nil && kept > keptSightings {
				c.seen.forget()
			}
		}
	}
	return nil
}

// trimmed notes that the log of a partition begins later than it did.
func (v *model) trimmed(ctx context.Context, partition int32) error {
	starts, err := v.log.Starts(ctx)
	if err != nil {
		return err
	}
	for p, start := range v.starts { // Of a log that can be read from later on alone.
		starts[p] = max(starts[p], start)
	}
	v.starts = starts
	for _, c := range v.chains {
		held := v.starts[c.Partition] + c.head.Base
		if c.Partition == partition && c.next < held {
			c.next, c.notRecounted = held, "the log was cut while it was read"
		}
	}
	return nil
}

// span is a half-open range of offsets, or of positions.
type span struct{ from, to int64 }

// spans are the offsets that the recounts still need, one span for both lanes of a partition.
func (v *model) spans(ctx context.Context) (map[int32]span, error) {
	ends := v.ends
	spans := make(map[int32]span)
	for _, c := range v.chains {
		c.upTo = c.stretch()
		from, to := c.next-c.head.Base, c.upTo-c.head.Base
		if from >= to || c.head.TopicID != v.log.HexID() {
			continue
		}
		if c.seen.forgotten {
			from = max(v.starts[c.Partition], c.seen.start(c.next-c.head.Base))
			for _, skipped := range c.skips {
				if skipped.to <= c.next {
					from = max(from, skipped.to-c.head.Base)
				}
			}
		}
		if to > ends[c.Partition] {
			var err error
			if ends, err = v.log.Ends(ctx); err != nil {
				return nil, err
			}
		}
		if end := ends[c.Partition]; to > end {
			if c.notRecounted != logTooShort {
				key := v.keys.Checkpoint(c.tp, c.Lane)
				v.differOnce(Difference{Kind: kindCheckpoint, PK: key.PK, SK: key.SK, Attribute: "t",
					Table: fmt.Sprint(c.head.To), Recount: fmt.Sprintf("the log ends at position %d", end+c.head.Base)})
			}
			c.notRecounted, to = logTooShort, end
			if from >= to {
				continue
			}
		}
		if s, ok := spans[c.Partition]; ok {
			from, to = joint(span{from, to}, s)
		}
		spans[c.Partition] = span{from, to}
	}
	return spans, nil
}

// logTooShort is why a chain cannot be recounted that is beyond the end of its log.
const logTooShort = "the log ends before the chain"

// joint returns what both lanes of a partition read next: what one of them skips is not read for the other.
func joint(a, b span) (from, to int64) {
	from, to = min(a.from, b.from), min(a.to, b.to)
	if to <= from {
		to = max(a.to, b.to)
	}
	return from, to
}

// take recounts one record in each lane that needs it.
func (v *model) take(k *kgo.Record) error {
	lost := batch.RangeOf(k)
	var e event.Event
	var id []byte
	reason := event.Unreadable
	if lost == nil {
		if reason = v.decode(k.Value, &e); reason == event.Accepted {
			id = identity(k, &e)
		}
	}
	for _, lane := range checkpoint.Lanes {
		c := v.chains[checkpoint.ChainID{Partition: k.Partition, Lane: lane}]
		switch {
		case c == nil:
		case lost != nil:
			v.takeRange(c, k.Offset+c.head.Base, lost)
		default:
			r := record{position: k.Offset + c.head.Base, offset: k.Offset, partition: k.Partition, time: k.Timestamp.UnixMilli(),
				reason: reason, event: &e, id: id}
			if err := v.takeInLane(c, &r); err != nil {
				return err
			}
		}
	}
	return nil
}

// takeInLane recounts a record in one lane, under the settings and the rules of its step.
func (v *model) takeInLane(c *chain, r *record) error {
	e := r.event
	if r.position < c.next && c.seen.forgotten {
		c.seen.time(r.offset, r.time)
		if r.id != nil {
			c.seen.see(e.SiteID, r.id, r.offset, r.time)
		}
	}
	if r.position < c.next || r.position >= c.head.To {
		return nil
	}
	c.next, c.seen.forgotten = r.position+1, false
	c.seen.time(r.offset, r.time)
	var last sighting
	repeats := false
	if r.id != nil {
		last, repeats = c.seen.see(e.SiteID, r.id, r.offset, r.time)
	}
	if r.position < c.first {
		if c.stats != nil && v.first {
			v.leaveOut(becauseBefore, "record")
		}
		return nil
	}
	rules := c.rulesAt(r.position)
	r.ruling, r.erased = ruling{c.settingsAt(r.position), rules.Site(string(e.SiteID))}, rules.Erased(string(e.SiteID))
	window, floor := r.settings.Duplicates, max(c.floorAt(r.position)-c.head.Base, c.seen.cut)
	if r.position == c.head.From {
		c.edge, c.edgeStep = c.seen.edge(window, r.offset, floor, v.starts[r.partition])+c.head.Base, c.head.Step
	}
	r.duplicate = repeats && c.seen.repeated(window, last, sighting{r.offset, r.time}, floor)
	r.unsure = c.notRecounted != "" && r.id != nil && c.seen.mayLack(window, last, repeats, r.offset, v.starts[r.partition])
	c.saw(r.position, r.position)
	if r.duplicate && r.position >= c.head.From {
		c.repeats++
	}
	if c.realtime != nil {
		c.realtime.open = r.position >= c.head.From
		c.realtime.fold(r)
		return nil
	}
	v.report.Records++
	if r.reason == event.Accepted {
		var err error
		if r.hour, r.day, err = bucketsOf(r.rules, v.zones[string(e.SiteID)], e.Timestamp); err != nil {
			return err
		}
	}
	c.stats.open = r.position >= c.head.From
	return c.stats.fold(r)
}

// takeRange recounts offsets whose records cannot be read: all of them are rejected.
func (v *model) takeRange(c *chain, position int64, lost *batch.Range) {
	if position < c.next || position >= c.head.To {
		return
	}
	c.next = lost.Next + c.head.Base
	c.saw(position, c.next-1)
	switch {
	case c.stats == nil:
	case position < c.first:
		v.leaveOut(becauseBefore, "record")
	default:
		v.report.Records += lost.Records
		c.stats.totals.Rejected[event.Unreadable] += lost.Records
	}
}

// saw notes which positions were recounted.
func (c *chain) saw(first, last int64) {
	if c.began < 0 {
		c.began = first
	}
	c.last = last
}

// decode examines a record's value. One that footfall itself fails over is rejected, as it is by the pipeline.
func (v *model) decode(value []byte, e *event.Event) (reason event.Reason) {
	defer func() {
		if recover() != nil {
			v.decoder, *e, reason = event.NewDecoder(), event.Event{}, event.Panicked
		}
	}()
	reason, _ = v.decoder.Decode(value, e)
	return reason
}

// order keeps the chains of the stats lane in the order of their partitions.
func (v *model) order() {
	v.stats = v.stats[:0]
	for _, c := range v.chains {
		if c.stats != nil {
			v.stats = append(v.stats, c)
		}
	}
	slices.SortFunc(v.stats, func(a, b *chain) int { return int(a.Partition) - int(b.Partition) })
}
