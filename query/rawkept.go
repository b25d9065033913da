package query

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/urlquery"
	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/query/internal/sitetable"
	"github.com/footfall/footfall/sinks"
)

// rawSettings is what the checkpoints of all partitions say about raw events: the settings of their flushes.
type rawSettings struct {
	on  bool     // some flushes wrote raw events, or there are no checkpoints
	off []string // partitions, as in events/3, with flushes that wrote none
	now []string // of these, the partitions whose latest flush wrote none

	// The number of days that raw events are kept by the latest flushes, the minimum and the maximum of all partitions; forEver.
	// Partitions without an owner are included: how long they kept their events says nothing about others.
	least, most int64

	counting rawCounting // of the latest flush of one of the partitions
}

// rawCounting are the settings that decide how flushes find sessions in events. Fields are those of a checkpoint's settings.
type rawCounting struct {
	VisitGapMs, VisitLongestMs int64
	NonInteractive             []string
	QueryParameters            string
}

// usualCounting are the settings of a table without checkpoints.
var usualCounting = rawCounting{VisitGapMs: calendar.HourMs / 2, VisitLongestMs: calendar.DayMs,
	NonInteractive:  []string{"engagement", "ping"},
	QueryParameters: urlquery.Default}

// readRawSettings reads the checkpoints of all partitions, and their earlier settings.
func readRawSettings(ctx context.Context, t *sitetable.Store) (s rawSettings, err error) {
	s = rawSettings{least: forEver, most: 0}
	topics, err := sinks.Topics(ctx, t.Table, t.Keys)
	if err != nil {
		return s, err
	}
	chains := false
	for number, topic := range topics {
		pk, prefix := t.Keys.Checkpoints(number)
		for it, err := range t.Items(ctx, sinks.Query{PK: pk, Prefix: prefix, Consistent: true}) {
			if err != nil {
				return s, err
			}
			begun, err := s.take(topic, it)
			if err != nil {
				return s, err
			}
			chains = chains || begun
		}
	}
	if !chains {
		s.on, s.most, s.counting = true, forEver, usualCounting
	}
	for _, list := range []*[]string{&s.off, &s.now} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return s, nil
}

// take takes in a checkpoint or an item of its history. It reports whether it is the checkpoint of a stats lane that has begun.
func (s *rawSettings) take(topic string, it sinks.Item) (begun bool, err error) {
	m, ok := sinks.Find(it.Key(), it, sinks.DefaultShards)
	ver := it["ver"].Str()
	if !ok || m.Fields.Lane != "stats" || ver == "" {
		return false, nil
	}
	var settings struct {
		RawEvents bool
		Retention struct{ RawDays int64 }
		rawCounting
	}
	if err := json.Unmarshal([]byte(ver), &settings); err != nil {
		return false, fmt.Errorf("settings of the checkpoint at %s / %s: %w", it.Key().PK, it.Key().SK, err)
	}
	partition := fmt.Sprintf("%s/%d", topic, m.Fields.TP.Partition)
	last := m.Type.Entity == sinks.EntityCheckpoint
	switch {
	case settings.RawEvents:
		s.on = true
	case last:
		s.now = append(s.now, partition)
		fallthrough
	default:
		s.off = append(s.off, partition)
	}
	if days := settings.Retention.RawDays; last {
		s.counting = settings.rawCounting
		if s.least == forEver || days != forEver && days < s.least {
			s.least = days
		}
		if days == forEver || s.most != forEver && days > s.most {
			s.most = days
		}
	}
	return last, nil
}

// rawOff is the error of raw events that were switched off in some partitions.
func rawOff(site string, partitions []string, more string) error {
	shown := partitions
	if len(shown) > 5 {
		shown = append(slices.Clone(shown[:5]), fmt.Sprintf("%d more", len(partitions)-5))
	}
	why := func(which string) string {
		return fmt.Sprintf("they were switched off (rawEvents: off) when %s were counted%s: switch them on with rawEvents: items for "+
			"events to come, and use footfall query stats for earlier ones", which, more)
	}
	return &RawEventsError{Site: site, Off: true, Why: why("partitions " + strings.Join(shown, ", ")),
		Unnamed: why("some partitions")}
}

// checkRaw refuses a range of which raw events cannot be there: none were ever written, or it begins before what is kept.
func checkRaw(t sitetable.Table, settings rawSettings, s calendar.Span) error {
	if !settings.on {
		return rawOff(t.Site, settings.off, "")
	}
	days := t.Clock.Rules.DaysOf(sinks.AttrRawDays, settings.most)
	if kept := keptFrom(t.Store, days); s.From < kept {
		return rawGone(t.Site, days, s.From, kept)
	}
	return nil
}

// keptFrom returns the event time from which on items that are kept for a number of days have not expired.
func keptFrom(t *sitetable.Store, days int64) int64 {
	if days == forEver {
		return 0
	}
	return t.Now().UnixMilli() - days*calendar.DayMs
}

func rawGone(site string, days, from, kept int64) error {
	since := calendar.Instant(kept).Truncate(time.Second).Add(time.Second)
	return &RawEventsError{Site: site, Since: since, Days: days, Why: fmt.Sprintf("they are or were kept for %d days, and the range begins "+
		"at %s: begin at %s or later", days, calendar.Instant(from).Format(time.RFC3339), since.Format(time.RFC3339))}
}

// whyMissing returns why events of a span are counted but have no raw event: some partition ran without raw events, or they have
// expired under the retention that the site had when they came. It returns nil if it is neither.
func whyMissing(ctx context.Context, t sitetable.Table, settings rawSettings, s calendar.Span, missing int64) error {
	if len(settings.off) > 0 {
		return rawOff(t.Site, settings.off, fmt.Sprintf(", and %d events of the range have none", missing))
	}
	log, err := sites.ReadLog(ctx, t.Table, t.Keys, nil)
	if err != nil {
		return err
	}
	history := log.History(t.Site)
	from, days := s.From, sites.FirstRules(history).DaysOf(sinks.AttrRawDays, settings.least)
	for i := range len(history) + 1 {
		to := s.To
		if i < len(history) {
			to = min(to, history[i].At)
		}
		if kept := keptFrom(t.Store, days); from < to && from < kept {
			return rawGone(t.Site, days, from, min(kept, to))
		}
		if i < len(history) {
			from, days = max(from, history[i].At), history[i].Rules.DaysOf(sinks.AttrRawDays, settings.least)
		}
	}
	return nil
}

// A tally compares the number of raw events that were read with the number that stats have counted. Stats may lag behind raw events by
// a flush, but raw events never lag behind stats.
type tally struct {
	hours   calendar.Span // whole hours of the range: of these both are known; empty: there are none
	counted int64         // events by the hours' stats, with those of bots and of excluded pages
	read    int64         // raw events
}

// newTally reads what is counted of a span.
func newTally(ctx context.Context, table sitetable.Table, s calendar.Span) (t tally, err error) {
	t.hours = table.Clock.Whole(s)
	if t.hours.From >= t.hours.To {
		return t, nil
	}
	for it, err := range table.HourItems(sitetable.HourStats, table.Keys.Site(table.Site), t.hours).All(ctx) {
		if err != nil {
			return t, err
		}
		if t.hours.Has(it.Start) {
			t.counted += it.Item[sinks.AttrEvents].Int() + it.Item[sinks.AttrBotEvents].Int() + it.Item[sinks.AttrExcludedEvents].Int()
		}
	}
	return t, nil
}

// add takes in a raw event.
func (t *tally) add(it sinks.Item) {
	if t.hours.Has(it["timestamp"].Int()) {
		t.read++
	}
}

// missing is the number of counted events that have no raw event; 0 if the span has no whole hour.
func (t *tally) missing() int64 { return max(0, t.counted-t.read) }
