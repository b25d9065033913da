package verify

import (
	"context"
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
	folding   bool            // the part of the sites may still become smaller
	starts    map[int32]int64 // of the log, by partition
	ends      map[int32]int64 // when the run began
	chains    map[checkpoint.ChainID]*chain
	stats     []*chain // of the stats lane, by partition
	raw       rawRecount
	lostSpans losses

	// The topic was created again: a raw event may be of a record that an owner had read, and no step had begun, when the
	// topic before was deleted. Its source does not tell which topic that was.
	recreated  bool
	decoder    *event.Decoder
	classifier *classify.Classifier // of what is judged outside of a fold
}

// readLog recounts one partition after the other: what may be repeated is kept of one at a time, where there are many.
func (v *model) readLog(ctx context.Context, spans map[int32]span) error {
	for _, p := range slices.Sorted(maps.Keys(spans)) {
		if err := v.log.Read(ctx, p, spans[p].from, spans[p].to, v.takeAll); err != nil {
			return err
		}
		for _, lane := range checkpoint.Lanes {
			if c := v.chains[checkpoint.ChainID{Partition: p, Lane: lane}]; c != nil && len(v.chains) > keptSightings {
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
			from = max(v.starts[c.Partition], c.next-c.seen.window-c.head.Base)
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

// logTooShort is why a chain is lost that stands beyond the end of its log.
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
	if lost := batch.RangeOf(k); lost != nil {
		v.takeRange(k, lost)
		return nil
	}
	var e event.Event
	reason := v.decode(k.Value, &e)
	var id []byte
	if reason == event.Accepted {
		id = identity(k, &e)
	}
	for _, lane := range checkpoint.Lanes {
		c := v.chains[checkpoint.ChainID{Partition: k.Partition, Lane: lane}]
		if c == nil {
			continue
		}
		position := k.Offset + c.head.Base
		if position < c.next && c.seen.forgotten && id != nil {
			c.seen.see(e.SiteID, id, k.Offset)
		}
		if position < c.next || position >= c.head.To {
			continue
		}
		c.next, c.seen.forgotten = position+1, false
		repeats := int64(0)
		if id != nil {
			repeats = c.seen.see(e.SiteID, id, k.Offset)
		}
		if position < c.first {
			if c.stats != nil && v.hashes.first() {
				v.leaveOut(becauseBefore, "record")
			}
			continue
		}
		ruled, erased := c.rulesAt(position).Site(string(e.SiteID)), c.rulesAt(position).Erased(string(e.SiteID))
		r := record{position: position, offset: k.Offset, partition: k.Partition, time: k.Timestamp.UnixMilli(), reason: reason, event: &e, id: id, rules: ruled, erased: erased}
		settings := c.settingsAt(position)
		if position-repeats < c.floorAt(position) {
			repeats = 0
		}
		r.duplicate = 0 < repeats && repeats <= settings.Duplicates
		c.sawRecord(&r)
		r.unsure = c.notRecounted != "" && repeats == 0 && id != nil && k.Offset-settings.Duplicates < v.starts[k.Partition]
		if c.realtime != nil {
			c.realtime.open = position >= c.head.From
			c.realtime.fold(&r, settings)
			continue
		}
		v.report.Records++
		if reason == event.Accepted {
			var err error
			if r.hour, r.day, err = bucketsOf(ruled, e.Timestamp); err != nil {
				return err
			}
		}
		c.stats.open = position >= c.head.From
		if err := c.stats.fold(&r, settings); err != nil {
			return err
		}
	}
	return nil
}

// takeRange recounts offsets of which no record can be read: all of them are rejected.
func (v *model) takeRange(k *kgo.Record, lost *batch.Range) {
	for _, lane := range checkpoint.Lanes {
		c := v.chains[checkpoint.ChainID{Partition: k.Partition, Lane: lane}]
		if c == nil {
			continue
		}
		position := k.Offset + c.head.Base
		if position < c.next || position >= c.head.To {
			continue
		}
		c.next = lost.Next + c.head.Base
		c.sawRange(position, c.next-1)
		switch {
		case c.stats == nil:
		case position < c.first:
			v.leaveOut(becauseBefore, "record")
		default:
			v.report.Records += lost.Records
			c.stats.totals.Rejected[event.Unreadable] += lost.Records
		}
	}
}

// sawRange notes as sawRecord does of a range of which no record can be read.
func (c *chain) sawRange(first, last int64) {
	if c.began < 0 {
		c.began = first
	}
	c.last = last
}

// sawRecord notes what the checkpoint says of its records.
func (c *chain) sawRecord(r *record) {
	if c.began < 0 {
		c.began = r.position
	}
	c.last = r.position
	if r.duplicate && r.position >= c.head.From {
		c.repeats++
	}
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
