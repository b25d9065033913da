package pipeline

import (
	"context"
	"fmt"
	"math"
	"runtime/debug"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/aggregate"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/sinks"
)

// ingest decodes a chunk of the batch, if none is decoded, and folds a portion of it, in the order of offsets. No lane's redo
// ends inside of a chunk: a redo is cut exactly where the step was cut before, whatever came in one fetch.
func (w *worker) ingest(ctx context.Context) error {
	if len(w.part) == 0 {
		n := w.chunkEnd(w.batch)
		if n == 0 {
			return w.redoWithoutEnd(ctx, w.batch[0])
		}
		w.part = w.decode(w.batch[:n])
		w.batch = w.batch[n:]
		w.dedupe(w.part)
	}
	n := w.portion(w.part)
	portion := w.part[:n]
	w.part = w.part[n:]
	if err := w.fold(ctx, portion); err != nil {
		return err
	}
	for _, l := range w.lanes {
		if !l.reached() {
			continue
		}
		if l.repeats != l.chain.Head.Repeats {
			return w.unrepeatable(ctx, l, checkpoint.GapWindow)
		}
		w.cut(ctx, l, 0)
	}
	return nil
}

// chunkEnd returns how many of the records come before the end of every redo.
func (w *worker) chunkEnd(batch []*kgo.Record) int {
	for _, l := range w.lanes {
		if !l.redo {
			continue
		}
		for i, r := range batch {
			if r.Offset+l.base >= l.chain.Head.To {
				batch = batch[:i]
				break
			}
		}
	}
	return len(batch)
}

// redoWithoutEnd tells which lane's redo cannot be completed: the log goes on behind the head's last record and does
// not have that record any more.
func (w *worker) redoWithoutEnd(ctx context.Context, next *kgo.Record) error {
	for _, l := range w.lanes {
		if l.redo && next.Offset+l.base >= l.chain.Head.To {
			return w.unrepeatable(ctx, l, checkpoint.GapMissing)
		}
	}
	panic("a chunk is empty although no redo ends before it")
}

// unrepeatable leaves a gap where the lane's open step cannot be done again as it was begun.
func (w *worker) unrepeatable(ctx context.Context, l *lane, cause checkpoint.GapCause) error {
	gap := checkpoint.Unrepeatable(cause, l.chain.Head, time.Now())
	if err := l.chain.Leave(ctx, gap); err != nil {
		return err
	}
	return &checkpoint.GapError{Gap: gap, Partition: w.partition, Lane: l.name}
}

// fold folds decoded records.
func (w *worker) fold(ctx context.Context, records []record) error {
	w.readClock()
	for _, l := range w.lanes {
		l.fixRules(w.rules.latest())
		l.date(w.now())
	}
	w.judge(records)
	if err := w.meet(ctx, records); err != nil {
		return err
	}
	for _, l := range w.lanes {
		l.adoptFirstRules(w.rules.latest())
	}
	for i := range records {
		r := &records[i]
		w.at = r.raw.Offset
		for _, l := range w.lanes {
			if r.verdicts[l.n] == event.Accepted {
				l.fold.Prepare(&r.Input, &w.load)
			}
		}
	}
	if err := w.load.load(ctx); err != nil {
		return err
	}
	for i := range records {
		r := &records[i]
		w.at = r.raw.Offset
		for _, l := range w.lanes {
			if r.verdicts[l.n] == event.Accepted {
				l.fold.Want(&r.Input, &w.load)
			}
		}
	}
	for rest := true; rest; rest = len(w.load.keys) > 0 {
		if err := w.load.load(ctx); err != nil {
			return err
		}
		for _, l := range w.lanes {
			if err := l.fold.Loaded(&w.load); err != nil {
				return err
			}
		}
	}
	for i := range records {
		r := &records[i]
		w.at = r.raw.Offset
		for _, l := range w.lanes {
			reason := r.verdicts[l.n]
			if reason == folded {
				continue
			}
			pos := l.position(r)
			if l.records == 0 {
				l.from, l.waiting = pos, time.Now()
			}
			l.pos = pos + 1
			if r.span != nil {
				l.pos = r.span.Next + l.base
			}
			l.records++
			switch reason {
			case event.Accepted:
				l.fold.Add(&r.Input)
			case event.Duplicate:
				l.repeats++
			}
			if l == w.stats {
				w.account(r, reason)
			}
		}
	}
	w.forgetRefused()
	w.tell()
	w.publish()
	return nil
}

// readClock gives the folds the time: they have no clock.
func (w *worker) readClock() {
	now := w.now().UnixMilli()
	for _, l := range w.lanes {
		l.fold.At(now)
	}
}

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

// folded stands for a verdict on a record that a lane has folded before.
const folded event.Reason = "folded"

// judge finds each lane's verdict on each record, but for how many sites may be new.
func (w *worker) judge(records []record) {
	for i := range records {
		r := &records[i]
		w.at = r.raw.Offset
		for _, l := range w.lanes {
			r.verdicts[l.n] = folded
			if l.position(r) >= l.pos {
				r.verdicts[l.n] = w.verdict(l, r)
			}
		}
	}
}

// verdict is the lane's verdict on a record under the settings and the rules of the lane's step.
func (w *worker) verdict(l *lane, r *record) event.Reason {
	switch {
	case r.reason != event.Accepted:
		return r.reason
	case 0 < r.repeats && r.repeats <= l.settings.Duplicates:
		return event.Duplicate
	}
	if reason := l.settings.Judge(&r.Event, r.Time); reason != event.Accepted {
		return reason
	}
	return w.registered(l, r)
}

// account books where a record ended: the promise "nothing vanishes". The totals are the stats lane's. In a redo
// they stand in the head already; what goes beside the items is sent again.
func (w *worker) account(r *record, reason event.Reason) {
	l := w.stats
	e := &r.Event
	switch {
	case reason == event.Duplicate: // Its event is counted, or rejected, where it was first.
	case reason != event.Accepted:
		rejected := *r
		rejected.reason = reason
		if rejected.detail == "" {
			rejected.detail = w.detail(r, reason)
		}
		w.failed.add(&rejected, w.withoutQueries(r.raw), l.settings.Duplicates, l.tally)
	case l.settings.RawEvents && r.Kept():
		w.addRaw(r)
	}
	if l.redo {
		w.count.redone++
		return
	}
	w.count.records++
	if len(r.raw.Key) == 0 {
		w.count.keyless++
	}
	if r.repeats > 0 {
		w.metrics.Duplicates.Observe(float64(r.repeats))
	}
	if reason == event.Duplicate {
		w.totals.Duplicate++
		w.count.duplicate++
		return
	}
	if reason != event.Accepted {
		n := int64(1)
		if r.span != nil {
			n = r.span.Records
		}
		w.metrics.Records.WithLabelValues("rejected").Add(float64(n))
		if w.totals.Rejected == nil {
			w.totals.Rejected = make(map[event.Reason]int64)
		}
		w.totals.Rejected[reason] += n
		w.metrics.Rejected.WithLabelValues(string(reason)).Add(float64(n))
		return
	}
	w.totals.Counted++
	w.count.counted++
	if r.Bot != aggregate.NotBot {
		w.metrics.Bots.WithLabelValues(string(r.Bot)).Inc()
	}
	if r.Over {
		w.metrics.OverBudget.Inc()
	}
	if e.SessionID == nil {
		w.totals.Sessionless++
		w.count.sessionless++
	}
	if e.Notes != 0 {
		w.metrics.note(e.Notes)
	}
}

// counts are a chunk's additions to the metrics that most records add to: they are told once a chunk.
type counts struct{ records, counted, duplicate, redone, sessionless, keyless int64 }

func (w *worker) tell() {
	c := w.count
	w.count = counts{}
	if c.counted > 0 {
		w.metrics.Records.WithLabelValues("counted").Add(float64(c.counted))
	}
	if c.duplicate > 0 {
		w.metrics.Records.WithLabelValues("duplicate").Add(float64(c.duplicate))
	}
	if c.redone > 0 {
		w.metrics.Records.WithLabelValues("redone").Add(float64(c.redone))
	}
	w.metrics.Sessionless.Add(float64(c.sessionless))
	w.metrics.Keyless.Add(float64(c.keyless))
	w.records.Add(c.records)
	w.keyless.Add(c.keyless)
}

// detail tells people what the event's own bytes do not: why it was rejected although it is well-formed.
func (w *worker) detail(r *record, reason event.Reason) string {
	switch l := w.stats; {
	case reason == event.BadRecordTime:
		return recordTimeDetail(r.Time, l.settings.NotAfter)
	case reason == event.TooLate && r.Event.Timestamp < event.EarliestEvent:
		return "the event's timestamp lies in 1970: seconds were sent as milliseconds"
	case reason == event.TooManySites:
		return fmt.Sprintf("%d new sites were counted in the hour from %s", l.admission.Cur.Sites,
			time.UnixMilli(l.admission.Cur.Hour).UTC().Format(time.RFC3339))
	case reason == event.UnknownSite && w.standing(l, r.Site) == sites.Deleted:
		return "the site was deleted"
	case reason == event.UnknownSite:
		return "the site was not created"
	}
	return lateness(r.Event.Timestamp - r.Time)
}

func lateness(ms int64) string {
	side, size := "after", uint64(ms)
	if ms < 0 {
		side, size = "before", -size
	}
	if size > math.MaxInt64/uint64(time.Millisecond) {
		return fmt.Sprintf("the event's timestamp is more than 292 years %s its record's", side)
	}
	return fmt.Sprintf("the event's timestamp is %v %s its record's", time.Duration(size)*time.Millisecond, side)
}

// addRaw sends the raw event on its way: its shard and key depend on the event and the rules of its site alone.
func (w *worker) addRaw(r *record) {
	e, site := &r.Event, r.Site.Ruled
	ttl := aggregate.Expires(e.Timestamp, site.DaysOf(sinks.AttrRawDays, w.stats.settings.Retention.RawDays))
	if ttl.Passed(w.now().Unix()) {
		w.metrics.Expired.WithLabelValues(sinks.EntityEvent).Inc()
		return
	}
	shards := site.ShardsAt(e.Timestamp)
	shard := sinks.ShardOf(string(e.ShardID()), shards)
	id := event.ULID(e.SiteID, r.id, w.topicID, w.partition, r.raw.Offset, e.Timestamp)
	key := w.keys.Event(r.Site.ID, shard, id.String())
	kept := w.keptQuery(site.Rules)
	w.raw.add(eventItem(key, r, kept.Cut(e.URL), kept.Cut(e.Referrer), r.source(), ttl), len(r.raw.Value), w.stats.tally)
}

// publish tells others how far the worker is.
func (w *worker) publish() {
	w.mu.Lock()
	defer w.mu.Unlock()
	next := w.expected
	if len(w.part) > 0 {
		next = w.part[0].raw.Offset
	}
	if next > w.nextOffset { // Else it is still filling the window of duplicates.
		w.nextOffset = next
	}
}
