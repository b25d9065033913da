package pipeline

import (
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/pipeline/aggregate"
	"github.com/footfall/footfall/pipeline/event"
)

// decode turns a chunk's records into events. Control records and records from before a seek are left out.
func (w *worker) decode(batch []*kgo.Record) []record {
	if w.chunk == nil {
		w.chunk = make([]record, chunkRecords)
	}
	w.decoder.Release()
	n := 0
	for len(batch) > 0 {
		batch, n = w.decodeUntilPanic(batch, n)
	}
	return w.chunk[:n]
}

// decodeUntilPanic decodes records into the chunk from its place n on. A record over which it panics is rejected, and
// it returns those behind it: what nobody foresaw in one record must not hold up its neighbours, and what a record is
// turned into by itself touches nothing that others need. So the path without a panic pays for one recover a chunk.
func (w *worker) decodeUntilPanic(batch []*kgo.Record, n int) (rest []*kgo.Record, next int) {
	i := 0
	defer func() {
		cause := recover()
		if cause == nil {
			return
		}
		raw := batch[i]
		w.log.Error("a record is rejected because it made footfall panic: please report this", "partition", w.partition,
			"offset", raw.Offset, "cause", cause, "stack", string(debug.Stack()))
		w.decoder = event.NewDecoder() // Events that are held keep the old one's texts.
		r := &w.chunk[n]
		*r = record{raw: raw, reason: event.Panicked, detail: event.TruncateDetail(strings.ToValidUTF8(fmt.Sprint(cause), "\uFFFD"))}
		r.Offset, r.Time = raw.Offset, r.recordTime()
		rest, next = batch[i+1:], n+1
	}()
	for ; i < len(batch); i++ {
		raw := batch[i]
		if raw.Offset < w.expected {
			continue
		}
		w.expected = raw.Offset + 1
		if raw.Attrs.IsControl() {
			continue
		}
		r := &w.chunk[n]
		r.raw, r.span = raw, nil
		if raw.Context != nil { // Of a batch that was streamed.
			if r.span = rangeOf(raw); r.span != nil {
				w.expected = r.span.Next
			}
		}
		if r.span == nil {
			r.reason, r.detail = w.decoder.Decode(raw.Value, &r.Event)
			w.decoder.Hold()
		} else {
			r.Event, r.reason = event.Event{}, event.Unreadable
			r.detail = event.TruncateDetail(fmt.Sprintf("%d records at offsets [%d,%d): %s", r.span.Records, raw.Offset, r.span.Next, r.span.Cause))
		}
		if length := lengthOf(raw); length > int64(len(raw.Value)) {
			r.detail = event.TooLargeDetail(length)
		}
		w.derive(r)
		n++
	}
	return nil, n
}

// dedupe finds out which records repeat an event. It comes before the lanes part, and is done once for each record.
func (w *worker) dedupe(records []record) {
	for i := range records {
		r := &records[i]
		r.repeats = 0
		if r.id != nil {
			at := r.raw.Offset
			r.repeats = w.seen.see(r.Event.SiteID, r.id, at)
		}
	}
}

// derive finds what both lanes use of a record.
func (w *worker) derive(r *record) {
	r.Offset, r.Time, r.id, r.Site, r.Page, r.Listed = r.raw.Offset, r.recordTime(), nil, nil, "", aggregate.NotBot
	if r.reason != event.Accepted {
		return
	}
	r.id = Identity(r.raw, &r.Event)
	r.Visitor = w.hash.Visitor(r.Event.Visitor())
	if w.looksUp() {
		r.Listed = aggregate.Lists(w.classes, &r.Event)
	}
	if r.Event.IsPageView() {
		r.Page = w.pages.Text(aggregate.CutPage(r.Event.Page()))
	}
}

// looksUp reports whether any lane asks the lists.
func (w *worker) looksUp() bool {
	for _, l := range w.lanes {
		if l.settings.Bots.Lists {
			return true
		}
	}
	return false
}
