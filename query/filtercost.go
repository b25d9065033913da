package query

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/footfall/footfall/internal/pack"
	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/query/internal/sitetable"
	"github.com/footfall/footfall/sinks"
)

// DefaultMaxFilterEvents is the default maximum number of packed raw events that filters read. 20 million events of 500 bytes are some
// 300,000 read units, eventually consistent. A raw event that is an item of its own costs as much as four packed ones.
const DefaultMaxFilterEvents = 20_000_000

// itemCost is how many packed events cost as much as one that is an item.
const itemCost = 4

// FilterCost is what it costs to compute figures from raw events.
type FilterCost struct {
	EventsEstimated    int64   `json:"eventsEstimated"`    // raw events to read, by the stats of the hours
	ReadUnitsEstimated float64 `json:"readUnitsEstimated"` // read units, by a sample of the raw events; those of the sample are included
	EventsRead         int64   `json:"eventsRead"`
	ReadUnits          float64 `json:"readUnits"` // that reading the events consumed, and the sample
}

// FilterError reports that figures cannot be computed from raw events. Err says why.
type FilterError struct {
	Site  string
	Where []Condition
	Err   error
	Cost  *FilterCost // of the raw events that were not read; nil: it is not known
}

// Error says also what can be had without raw events.
func (e *FilterError) Error() string {
	var texts, alone []string
	for _, c := range e.Where {
		texts = append(texts, shortened(c.String()))
	}
	for _, c := range e.Alone() {
		alone = append(alone, shortened(c.String()))
	}
	hint := "breakdowns answer one filter alone, of the form DIMENSION=VALUE, but by none of " + strings.Join(
		[]string{TypeDimension, EntryDimension, ExitDimension, GoalDimension}, ", ")
	if len(alone) > 0 && len(e.Where) > 1 {
		hint = "breakdowns answer without raw events, each alone: " + strings.Join(alone, " or ")
	}
	return fmt.Sprintf("filter %s: %v; %s", strings.Join(texts, " and "), e.Err, hint)
}

// Alone returns the filters that breakdowns may answer, each alone.
func (e *FilterError) Alone() (all []Condition) {
	for _, c := range e.Where {
		if c.single() {
			all = append(all, c)
		}
	}
	return all
}

// Unwrap returns why.
func (e *FilterError) Unwrap() error { return e.Err }

// single reports whether breakdowns may answer the filter alone.
func (c Condition) single() bool {
	return c.Op == Is && c.Value != "" && c.Dimension != TypeDimension && !c.ofWhole()
}

// A filterReading is raw events that are about to be read for filters.
type filterReading struct {
	t        sitetable.Table
	span     calendar.Span // with its margin
	settings rawSettings
	tally    tally
	kinds    sitetable.RawKinds
	cost     FilterCost
}

// newFilterReading finds out what it costs to read the raw events of a span and its margin, unless some are missing.
func newFilterReading(ctx context.Context, t sitetable.Table, s calendar.Span) (r *filterReading, err error) {
	r = &filterReading{t: t, span: withMargin(s)}
	if r.settings, err = readRawSettings(ctx, t.Store); err != nil {
		return nil, err
	}
	if err := checkRaw(t, r.settings, r.span); err != nil {
		return nil, r.withMargin(err)
	}
	if r.tally, err = newTally(ctx, t, r.span); err != nil {
		return nil, err
	}
	if r.kinds, err = t.RawKinds(ctx); err != nil {
		return nil, err
	}
	r.cost.EventsEstimated = r.tally.counted
	return r, r.estimate(ctx)
}

// withMargin has an error about raw events say that more than the range is read.
func (r *filterReading) withMargin(err error) error {
	return fmt.Errorf("%w (filters read %v before and after the range)", err, FilterMargin)
}

// add adds the cost of another range.
func (c *FilterCost) add(o FilterCost) {
	c.EventsEstimated += o.EventsEstimated
	c.ReadUnitsEstimated += o.ReadUnitsEstimated
	c.EventsRead += o.EventsRead
	c.ReadUnits += o.ReadUnits
}

// withoutEvents takes away the cost of a range whose events are not read. What finding that out has consumed remains.
func (c *FilterCost) withoutEvents(o FilterCost) {
	c.EventsEstimated -= o.EventsEstimated
	c.ReadUnitsEstimated -= o.ReadUnitsEstimated - o.ReadUnits
}

// packed returns how many packed events cost as much as those that are to be read.
func (r *filterReading) packed() int64 {
	if r.kinds.Items && !r.kinds.Packs {
		return r.cost.EventsEstimated * itemCost
	}
	return r.cost.EventsEstimated
}

// check refuses a range, or two that are compared, that cost more than the bound, given as how many packed events they cost.
func (c *FilterCost) check(packed int64, most, ranges int) error {
	if packed <= int64(most) {
		return nil
	}
	what := "the range and its margins"
	if ranges > 1 {
		what = "the range, the one that it is compared with and their margins"
	}
	return &ParamError{Param: "max-events", Value: fmt.Sprint(most),
		Remedy: fmt.Sprintf("%s have %d raw events, which cost about %.0f read units, as %d packed "+
			"events: ask for a shorter range, or raise the bound", what, c.EventsEstimated, c.ReadUnitsEstimated, packed)}
}

// filterSamples is how many shards are sampled.
const filterSamples = 16

// A rawSample is what the first pages of raw events in some shards hold.
type rawSample struct{ items, events, bytes, squares, ms, units float64 }

// estimate reads a page of raw events in some shards, at as many places of the range, to find what an event costs.
func (r *filterReading) estimate(ctx context.Context) error {
	shards := siteShards(r.t.Keys, r.t.Site, r.t.Clock.Rules.ShardsIn(r.span.From, r.span.To))
	var items, packs rawSample
	var scan *sitetable.RawScan
	samples := min(filterSamples, len(shards))
	for i := range samples {
		from := r.span.From + (r.span.To-r.span.From)*int64(i)/int64(samples)
		scan = sitetable.NewRawScan(sinks.Query{PK: shards[i*len(shards)/samples], From: sinks.EventPrefix + firstULID(from),
			To: sinks.EventPrefix + lastULID(r.span.To-1), Limit: sitetable.MaxPage, Consistent: r.t.Consistent}, r.kinds, nil)
		if err := items.add(ctx, r.t.Store, &scan.Items, calendar.Span{From: from, To: r.span.To}); err != nil {
			return err
		}
		if err := packs.add(ctx, r.t.Store, &scan.Packs, calendar.Span{From: from, To: r.span.To}); err != nil {
			return err
		}
	}
	r.cost.ReadUnits = items.units + packs.units
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
		perShard := share * float64(r.cost.EventsEstimated) / float64(len(shards))
		if s.pages == &scan.Packs { // Packs that begin before the span may reach into it.
			perShard *= 1 + pack.Reach/float64(r.span.To-r.span.From)
		}
		units += float64(len(shards)) * s.read(perShard, s.pages.Q.Limit, r.t.Consistent)
	}
	r.cost.ReadUnitsEstimated = math.Ceil(r.cost.ReadUnits + units)
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
		return sinks.ReadUnits(1, consistent)
	}
	items := events * s.items / s.events
	full := math.Floor(items / float64(limit))
	return sinks.ReadUnits(1, consistent) * (full*s.blocks(float64(limit)) + s.blocks(items-full*float64(limit)))
}

// readBlock is how many bytes of a page are one block: a page costs as much as its blocks, the last of which may be partly full.
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

// missing returns why fewer raw events were read than were counted; nil: none are missing, or it is not known why.
func (r *filterReading) missing(ctx context.Context, walk *rawWalk) error {
	switch n := r.tally.missing(); {
	case walk.expired > 0:
		return r.withMargin(&RawEventsError{Site: r.t.Site, Since: calendar.Instant(walk.gone + 1), Why: fmt.Sprintf("%d of the range have "+
			"expired, the last at %s: begin after it", walk.expired, calendar.Instant(walk.gone).Format(time.RFC3339Nano))})
	case n > 0:
		if err := whyMissing(ctx, r.t, r.settings, r.span, n); err != nil {
			return r.withMargin(err)
		}
	case walk.read == 0 && len(r.settings.now) > 0:
		return rawOff(r.t.Site, r.settings.now, ", and there are none in the range")
	}
	return nil
}
