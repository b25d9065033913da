package pipeline

import (
	"fmt"
	"math"
	"time"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/urlquery"
	"github.com/footfall/footfall/pipeline/aggregate/plan"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/pipeline/internal/decoding"
	"github.com/footfall/footfall/pipeline/internal/lanes"
	"github.com/footfall/footfall/pipeline/internal/outgoing"
	"github.com/footfall/footfall/sinks"
)

// account books where a record ended: the promise "nothing vanishes". The totals are the stats lane's. In a redo
// they stand in the head already; what goes beside the items is sent again.
func (in *intake) account(r *decoding.Record, reason event.Reason) {
	l := in.stats
	switch {
	case reason == event.Duplicate: // Its event is counted, or rejected, where it was first.
	case l.LeftToLive(reason, r.Offset), in.options.Rebuild.Silent && reason != event.Accepted: // Raw events and failed events have gone out.
	case reason != event.Accepted:
		rejected := *r
		rejected.Reason = reason
		if rejected.Detail == "" {
			rejected.Detail = in.detail(r, reason)
		}
		in.failed.Add(&rejected, outgoing.WithoutQueries(r.Raw, in.keptOf), l.Settings.Duplicates.Text(), l.Taken.Tally)
	case l.Settings.RawEvents && r.Kept():
		in.addRaw(r)
	}
	if l.Redo {
		in.count.redone++
		return
	}
	in.count.records++
	if len(r.Raw.Key) == 0 {
		in.count.keyless++
	}
	if r.Repeats.Within > 0 {
		in.metrics.Duplicates.Observe(float64(r.Repeats.Distance))
	}
	if reason == event.Duplicate {
		in.totals.Duplicate++
		in.count.duplicate++
		return
	}
	if reason != event.Accepted {
		n := int64(1)
		if r.Span != nil {
			n = r.Span.Records
		}
		in.metrics.Records.WithLabelValues("rejected").Add(float64(n))
		if in.totals.Rejected == nil {
			in.totals.Rejected = make(map[event.Reason]int64)
		}
		in.totals.Rejected[reason] += n
		in.rejections.Add(reason, n)
		in.metrics.Rejected.WithLabelValues(string(reason)).Add(float64(n))
		return
	}
	in.counted(r)
}

// counted counts a record whose event counts.
func (in *intake) counted(r *decoding.Record) {
	in.totals.Counted++
	in.count.counted++
	if r.Bot.Known() {
		in.metrics.Bots.WithLabelValues(string(r.Bot)).Inc()
	}
	if r.Over {
		in.metrics.OverBudget.Inc()
	}
	if r.Excluded {
		in.metrics.Excluded.Inc()
	}
	if r.Event.SessionID == nil {
		in.totals.Sessionless++
		in.count.sessionless++
	}
	if r.Event.Notes != 0 {
		in.metrics.CountNotes(r.Event.Notes)
	}
}

func (in *intake) addCounts() {
	c := in.count
	in.count = counts{}
	if c.counted > 0 {
		in.metrics.Records.WithLabelValues("counted").Add(float64(c.counted))
	}
	if c.duplicate > 0 {
		in.metrics.Records.WithLabelValues("duplicate").Add(float64(c.duplicate))
	}
	if c.redone > 0 {
		in.metrics.Records.WithLabelValues("redone").Add(float64(c.redone))
	}
	in.metrics.Sessionless.Add(float64(c.sessionless))
	in.metrics.Keyless.Add(float64(c.keyless))
	in.records.Add(c.records)
	in.keyless.Add(c.keyless)
}

// detail says why a well-formed event was rejected, which its own bytes do not show.
func (in *intake) detail(r *decoding.Record, reason event.Reason) string {
	switch l := in.stats; {
	case reason == event.BadRecordTime:
		return lanes.RecordTimeDetail(r.Time, l.Settings.NotAfter)
	case reason == event.TooLate && r.Event.Timestamp < event.EarliestEvent:
		return "the event's timestamp lies in 1970: seconds were sent as milliseconds"
	case reason == event.TooManySites:
		return fmt.Sprintf("%d new sites were counted in the hour from %s", l.Admission.Cur.Sites,
			time.UnixMilli(l.Admission.Cur.Hour).UTC().Format(time.RFC3339))
	case reason == event.UnknownSite && in.standing(l, r.Site) == sites.Deleted:
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

// addRaw sends the raw event on its way, or adds it to the packs of the flush: its shard and key depend on the event and the rules of
// its site alone.
func (in *intake) addRaw(r *decoding.Record) {
	e, site := &r.Event, r.Site.Ruled
	days, packed := site.DaysOf(sinks.AttrRawDays, in.stats.Settings.Retention.RawDays), in.stats.Settings.RawPacked
	ttl := plan.Expires(e.Timestamp, days)
	if !packed && ttl.Passed(in.now().Unix()) { // Of packs, the flush decides.
		in.metrics.Expired.WithLabelValues(sinks.EntityEvent).Inc()
		return
	}
	shards := site.ShardsAt(e.Timestamp)
	shard := sinks.ShardOf(string(e.ShardID()), shards)
	origin := event.Origin{TopicID: in.topicID, Partition: in.partition, Offset: r.Raw.Offset}
	id := event.ULID(e.SiteID, r.ID, origin, e.Timestamp)
	if packed {
		in.stats.Taken.Packs.Add(r.Site.ID, shard, days, outgoing.PackedEvent(&in.packing, r, id, in.keptQuery(site.Rules)))
		return
	}
	key := in.keys.Event(r.Site.ID, shard, id.String())
	in.raw.Add(outgoing.EventItem(key, r, in.keptQuery(site.Rules), ttl), len(r.Raw.Value), in.stats.Taken.Tally)
}

// keptOf returns what the accumulating step of the stats lane keeps of urls of the site with an id.
func (in *intake) keptOf(siteID string) *urlquery.Kept {
	return in.keptQuery(in.stats.Rules.Site(siteID))
}
