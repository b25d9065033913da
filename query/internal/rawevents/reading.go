package rawevents

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/footfall/footfall/internal/pack"
	"github.com/footfall/footfall/query/filters"
	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/query/internal/sitetable"
	"github.com/footfall/footfall/query/ranges"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/consumed"
)

// itemCost is how many packed events cost as much as one that is an item.
const itemCost = 4

// Margin is how long before and after a range filters read raw events, to find the sessions that begin before it or end after it.
// Events beyond do not count: a session whose last event lies further back begins again in the range.
const Margin = 2 * time.Hour

// withMargin returns a span with what is read around it.
func withMargin(s calendar.Span) calendar.Span {
	m := Margin.Milliseconds()
	return calendar.Span{From: max(0, s.From-m), To: min(s.To+m, calendar.LastInstant.UnixMilli())}
}

// A Reading is raw events that are about to be read for filters.
type Reading struct {
	t        sitetable.Table
	Span     calendar.Span // with its margin
	Settings Settings
	Tally    Tally
	kinds    sitetable.RawKinds
	Cost     filters.Cost
}

// NewReading finds out what it costs to read the raw events of a span and its margin, unless some are missing.
func NewReading(ctx context.Context, t sitetable.Table, s calendar.Span) (r *Reading, err error) {
	r = &Reading{t: t, Span: withMargin(s)}
	if r.Settings, err = ReadSettings(ctx, t.Store); err != nil {
		return nil, err
	}
	if err := Check(t, r.Settings, r.Span); err != nil {
		return nil, r.withMargin(err)
	}
	if r.Tally, err = NewTally(ctx, t, r.Span); err != nil {
		return nil, err
	}
	if r.kinds, err = t.RawKinds(ctx); err != nil {
		return nil, err
	}
	r.Cost.EventsEstimated = r.Tally.Counted
	return r, r.estimate(ctx)
}

// withMargin has an error about raw events say that more than the range is read.
func (r *Reading) withMargin(err error) error {
	return fmt.Errorf("%w (filters read %v before and after the range)", err, Margin)
}

// Packed returns how many packed events cost as much as those that are to be read.
func (r *Reading) Packed() int64 {
	if r.kinds.Items && !r.kinds.Packs {
		return r.Cost.EventsEstimated * itemCost
	}
	return r.Cost.EventsEstimated
}

// Estimate finds what it costs to read that many raw events of a span, and how many packed ones cost as much.
func Estimate(ctx context.Context, t sitetable.Table, s calendar.Span, events int64) (cost filters.Cost, packed int64, err error) {
	r := Reading{t: t, Span: s, Cost: filters.Cost{EventsEstimated: events}}
	if r.kinds, err = t.RawKinds(ctx); err != nil {
		return cost, 0, err
	}
	if err := r.estimate(ctx); err != nil {
		return cost, 0, err
	}
	return r.Cost, r.Packed(), nil
}

// filterSamples is how many shards are sampled.
const filterSamples = 16

// A rawSample is what the first pages of raw events in some shards hold.
type rawSample struct{ items, events, bytes, squares, ms, units float64 }

// estimate reads a page of raw events in some shards, at as many places of the range, to find what an event costs.
func (r *Reading) estimate(ctx context.Context) error {
	shards := Shards(r.t.Keys, r.t.Site, r.t.Clock.Rules.ShardsIn(r.Span.From, r.Span.To))
	var items, packs rawSample
	var scan *sitetable.RawScan
	samples := min(filterSamples, len(shards))
	for i := range samples {
		from := r.Span.From + (r.Span.To-r.Span.From)*int64(i)/int64(samples)
		scan = sitetable.NewRawScan(sinks.Query{PK: shards[i*len(shards)/samples], From: sinks.EventPrefix + FirstULID(from),
			To: sinks.EventPrefix + LastULID(r.Span.To-1), Limit: sitetable.MaxPage, Consistent: r.t.Consistent}, r.kinds, nil)
		if err := items.add(ctx, r.t.Store, &scan.Items, calendar.Span{From: from, To: r.Span.To}); err != nil {
			return err
		}
		if err := packs.add(ctx, r.t.Store, &scan.Packs, calendar.Span{From: from, To: r.Span.To}); err != nil {
			return err
		}
	}
	r.Cost.ReadUnits = items.units + packs.units
	units := 0.0
	for _, s := range []struct {
		rawSample
		pages *sitetable.Pages
	}{{items, &scan.Items}, {packs, &scan.Packs}} {
		if s.pages.End {
			continue // There are none.
		}
		share := 0.0 // of the events, by how frequent they are
		if s.events > 0 {
			share = s.rate() / (items.rate() + packs.rate())
		}
		perShard := share * float64(r.Cost.EventsEstimated) / float64(len(shards))
		if s.pages == &scan.Packs { // Packs that begin before the span may reach into it.
			perShard *= 1 + pack.Reach/float64(r.Span.To-r.Span.From)
		}
		units += float64(len(shards)) * s.read(perShard, s.pages.Q.Limit, r.t.Consistent)
	}
	r.Cost.ReadUnitsEstimated = math.Ceil(r.Cost.ReadUnits + units)
	return nil
}

// add reads a page.
func (s *rawSample) add(ctx context.Context, t *sitetable.Store, p *sitetable.Pages, of calendar.Span) error {
	if p.End {
		return nil
	}
	page, err := t.Query(ctx, p.Q)
	if err != nil {
		return err
	}
	s.units += page.Units
	last := of.To
	for _, it := range page.Items {
		s.items++
		size := float64(it.Size())
		s.bytes += size
		s.squares += size * size
		if it[sinks.AttrEntity].Str() == sinks.EntityPack {
			s.events += float64(it[sinks.AttrEvents].Int())
			last = it[sinks.AttrEndedAt].Int()
		} else {
			s.events++
			last = it["timestamp"].Int()
		}
	}
	if page.Next == "" {
		last = of.To
	}
	s.ms += float64(max(1, last-of.From))
	return nil
}

// rate is how many events there are in a millisecond of a shard.
func (s *rawSample) rate() float64 {
	if s.ms == 0 {
		return 0
	}
	return s.events / s.ms
}

// read returns the read units of n events of a shard, read in pages of limit items.
func (s *rawSample) read(events float64, limit int, consistent bool) float64 {
	if s.events == 0 {
		return consumed.ReadUnits(1, consistent)
	}
	items := events * s.items / s.events
	full := math.Floor(items / float64(limit))
	return consumed.ReadUnits(1, consistent) * (full*s.blocks(float64(limit)) + s.blocks(items-full*float64(limit)))
}

// readBlock is the size of a block in bytes. A page costs as much as its blocks, and the last may be partly full.
const readBlock = 4096

// blocks returns how many blocks a page of that many items has on average. The sizes of pages are taken for normally distributed, because
// the average of rounded sizes is not the rounded average: pages of two blocks on average have three in every second case.
func (s *rawSample) blocks(items float64) float64 {
	mean := s.bytes / s.items
	size, spread := items*mean, math.Sqrt(items*max(0, s.squares/s.items-mean*mean))
	if spread < 1 {
		return max(1, math.Ceil(size/readBlock))
	}
	n := 1.0
	for more := 1.0; more*readBlock < size+5*spread; more++ { // Whether it has more blocks than these.
		n += math.Erfc((more*readBlock-size)/(spread*math.Sqrt2)) / 2
	}
	return n
}

// Missing returns why fewer raw events were read than were counted; nil: none are missing, or it is not known why.
func (r *Reading) Missing(ctx context.Context, walk *Walk) error {
	switch n := r.Tally.Missing(); {
	case walk.Expired > 0:
		return r.withMargin(&ranges.RawEventsError{Site: r.t.Site, Since: calendar.Instant(walk.Gone + 1),
			Why: fmt.Sprintf("%d of the range have expired, the last at %s: begin after it", walk.Expired,
				calendar.Instant(walk.Gone).Format(time.RFC3339Nano))})
	case n > 0:
		if err := WhyMissing(ctx, r.t, r.Settings, r.Span, n); err != nil {
			return r.withMargin(err)
		}
	case walk.Read == 0 && len(r.Settings.Now) > 0:
		return SwitchedOff(r.t.Site, r.Settings.Now, ", and there are none in the range")
	}
	return nil
}
