package query

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/query/internal/sitetable"
	"github.com/footfall/footfall/sinks"
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
	x, err := exportEvents(ctx, r.store, p, out)
	if err != nil {
		return x, fmt.Errorf("export events of site %q: %w", p.Site, err)
	}
	return x, nil
}

func exportEvents(ctx context.Context, t *sitetable.Store, p ExportEventsParams, out io.Writer) (x EventsExport, err error) {
	if err := checkID("site", p.Site); err != nil {
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
	settings, err := readRawSettings(ctx, t)
	if err != nil {
		return x, err
	}
	if !settings.on {
		return x, rawOff(p.Site, settings.off, "")
	}
	events, err := newTally(ctx, table, s)
	if err != nil {
		return x, err
	}
	walk, err := newRawWalk(ctx, table, s, 0)
	if err != nil {
		return x, err
	}
	var line []byte
	for it, err := range walk.all(ctx) {
		if err != nil {
			return x, err
		}
		if line, err = appendEvent(line[:0], it); err != nil {
			return x, err
		}
		if _, err := out.Write(line); err != nil {
			return x, err
		}
		events.add(it)
		x.Events++
	}
	x.ExpiredOmitted, x.Missing, x.ReadUnits = walk.expired, events.missing(), walk.m.Units()
	if walk.read == 0 && len(settings.now) > 0 {
		return x, rawOff(p.Site, settings.now, ", and there are none in the range")
	}
	return x, nil
}

// exportedTexts are the text fields of an event, in the order in which they are written after its time.
var exportedTexts = func() []string {
	all := []string{"id", sinks.AttrVisitorID, sinks.AttrSessionID, sinks.AttrUserID, "url", "referrer", "title", "userAgent", sinks.AttrName}
	for _, d := range figures.Given {
		all = append(all, figures.Dimensions[d].Name)
	}
	return all
}()

// appendEvent appends the event of an item as a line of JSON: its time in RFC 3339 to the millisecond, its value as the number
// that was summed, exact, its properties as they came, but for ends of lines between them, which become blanks. Fields that it
// has not are left out.
func appendEvent(b []byte, it sinks.Item) ([]byte, error) {
	text := func(name, value string) (err error) {
		b = append(append(append(b, '"'), name...), `":`...)
		b, err = jsontext.AppendQuote(b, value)
		b = append(b, ',')
		return err
	}
	b = append(b, '{')
	for _, f := range [...][2]string{{"siteId", it[sinks.AttrSiteID].Str()}, {"type", it["type"].Str()},
		{"timestamp", calendar.Instant(it["timestamp"].Int()).Format("2006-01-02T15:04:05.000Z07:00")}} {
		if err := text(f[0], f[1]); err != nil {
			return b, unreadable(it, f[0], err)
		}
	}
	for _, name := range exportedTexts {
		if it[name].Kind() == sinks.None {
			continue
		}
		if err := text(name, it[name].Str()); err != nil {
			return b, unreadable(it, name, err)
		}
	}
	for _, name := range [...]string{"value", "properties"} {
		if it[name].Kind() == sinks.None {
			continue
		}
		raw := it[name].Str()
		if !json.Valid([]byte(raw)) {
			return b, unreadable(it, name, fmt.Errorf("%.32q is no JSON", raw))
		}
		b = append(append(append(b, '"'), name...), `":`...)
		b = append(append(b, oneLine.Replace(raw)...), ',')
	}
	b[len(b)-1] = '}'
	return append(b, '\n'), nil
}

// oneLine takes ends of lines from JSON. They cannot be in its texts, which spell them \n.
var oneLine = strings.NewReplacer("\n", " ", "\r", " ")

func unreadable(it sinks.Item, field string, err error) error {
	return fmt.Errorf("%s of the event at %s / %s: %w", field, it.Key().PK, it.Key().SK, err)
}
