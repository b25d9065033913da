package funnelcount

import (
	"context"
	"fmt"
	"time"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/urlquery"
	"github.com/footfall/footfall/query/filters"
	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/query/internal/rawevents"
	"github.com/footfall/footfall/query/internal/sitetable"
	"github.com/footfall/footfall/query/ranges"
	"github.com/footfall/footfall/sinks"
)

// A Reading counts the raw events of a range.
type Reading struct {
	Table       sitetable.Table
	Span        calendar.Span
	Count       *sites.FunnelCount
	IncludeBots bool
	MaxEvents   int                                         // max. raw events read; with filters as in filters.Params
	OnEstimate  func(cost filters.Cost, packed int64) error // as in query.FunnelReportParams
	Bots        int64                                       // events of bots, included or not

	settings rawevents.Settings
	tally    rawevents.Tally
	events   *rawevents.Walk
}

// Read is how many raw events were read.
func (f *Reading) Read() int { return f.events.Read }

// Units are the read units that reading them consumed.
func (f *Reading) Units() float64 { return f.events.Units() }

// Missing is how many more events stats have counted than were read.
func (f *Reading) Missing() int64 { return f.tally.Missing() }

// ReadAll reads the raw events, unless it is clear without reading that some are missing.
func (f *Reading) ReadAll(ctx context.Context) (err error) {
	if f.settings, err = rawevents.ReadSettings(ctx, f.Table.Store); err != nil {
		return err
	}
	if err := rawevents.Check(f.Table, f.settings, f.Span); err != nil {
		return err
	}
	if f.tally, err = rawevents.NewTally(ctx, f.Table, f.Span); err != nil {
		return err
	}
	if err := f.estimate(ctx); err != nil {
		return err
	}
	if f.tally.Counted > int64(f.MaxEvents) { // This is refused before raw events are read.
		return rawevents.TooMany(f.MaxEvents)
	}
	if f.events, err = rawevents.NewWalk(ctx, f.Table, f.Span, f.MaxEvents); err != nil {
		return err
	}
	for it, err := range f.events.All(ctx) {
		if err != nil {
			return err
		}
		f.add(it)
	}
	return f.check(ctx)
}

// estimate has the caller decide on the cost, if they want to know it.
func (f *Reading) estimate(ctx context.Context) error {
	if f.OnEstimate == nil {
		return nil
	}
	around, err := rawevents.NewTally(ctx, f.Table, f.Table.Clock.Around(f.Span)) // Of a range within an hour the whole hour is counted.
	if err != nil {
		return err
	}
	cost, packed, err := rawevents.Estimate(ctx, f.Table, f.Span, around.Counted)
	if err != nil {
		return err
	}
	return f.OnEstimate(cost, packed)
}

// add takes in a raw event.
func (f *Reading) add(it sinks.Item) {
	f.tally.Add(it)
	if it[sinks.AttrExcluded].Int() == 1 { // No figure but the total of excluded events has it.
		return
	}
	if it[sinks.AttrBot].Kind() != sinks.None {
		if f.Bots++; !f.IncludeBots {
			return
		}
	}
	f.Count.Add(hitOf(it))
}

// check returns why the events that were read are not all that there were; nil: they are.
func (f *Reading) check(ctx context.Context) error {
	switch missing := f.tally.Missing(); {
	case f.events.Expired > 0:
		return &ranges.RawEventsError{Site: f.Table.Site,
			Why: fmt.Sprintf("%d of the range have expired, the last at %s: begin after it", f.events.Expired,
				calendar.Instant(f.events.Gone).Format(time.RFC3339Nano))}
	case missing > 0:
		return rawevents.WhyMissing(ctx, f.Table, f.settings, f.Span, missing)
	case f.events.Read == 0 && len(f.settings.Now) > 0:
		return rawevents.SwitchedOff(f.Table.Site, f.settings.Now, ", and there are none in the range")
	}
	return nil
}

// hitOf makes of a raw event what funnels look at.
func hitOf(it sinks.Item) sites.FunnelHit {
	bytes := func(name string) []byte {
		if it[name].Kind() == sinks.None {
			return nil
		}
		return []byte(it[name].Str())
	}
	return sites.FunnelHit{Visitor: sites.FunnelVisitorOf(it[sinks.AttrVisitorID].Str(), it[sinks.AttrSessionID].Str()),
		At:   it["timestamp"].Int(),
		Type: bytes("type"), Name: bytes(sinks.AttrName), Page: urlquery.Page(bytes("url"))}
}
