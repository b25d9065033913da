package query

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/query/filters"
	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/query/internal/funnelcount"
	"github.com/footfall/footfall/query/internal/sitetable"
)

// DefaultMaxFunnelEvents is the default maximum number of raw events that a funnel report reads. A million events of 500 bytes are 500 MB.
// As items that is 122,000 times 4 KB or 61,000 read units, a cent or two on demand, in some 1,000 pages read 8 at a time; in packs of
// 30 events it is 15,000 read units. A visitor who reached the first step takes 200 bytes and more, depending on the number of steps. If
// each event is the first step of another visitor, the peak is 430 MB including garbage (214 MB were measured for half a million visitors
// and three steps).
const DefaultMaxFunnelEvents = 1_000_000

// FunnelReportParams ask how far visitors got in a funnel.
type FunnelReportParams struct {
	Site, Funnel string
	From, To     time.Time // attempts begin and end within; From is required, To is exclusive; To zero: now
	IncludeBots  bool      // count events that were marked as a bot's, too
	// MaxEvents is how many raw events are read at most, at least 1; 0: DefaultMaxFunnelEvents. With Where, it is as in FilterParams.
	MaxEvents int
	// Where are filters: an attempt consists of events that pass. Source, channel and campaign of an event are those of its session's earliest
	// event, entry and exit page and goals those of the session. None may be by page, event, type or property, which the steps match, and bots
	// cannot be included.
	Where         []Condition
	Locked, Saved []Condition // of Where, as in FilterParams
	Within        bool        // as in FilterParams
	Consistent    bool        // strongly consistent reads, at twice the cost
	// OnEstimate is called before raw events are read, with what reading them will cost, and how many packed events cost as much. Its error
	// ends the report. nil: nothing is estimated. The estimate reads a page of raw events in some shards. With Where, packed is 0: what
	// passes was bounded by MaxEvents.
	OnEstimate func(cost FilterCost, packed int64) error
}

// FunnelReportAnswer says how far visitors got. It is computed from the raw events in the range, so the steps of an attempt that lie
// before or after the range do not count.
//
// An attempt is a sequence of events of one visitor, one for each of the first steps, in order and within the funnel's window. A
// strict funnel requires that no other event of the visitor lies between them. A visitor counts once for each step that any attempt
// of theirs has reached. The session is taken for the visitor of events that have no visitorId.
type FunnelReportAnswer struct {
	Site         string       `json:"siteId"`
	From         time.Time    `json:"from"`
	To           time.Time    `json:"to"`
	Funnel       Funnel       `json:"funnel"` // the version of the funnel that the report is about
	Steps        []FunnelStep `json:"steps"`
	IncludesBots bool         `json:"includesBots"`
	BotEvents    int64        `json:"botEvents"` // events of bots in the range, included or not
	EventsRead   int          `json:"eventsRead"`
	ReadUnits    float64      `json:"readUnits"` // read units that reading the events consumed
	// EventsMissing is how many more events stats have counted in the range's whole hours than there are raw events. These are events
	// of erased visitors, and events that were sent twice with the same id, so far apart that both were counted.
	EventsMissing int64 `json:"eventsMissing"`
	// Filter says how filters were answered. nil: there are none.
	Filter *FilterReport `json:"filter,omitempty"`
}

// FunnelStep is a step with how many visitors reached it.
type FunnelStep struct {
	Step     int      `json:"step"` // from 1
	Match    Pattern  `json:"match"`
	Visitors int64    `json:"visitors"`
	OfFirst  *float64 `json:"shareOfFirst"`    // visitors divided by those of the first step, 0 to 1; null: the first step has none
	OfBefore *float64 `json:"shareOfPrevious"` // visitors divided by those of the previous step, 0 to 1; null: none, or the first step
	DropOff  int64    `json:"dropOff"`         // visitors of the previous step who did not reach this one
	MedianMs *int64   `json:"medianMs"`        // median time from the previous step, in ms; null: no visitors, or the first step
}

// FunnelReport computes a report from raw events. It returns a [RawEventsError] if raw events of the range are missing,
// a [ParamError] if there are more than MaxEvents, and a [FunnelNotFoundError] if there is no such funnel.
func (r *Reader) FunnelReport(ctx context.Context, p FunnelReportParams) (FunnelReportAnswer, error) {
	a, err := sitetable.OnLive(ctx, r.live, p, answerFunnelReport)
	if _, notFound := errors.AsType[*FunnelNotFoundError](err); err != nil && !notFound {
		err = fmt.Errorf("funnel %q of site %q: %w", p.Funnel, p.Site, err)
	}
	return a, err
}

func answerFunnelReport(ctx context.Context, t *sitetable.Store, p FunnelReportParams) (a FunnelReportAnswer, err error) {
	if p.MaxEvents == 0 {
		p.MaxEvents = DefaultMaxFunnelEvents
	}
	if p.MaxEvents < 0 {
		return a, &ParamError{Param: "max-events", Value: strconv.Itoa(p.MaxEvents), Remedy: "choose 1 or more"}
	}
	if p.IncludeBots && len(p.Where) > 0 {
		return a, &ParamError{Param: "include-bots", Value: "", Remedy: "bots pass no filter: leave it out, or the filters"}
	}
	if err := filters.RefuseEvents(p.Where, "the steps of a funnel say which events count"); err != nil {
		return a, err
	}
	s, err := t.Bounded(p.From, p.To)
	if err != nil {
		return a, err
	}
	stored, err := loadFunnel(ctx, t, FunnelParams{p.Site, p.Funnel, true})
	if err != nil {
		return a, err
	}
	read := funnelcount.Reading{Span: s, IncludeBots: p.IncludeBots, MaxEvents: p.MaxEvents, OnEstimate: p.OnEstimate}
	if read.Count, err = sites.NewFunnelCount(stored.Funnel); err != nil {
		return a, err
	}
	if read.Table, _, err = t.Open(ctx, p.Site, p.Consistent); err != nil {
		return a, err
	}
	if len(p.Where) > 0 {
		return answerFiltered(ctx, &read, p, stored)
	}
	if err := read.ReadAll(ctx); err != nil {
		return a, err
	}
	a = FunnelReportAnswer{Site: p.Site, From: calendar.Instant(s.From), To: calendar.Instant(s.To), Funnel: funnelOf(stored),
		IncludesBots: p.IncludeBots,
		BotEvents:    read.Bots, EventsRead: read.Read(), ReadUnits: read.Units(), EventsMissing: read.Missing()}
	a.addSteps(read.Count.Steps())
	return a, nil
}

// answerFiltered counts the raw events that pass the filters.
func answerFiltered(ctx context.Context, read *funnelcount.Reading, p FunnelReportParams, stored sites.StoredFunnel) (a FunnelReportAnswer,
	err error) {
	asked := FilterParams{Where: p.Where, Locked: p.Locked, Saved: p.Saved, Within: p.Within, Exact: true, MaxEvents: p.MaxEvents}
	if p.OnEstimate != nil {
		asked.OnEstimate = func(c FilterCost) error { return p.OnEstimate(c, 0) }
	}
	report, err := read.ReadPassing(ctx, asked)
	if err != nil {
		return a, err
	}
	a = FunnelReportAnswer{Site: p.Site, From: calendar.Instant(read.Span.From), To: calendar.Instant(read.Span.To), Funnel: funnelOf(stored),
		BotEvents: read.Bots, EventsRead: int(report.Cost.EventsRead), ReadUnits: report.Cost.ReadUnits, EventsMissing: report.EventsMissing,
		Filter: &report}
	a.addSteps(read.Count.Steps())
	return a, nil
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
