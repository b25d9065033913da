package query

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/urlquery"
	"github.com/footfall/footfall/sinks"
)

// DefaultMaxEvents is how many raw events a report of a funnel reads at most, unless more is asked for. A million events of 500
// bytes are 500 MB: 122,000 times 4 KB, so 61,000 read units, a cent or two on demand, in some 1,000 pages read 8 at a time.
// A visitor who was at the first step takes 200 bytes and more, by the steps: 430 MB at the peak, with what is not yet collected,
// if each event is the first step of another (214 MB measured for half a million, of three steps).
const DefaultMaxEvents = 1_000_000

// FunnelReportParams ask how far visitors came in a funnel.
type FunnelReportParams struct {
	Site, Funnel string
	From, To     time.Time // attempts begin and end within; To zero: now
	IncludeBots  bool      // of whom raw events say that they are; else these are left out
	MaxEvents    int       // that are read at most; 0: DefaultMaxEvents
	Consistent   bool      // read strongly, at twice the cost
}

// FunnelReportAnswer says how far visitors came. All of it is of raw events in the range: an attempt that began before the range,
// or ended behind it, is none of it. See [sites.FunnelCount] for what an attempt is, and whom a visitor is.
type FunnelReportAnswer struct {
	Site         string       `json:"siteId"`
	From         time.Time    `json:"from"`
	To           time.Time    `json:"to"`
	Funnel       Funnel       `json:"funnel"` // as it was read: the report is of this version
	Steps        []FunnelStep `json:"steps"`
	IncludesBots bool         `json:"includesBots"`
	BotEvents    int64        `json:"botEvents"` // of bots, whether they are included or not
	EventsRead   int          `json:"eventsRead"`
	ReadUnits    float64      `json:"readUnits"` // that reading them took
	// EventsMissing is how many events of the range's whole hours are counted by stats of which there is no raw event, for a reason
	// that no setting tells: of erased visitors, and of events that were sent again with the same id so much later that they count
	// twice.
	EventsMissing int64 `json:"eventsMissing"`
}

// FunnelStep is a step with how many visitors reached it.
type FunnelStep struct {
	Step     int      `json:"step"` // from 1
	Match    Pattern  `json:"match"`
	Visitors int64    `json:"visitors"`
	OfFirst  *float64 `json:"shareOfFirst"`    // of the visitors of the first step; null: there were none
	OfBefore *float64 `json:"shareOfPrevious"` // of those of the step before; null: there were none, or it is the first
	DropOff  int64    `json:"dropOff"`         // visitors of the step before who did not reach it
	MedianMs *int64   `json:"medianMs"`        // from the step before; null: there were none, or it is the first step
}

// FunnelReport computes a report from raw events. A *RawEventsError says why raw events cannot tell, a *ParamError that there are more
// than may be read, a *FunnelNotFoundError that there is no such funnel.
func (r *Reader) FunnelReport(ctx context.Context, p FunnelReportParams) (FunnelReportAnswer, error) {
	a, err := answerFunnelReport(ctx, r.store, p)
	if _, notFound := errors.AsType[*FunnelNotFoundError](err); err != nil && !notFound {
		err = fmt.Errorf("funnel %q of site %q: %w", p.Funnel, p.Site, err)
	}
	return a, err
}

func answerFunnelReport(ctx context.Context, t *store, p FunnelReportParams) (a FunnelReportAnswer, err error) {
	if p.MaxEvents == 0 {
		p.MaxEvents = DefaultMaxEvents
	}
	if p.MaxEvents < 0 {
		return a, &ParamError{"max-events", strconv.Itoa(p.MaxEvents), "choose 1 or more"}
	}
	s, err := t.bounded(p.From, p.To)
	if err != nil {
		return a, err
	}
	stored, err := loadFunnel(ctx, t, FunnelParams{p.Site, p.Funnel, true})
	if err != nil {
		return a, err
	}
	read := funnelReading{p: p, span: s}
	if read.count, err = sites.NewFunnelCount(stored.Funnel); err != nil {
		return a, err
	}
	if read.t, _, err = t.siteTable(ctx, p.Site, p.Consistent); err != nil {
		return a, err
	}
	if err := read.all(ctx); err != nil {
		return a, err
	}
	a = FunnelReportAnswer{Site: p.Site, From: instant(s.from), To: instant(s.to), Funnel: funnelOf(stored), IncludesBots: p.IncludeBots,
		BotEvents: read.bots, EventsRead: read.events.read, ReadUnits: read.events.m.units(), EventsMissing: read.tally.missing()}
	a.addSteps(read.count.Steps())
	return a, nil
}

// A funnelReading counts the raw events of a range.
type funnelReading struct {
	p     FunnelReportParams
	t     siteTable
	span  span
	count *sites.FunnelCount

	settings rawSettings
	tally    tally
	events   *rawWalk
	bots     int64 // events of bots
}

// all reads the raw events, unless it is clear before that they cannot tell.
func (f *funnelReading) all(ctx context.Context) (err error) {
	if f.settings, err = f.t.rawSettings(ctx); err != nil {
		return err
	}
	if err := f.t.checkRaw(f.settings, f.span); err != nil {
		return err
	}
	if f.tally, err = newTally(ctx, f.t, f.span); err != nil {
		return err
	}
	if f.tally.counted > int64(f.p.MaxEvents) { // This is refused before it costs anything.
		return tooMany(f.p.MaxEvents)
	}
	f.events = f.t.rawWalk(f.span, f.p.MaxEvents)
	for it, err := range f.events.all(ctx) {
		if err != nil {
			return err
		}
		f.add(it)
	}
	return f.check(ctx)
}

// add takes in a raw event.
func (f *funnelReading) add(it sinks.Item) {
	f.tally.add(it)
	if it[sinks.AttrBot].Kind() != sinks.None {
		if f.bots++; !f.p.IncludeBots {
			return
		}
	}
	f.count.Add(hitOf(it))
}

// check returns why the events that were read are not all that there were; nil: they are.
func (f *funnelReading) check(ctx context.Context) error {
	switch missing := f.tally.missing(); {
	case f.events.expired > 0:
		return &RawEventsError{f.t.site, fmt.Sprintf("%d of the range have expired, the last at %s: begin after it", f.events.expired,
			instant(f.events.gone).Format(time.RFC3339Nano))}
	case missing > 0:
		return f.t.whyMissing(ctx, f.settings, f.span, missing)
	case f.events.read == 0 && len(f.settings.now) > 0:
		return rawOff(f.t.site, f.settings.now, ", and there are none in the range")
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

func (a *FunnelReportAnswer) addSteps(steps []sites.FunnelStep) {
	share := func(n, of int64) *float64 {
		if of == 0 {
			return nil
		}
		x := float64(n) / float64(of)
		return &x
	}
	for i, s := range steps {
		step := FunnelStep{Step: i + 1, Match: a.Funnel.Steps[i], Visitors: s.Visitors, OfFirst: share(s.Visitors, steps[0].Visitors),
			MedianMs: s.MedianMs}
		if i > 0 {
			step.OfBefore, step.DropOff = share(s.Visitors, steps[i-1].Visitors), steps[i-1].Visitors-s.Visitors
		}
		a.Steps = append(a.Steps, step)
	}
}
