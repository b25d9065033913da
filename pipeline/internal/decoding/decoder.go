package decoding

import (
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/batch"
	"github.com/footfall/footfall/internal/classify"
	"github.com/footfall/footfall/pipeline/aggregate"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/pipeline/internal/duplicates"
	"github.com/footfall/footfall/sketch"
)

// Decoder turns a partition's records into events. What it makes of a record follows from the record and from lists that ship
// with footfall. It has no part in the states of its partition, so a goroutine other than the owner's may decode (see [Pipe]).
type Decoder struct {
	log       *slog.Logger
	hash      sketch.Hasher
	partition int32
	Decoder   *event.Decoder
	classes   *classify.Classifier
	pages     aggregate.Pages
	Lists     bool           // a lane asks the lists of bots, or may do so later
	Rules     classify.Rules // by which lanes ask them, but for steps of another format
	maps      maps           // nil: records are events as they are
	gate      *SchemaGate    // nil: no value names a schema
	chunk     *Chunk         // the present one: findSchema needs what the gate has decided about it
}

// Decode fills the chunk's records.
func (d *Decoder) Decode(c *Chunk) {
	d.Decoder.Release()
	d.chunk = c
	for rest := c.Raw; len(rest) > 0; {
		rest = d.decodeUntilPanic(c, rest)
	}
	c.texts = d.Decoder.Swap(c.texts)
}

// decodeUntilPanic decodes records into the chunk. A record over which it panics is rejected, and it returns those after it: an
// unforeseen fault in one record must not hold up its neighbours, and decoding one touches nothing that others need. So the path without
// a panic pays for one recover a chunk.
func (d *Decoder) decodeUntilPanic(c *Chunk, records []*kgo.Record) (rest []*kgo.Record) {
	i, n := 0, len(c.Records)
	defer func() {
		cause := recover()
		if cause == nil {
			return
		}
		raw := records[i]
		// Cause: A fault of footfall that this record meets. Remedy: Report it with the archive of `footfall support-bundle`. The record is in
		// the failed-events topic: `footfall failed replay` has a later release count it.
		d.log.Error("a record is rejected because it made footfall panic: please report this", "partition", d.partition,
			"offset", raw.Offset, "cause", cause, "stack", string(debug.Stack()))
		d.Decoder = event.NewDecoder() // Events that are held keep the old one's texts.
		c.Records = c.Records[:n+1]
		r := &c.Records[n]
		*r = Record{Raw: raw, Reason: event.Panicked, Detail: event.TruncateDetail(strings.ToValidUTF8(fmt.Sprint(cause), "\uFFFD"))}
		r.Offset, r.Time = raw.Offset, r.RecordTime()
		rest = records[i+1:]
	}()
	for ; i < len(records); i++ {
		raw := records[i]
		if batch.IsMarker(raw) {
			continue
		}
		c.Records = c.Records[:n+1]
		r := &c.Records[n]
		r.Raw, r.Span, r.Repeats = raw, nil, duplicates.Repetition{}
		if raw.Context != nil { // Of a batch that was streamed.
			r.Span = batch.RangeOf(raw)
		}
		if r.Span == nil {
			r.Reason, r.Detail = d.maps.at(raw.Offset).Decode(d.Decoder, raw, &r.Event)
			d.Decoder.Hold()
		} else {
			r.Event, r.Reason = event.Event{}, event.Unreadable
			r.Detail = event.TruncateDetail(fmt.Sprintf("%d records at offsets [%d,%d): %s", r.Span.Records, raw.Offset, r.Span.Next, r.Span.Cause))
		}
		if length := batch.Length(raw); length > int64(len(raw.Value)) {
			r.Detail = event.TooLargeDetail(length)
		}
		d.derive(r)
		n++
	}
	return nil
}

// derive finds what both lanes use of a record.
func (d *Decoder) derive(r *Record) {
	r.Offset, r.Time, r.ID, r.Site, r.Page, r.Listed = r.Raw.Offset, r.RecordTime(), nil, nil, "", aggregate.NotBot
	if r.Reason != event.Accepted {
		return
	}
	r.ID = Identity(r.Raw, &r.Event)
	r.Visitor = d.hash.Visitor(r.Event.Visitor())
	if d.Lists {
		r.Listed, r.ListedBy = aggregate.Lists(d.classes.By(d.Rules), &r.Event), d.Rules
	}
	if r.Event.IsPageView() {
		r.Page = d.pages.Text(aggregate.TruncatePage(r.Event.Page()))
	}
}

// NewDecoder makes the decoder of a partition. classes is the classifier that it uses alone, or in turn with the lanes.
func NewDecoder(log *slog.Logger, hash sketch.Hasher, partition int32, classes *classify.Classifier) *Decoder {
	return &Decoder{log: log, hash: hash, partition: partition, Decoder: event.NewDecoder(), classes: classes,
		pages: make(aggregate.Pages)}
}
