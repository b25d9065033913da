package pipeline

import (
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/batch"
	"github.com/footfall/footfall/pipeline/aggregate"
	"github.com/footfall/footfall/pipeline/event"
)

// decode turns a chunk's records into events. Control records and records from before a seek are left out.
func (in *intake) decode(records []*kgo.Record) []record {
	if in.chunk == nil {
		in.chunk = make([]record, chunkRecords)
	}
	in.decoder.Release()
	n := 0
	for len(records) > 0 {
		records, n = in.decodeUntilPanic(records, n)
	}
	return in.chunk[:n]
}

// decodeUntilPanic decodes records into the chunk from its place n on. A record over which it panics is rejected, and
// it returns those after it: an unforeseen fault in one record must not hold up its neighbours, and decoding one touches nothing
// that others need. So the path without a panic pays for one recover a chunk.
func (in *intake) decodeUntilPanic(records []*kgo.Record, n int) (rest []*kgo.Record, next int) {
	i := 0
	defer func() {
		cause := recover()
		if cause == nil {
			return
		}
		raw := records[i]
		in.log.Error("a record is rejected because it made footfall panic: please report this", "partition", in.partition,
			"offset", raw.Offset, "cause", cause, "stack", string(debug.Stack()))
		in.decoder = event.NewDecoder() // Events that are held keep the old one's texts.
		r := &in.chunk[n]
		*r = record{raw: raw, reason: event.Panicked, detail: event.TruncateDetail(strings.ToValidUTF8(fmt.Sprint(cause), "\uFFFD"))}
		r.Offset, r.Time = raw.Offset, r.recordTime()
		rest, next = records[i+1:], n+1
	}()
	for ; i < len(records); i++ {
		raw := records[i]
		if raw.Offset < in.expected {
			continue
		}
		in.expected = raw.Offset + 1
		if batch.IsMarker(raw) {
			continue
		}
		r := &in.chunk[n]
		r.raw, r.span = raw, nil
		if raw.Context != nil { // Of a batch that was streamed.
			if r.span = rangeOf(raw); r.span != nil {
				in.expected = r.span.Next
			}
		}
		if r.span == nil {
			r.reason, r.detail = in.decoder.Decode(raw.Value, &r.Event)
			in.decoder.Hold()
		} else {
			r.Event, r.reason = event.Event{}, event.Unreadable
			r.detail = event.TruncateDetail(fmt.Sprintf("%d records at offsets [%d,%d): %s", r.span.Records, raw.Offset, r.span.Next, r.span.Cause))
		}
		if length := lengthOf(raw); length > int64(len(raw.Value)) {
			r.detail = event.TooLargeDetail(length)
		}
		in.derive(r)
		n++
	}
	return nil, n
}

// dedupe finds out which records repeat an event. It comes before the lanes part, and is done once for each record.
func (in *intake) dedupe(records []record) {
	if in.seen.off() {
		return
	}
	for i := range records {
		r := &records[i]
		r.repeats = repetition{}
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

// derive finds what both lanes use of a record.
func (in *intake) derive(r *record) {
	r.Offset, r.Time, r.id, r.Site, r.Page, r.Listed = r.raw.Offset, r.recordTime(), nil, nil, "", aggregate.NotBot
	if r.reason != event.Accepted {
		return
	}
	r.id = Identity(r.raw, &r.Event)
	r.Visitor = in.hash.Visitor(r.Event.Visitor())
	if in.looksUp() {
		r.Listed = aggregate.Lists(in.classes, &r.Event)
	}
	if r.Event.IsPageView() {
		r.Page = in.pages.Text(aggregate.CutPage(r.Event.Page()))
	}
}

// looksUp reports whether any lane asks the lists.
func (in *intake) looksUp() bool {
	for _, l := range in.lanes {
		if l.settings.Bots.Lists {
			return true
		}
	}
	return false
}
