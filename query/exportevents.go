package query

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/query/internal/rawevents"
	"github.com/footfall/footfall/query/internal/sitetable"
)

// ExportEventsParams ask for all raw events of a site in a range of event time.
type ExportEventsParams struct {
	Site       string
	From, To   time.Time // to the millisecond; From is required, To is exclusive; To zero: now
	Consistent bool      // strongly consistent reads, at twice the cost
}

// EventsExport says what was exported.
type EventsExport struct {
	Site string
	Known
	From, To       time.Time
	Events         int64 // events written
	ExpiredOmitted int
	Missing        int64   // as FunnelReportAnswer.EventsMissing, including expired events
	ReadUnits      float64 // read units that reading the events consumed
}

// ExportEvents writes raw events to out, one JSON object per line, in the format that producers send. `footfall produce --from-file`
// reads it back. Events are in the order of event time, and those of the same millisecond in the order of the topic. What the
// pipeline adds to an event (its source, record time and bot detection) is left out. Each Write gets one line. Memory is a few
// pages per shard, however many events there are.
//
// A [RawEventsError] reports that raw events are switched off: no partition has ever written any, or there are none in the range
// and some partition's latest flush was without them. After an error, what was written to out is incomplete.
func (r *Reader) ExportEvents(ctx context.Context, p ExportEventsParams, out io.Writer) (EventsExport, error) {
	x, err := sitetable.OnLive(ctx, r.live, p, func(ctx context.Context, t *sitetable.Store, p ExportEventsParams) (EventsExport, error) {
		return exportEvents(ctx, t, p, out)
	})
	if err != nil {
		return x, fmt.Errorf("export events of site %q: %w", p.Site, err)
	}
	return x, nil
}

func exportEvents(ctx context.Context, t *sitetable.Store, p ExportEventsParams, out io.Writer) (x EventsExport, err error) {
	if err := sitetable.CheckID("site", p.Site); err != nil {
		return x, err
	}
	s, err := t.Bounded(p.From, p.To)
	if err != nil {
		return x, err
	}
	x = EventsExport{Site: p.Site, From: calendar.Instant(s.From), To: calendar.Instant(s.To)}
	table := sitetable.Table{Store: t, Site: p.Site, Consistent: p.Consistent}
	site, err := t.RawSite(ctx, p.Site)
	table.Clock.Rules, x.SiteKnown = site.Rules, site.Known
	if err != nil || !x.SiteKnown {
		return x, err // No event is written before its site's entry.
	}
	settings, err := rawevents.ReadSettings(ctx, t)
	if err != nil {
		return x, err
	}
	if !settings.On {
		return x, rawevents.SwitchedOff(p.Site, settings.Off, "")
	}
	events, err := rawevents.NewTally(ctx, table, s)
	if err != nil {
		return x, err
	}
	walk, err := rawevents.NewWalk(ctx, table, s, 0)
	if err != nil {
		return x, err
	}
	var line []byte
	for it, err := range walk.All(ctx) {
		if err != nil {
			return x, err
		}
		if line, err = rawevents.AppendJSON(line[:0], it); err != nil {
			return x, err
		}
		if _, err := out.Write(line); err != nil {
			return x, err
		}
		events.Add(it)
		x.Events++
	}
	x.ExpiredOmitted, x.Missing, x.ReadUnits = walk.Expired, events.Missing(), walk.Units()
	if walk.Read == 0 && len(settings.Now) > 0 {
		return x, rawevents.SwitchedOff(p.Site, settings.Now, ", and there are none in the range")
	}
	return x, nil
}
