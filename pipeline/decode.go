package pipeline

import (
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/batch"
	"github.com/footfall/footfall/internal/classify"
	"github.com/footfall/footfall/pipeline/aggregate"
	"github.com/footfall/footfall/pipeline/event"
)

// chunk is the records that are decoded, loaded and folded together. One goroutine has it at a time.
type chunk struct {
	raw     []*kgo.Record // as they were fetched
	bytes   int           // of raw in memory
	records []record      // decoded, in the order of raw, without those of control records
	texts   []byte        // what their events point into, besides raw
	err     error         // decoding it as a whole failed; nil: it is decoded
}

// takeChunk returns an empty chunk, and putChunk takes back one that is folded. What chunks take in memory belongs to no partition, so
// that idle ones take none.
func (s *shared) takeChunk() *chunk {
	if c, ok := s.chunks.Get().(*chunk); ok {
		return c
	}
	return &chunk{records: make([]record, 0, chunkRecords)}
}

func (s *shared) putChunk(c *chunk) {
	clear(c.records) // They point into what was fetched.
	c.raw, c.bytes, c.records, c.err = nil, 0, c.records[:0], nil
	s.chunks.Put(c)
}

// recordDecoder turns a partition's records into events. What it makes of a record follows from the record and from lists that ship
// with footfall. It has no part in the states of its partition, so a goroutine other than the owner's may decode (ahead.go).
type recordDecoder struct {
	*shared
	partition int32
	decoder   *event.Decoder
	classes   *classify.Classifier
	pages     aggregate.Pages
	lists     bool // a lane asks the lists of bots, or may do so later
}

// decode fills the chunk's records.
func (d *recordDecoder) decode(c *chunk) {
	d.decoder.Release()
	for rest := c.raw; len(rest) > 0; {
		rest = d.decodeUntilPanic(c, rest)
	}
	c.texts = d.decoder.Swap(c.texts)
}

// decodeUntilPanic decodes records into the chunk. A record over which it panics is rejected, and it returns those after it: an
// unforeseen fault in one record must not hold up its neighbours, and decoding one touches nothing that others need. So the path without
// a panic pays for one recover a chunk.
func (d *recordDecoder) decodeUntilPanic(c *chunk, records []*kgo.Record) (rest []*kgo.Record) {
	i, n := 0, len(c.records)
	defer func() {
		cause := recover()
		if cause == nil {
			return
		}
		raw := records[i]
		d.log.Error("a record is rejected because it made footfall panic: please report this", "partition", d.partition,
			"offset", raw.Offset, "cause", cause, "stack", string(debug.Stack()))
		d.decoder = event.NewDecoder() // Events that are held keep the old one's texts.
		c.records = c.records[:n+1]
		r := &c.records[n]
		*r = record{raw: raw, reason: event.Panicked, detail: event.TruncateDetail(strings.ToValidUTF8(fmt.Sprint(cause), "\uFFFD"))}
		r.Offset, r.Time = raw.Offset, r.recordTime()
		rest = records[i+1:]
	}()
	for ; i < len(records); i++ {
		raw := records[i]
		if batch.IsMarker(raw) {
			continue
		}
		c.records = c.records[:n+1]
		r := &c.records[n]
		r.raw, r.span, r.repeats = raw, nil, repetition{}
		if raw.Context != nil { // Of a batch that was streamed.
			r.span = rangeOf(raw)
		}
		if r.span == nil {
			r.reason, r.detail = d.decoder.Decode(raw.Value, &r.Event)
			d.decoder.Hold()
		} else {
			r.Event, r.reason = event.Event{}, event.Unreadable
			r.detail = event.TruncateDetail(fmt.Sprintf("%d records at offsets [%d,%d): %s", r.span.Records, raw.Offset, r.span.Next, r.span.Cause))
		}
		if length := lengthOf(raw); length > int64(len(raw.Value)) {
			r.detail = event.TooLargeDetail(length)
		}
		d.derive(r)
		n++
	}
	return nil
}

// derive finds what both lanes use of a record.
func (d *recordDecoder) derive(r *record) {
	r.Offset, r.Time, r.id, r.Site, r.Page, r.Listed = r.raw.Offset, r.recordTime(), nil, nil, "", aggregate.NotBot
	if r.reason != event.Accepted {
		return
	}
	r.id = Identity(r.raw, &r.Event)
	r.Visitor = d.hash.Visitor(r.Event.Visitor())
	if d.lists {
		r.Listed = aggregate.Lists(d.classes, &r.Event)
	}
	if r.Event.IsPageView() {
		r.Page = d.pages.Text(aggregate.CutPage(r.Event.Page()))
	}
}

// receive takes the next raw records of the present chunk, and returns what was decoded of them. Records that come before what the worker
// expects, as after a seek, are left out.
func (in *intake) receive(raws []*kgo.Record) []record {
	all, used, kept := in.decoded, 0, 0
	for _, raw := range raws {
		isRecord := used < len(all) && all[used].raw == raw // Else it is a control record.
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
		if span := all[used-1].span; span != nil {
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

// dedupe finds out which records repeat an event. It comes before the lanes part, and is done once for each record.
func (in *intake) dedupe(records []record) {
	if in.seen.off() {
		return
	}
	for i := range records {
		r := &records[i]
		if r.span == nil {
			in.seen.note(r.Offset, r.Time)
		}
		r.window = in.seen.edge
		if r.id != nil {
			r.repeats = in.seen.see(r.Event.SiteID, r.id, r.Offset, r.Time)
		}
	}
	if n, span := in.seen.shortened(); n > 0 {
		in.sayShortened(n, time.Duration(span)*time.Millisecond)
	}
}

// sayShortened reports that the window of duplicates had no room for positions within its time. The log has it once an hour.
func (in *intake) sayShortened(positions int64, span time.Duration) {
	in.metrics.Shortened.Add(float64(positions))
	now := in.now()
	if now.Sub(in.saidShort) < time.Hour {
		return
	}
	in.saidShort = now
	of := in.seen.reaches[0].of
	in.log.Warn("duplicates.memoryBytes shortens duplicates.window: a repetition of an earlier event counts again", "partition", in.partition,
		"window", time.Duration(of.WindowMs)*time.Millisecond, "held", span, "positions", of.Positions)
}
