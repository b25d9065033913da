package rebuild

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/footfall/footfall/internal/rawlog"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/urlquery"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// Raw events are complete from a date on. Before it they have expired, were not kept, or lack query parameters that figures are made of.
// There is no such date if none of that has happened to an event that was counted.

// rawMargin is how long raw events that a rebuild has begun with must still be kept: a flush that was cut short is repeated from them.
const rawMargin = 24 * time.Hour

// rawDates is from which date on raw events are complete.
type rawDates struct {
	from time.Time // zero: they have all that was counted
	why  string
}

// after notes that raw events of before an instant are not complete.
func (d *rawDates) after(t time.Time, why string) {
	if date := dateAfter(t); date.After(d.from) {
		d.from, d.why = date, why
	}
}

// rawFrom finds out from which date on raw events have what the topic has lost. It returns an error if they cannot serve for it.
func (j *Job) rawFrom(ctx context.Context, live *chains, states checkpoint.ChainStates, source Source, has sinks.Generations) (rawDates,
	error) {
	d := rawDates{why: "raw events have all that the topic has lost"}
	margin := rawMargin
	if has.Building > 0 {
		margin = 0
	}
	days := int64(checkpoint.Never)
	for n, span := range source.lost {
		chain := states[checkpoint.ChainID{Partition: n, Lane: checkpoint.LaneStats}]
		if first, _ := firstOf(chain); first.TopicID != chain.Head.TopicID {
			return d, fmt.Errorf("--from raw: topic %q was created again after partition %d had counted it, and raw events do not name the id of "+
				"their topic: leave --from out", j.Pipeline.Topic, n)
		}
		for _, lane := range checkpoint.Lanes {
			if head := states[checkpoint.ChainID{Partition: n, Lane: lane}].Head; head.Position()-head.Base < span.To {
				return d, fmt.Errorf("--from raw: of partition %d, the topic has lost records that were not counted: footfall status says how to "+
					"continue it", n)
			}
		}
		script, err := checkpoint.ScriptOf(chain)
		if err != nil {
			return d, err
		}
		days = least(days, d.kept(n, script, span.To, j.now()))
	}
	return d, j.expired(ctx, live, &d, days, margin)
}

// kept notes until when flushes of a partition have kept no raw events, or not all of them, and returns for how many days they kept them.
func (d *rawDates) kept(partition int32, script checkpoint.Script, to int64, now time.Time) (days int64) {
	days = checkpoint.Never
	for i, from := 0, int64(0); i < len(script) && from < to; i++ {
		s := &script[i].Settings
		days, from = least(days, s.Retention.RawDays), script[i].To
		until := s.NotAfter // No record of the span is later: it begins at most two days before.
		if i+1 < len(script) {
			until = script[i+1].Settings.NotAfter
		}
		end := now
		if until > 0 {
			end = time.UnixMilli(until + s.EarlyMs)
		}
		switch {
		case !s.RawEvents:
			d.after(end, fmt.Sprintf("Partition %d has flushes without raw events", partition))
		case !urlquery.HasCounted(s.QueryParameters):
			d.after(end, fmt.Sprintf("Raw events of partition %d lack query parameters that campaigns are counted by (privacy.queryParameters: %s)",
				partition, s.QueryParameters))
		}
	}
	return days
}

// least is the least number of days. Never is the greatest.
func least(a, b int64) int64 {
	if a == checkpoint.Never || b != checkpoint.Never && b < a {
		return b
	}
	return a
}

// expired notes which sites have counted events whose raw events have expired, or lack parameters by a setting of the site.
func (j *Job) expired(ctx context.Context, live *chains, d *rawDates, days int64, margin time.Duration) error {
	log, err := sites.ReadLog(ctx, live.table, sinks.Keys{}, nil)
	if err != nil {
		return err
	}
	now := j.now()
	for entry, err := range rawlog.Entries(ctx, live.table) {
		if err != nil {
			return err
		}
		site, days := entry[sinks.AttrSiteID].Str(), days
		history := log.History(site)
		for i, c := range history {
			until := now
			if i+1 < len(history) {
				until = time.UnixMilli(history[i+1].At)
			}
			if own := c.Rules.QueryParametersOr(""); own != "" && !urlquery.HasCounted(own) {
				d.after(until, fmt.Sprintf("Raw events of site %q lack query parameters that campaigns are counted by (queryParameters: %s)", site,
					own))
			}
			days = least(days, c.Rules.DaysOf(sinks.AttrRawDays, checkpoint.Never))
		}
		if days == checkpoint.Never {
			continue
		}
		gone := now.Add(margin).AddDate(0, 0, -int(days))
		if !dateAfter(gone).After(d.from) {
			continue
		}
		counted, err := live.countedBefore(ctx, site, dateAfter(gone))
		if err != nil {
			return err
		}
		if counted {
			d.after(gone, fmt.Sprintf("Raw events of site %q are kept for %d days", site, days))
		}
	}
	return nil
}

// countedBefore reports whether figures of a site have an event of before a date.
func (c *chains) countedBefore(ctx context.Context, site string, date time.Time) (bool, error) {
	for _, q := range []struct{ prefix, end string }{
		{sinks.DayStatsPrefix, date.Format(time.DateOnly)},
		{sinks.MonthStatsPrefix, date.Format("2006-01")}, // Sealed months stay when their days have expired.
	} {
		in := sinks.Query{PK: c.keys.Site(site), From: q.prefix, To: q.prefix + q.end, Consistent: true}
		for it, err := range sinks.Items(ctx, c.table, in) {
			if err != nil {
				return false, fmt.Errorf("read what is counted of site %q: %w", site, err)
			}
			if it[sinks.AttrSK].Str() != in.To && counts(it) {
				return true, nil
			}
		}
	}
	return false, nil
}

// counts reports whether stats have an event.
func counts(stats sinks.Item) bool {
	return slices.ContainsFunc([]string{sinks.AttrEvents, sinks.AttrBotEvents, sinks.AttrExcludedEvents},
		func(name string) bool { return stats[name].Int() > 0 })
}
