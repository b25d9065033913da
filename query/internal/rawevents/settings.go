package rawevents

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
	"github.com/footfall/footfall/query/ranges"
	"github.com/footfall/footfall/sinks"
)

// Settings is what the checkpoints of all partitions say about raw events: the settings of their flushes.
type Settings struct {
	On  bool     // some flushes wrote raw events, or there are no checkpoints
	Off []string // partitions, as in events/3, with flushes that wrote none
	Now []string // of these, the partitions whose latest flush wrote none

	// The number of days that raw events are kept by the latest flushes, the minimum and the maximum of all partitions; ForEver.
	// Partitions without an owner are included: how long they kept their events says nothing about others.
	least, most int64

	Counting Counting // of the latest flush of one of the partitions
}

// Counting are the settings that decide how flushes find sessions in events. Fields are those of a checkpoint's settings.
type Counting struct {
	VisitGapMs, VisitLongestMs int64
	NonInteractive             []string
	QueryParameters            string
}

// usualCounting are the settings of a table without checkpoints.
var usualCounting = Counting{VisitGapMs: calendar.HourMs / 2, VisitLongestMs: calendar.DayMs,
	NonInteractive:  []string{"engagement", "ping"},
	QueryParameters: urlquery.Default}

// ReadSettings reads the checkpoints of all partitions, and their earlier settings.
func ReadSettings(ctx context.Context, t *sitetable.Store) (s Settings, err error) {
	s = Settings{least: ForEver, most: 0}
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
		s.On, s.most, s.Counting = true, ForEver, usualCounting
	}
	for _, list := range []*[]string{&s.Off, &s.Now} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return s, nil
}

// take takes in a checkpoint or an item of its history. It reports whether it is the checkpoint of a stats lane that has begun.
func (s *Settings) take(topic string, it sinks.Item) (begun bool, err error) {
	m, ok := sinks.Find(it.Key(), it, sinks.DefaultShards)
	ver := it["ver"].Str()
	if !ok || m.Fields.Lane != "stats" || ver == "" {
		return false, nil
	}
	var settings struct {
		RawEvents bool
		Retention struct{ RawDays int64 }
		Counting
	}
	if err := json.Unmarshal([]byte(ver), &settings); err != nil {
		return false, fmt.Errorf("settings of the checkpoint at %s / %s: %w", it.Key().PK, it.Key().SK, err)
	}
	partition := fmt.Sprintf("%s/%d", topic, m.Fields.TP.Partition)
	last := m.Type.Entity == sinks.EntityCheckpoint
	switch {
	case settings.RawEvents:
		s.On = true
	case last:
		s.Now = append(s.Now, partition)
		fallthrough
	default:
		s.Off = append(s.Off, partition)
	}
	if days := settings.Retention.RawDays; last {
		s.Counting = settings.Counting
		if s.least == ForEver || days != ForEver && days < s.least {
			s.least = days
		}
		if days == ForEver || s.most != ForEver && days > s.most {
			s.most = days
		}
	}
	return last, nil
}

// SwitchedOff is the error of raw events that were switched off in some partitions.
func SwitchedOff(site string, partitions []string, more string) error {
	shown := partitions
	if len(shown) > 5 {
		shown = append(slices.Clone(shown[:5]), fmt.Sprintf("%d more", len(partitions)-5))
	}
	why := func(which string) string {
		return fmt.Sprintf("they were switched off (rawEvents: off) when %s were counted%s: switch them on with rawEvents: items for "+
			"events to come, and use footfall query stats for earlier ones", which, more)
	}
	return &ranges.RawEventsError{Site: site, Off: true, Why: why("partitions " + strings.Join(shown, ", ")),
		Unnamed: why("some partitions")}
}

// Check refuses a range without raw events: the site never had any, or the range begins before the oldest that are kept.
func Check(t sitetable.Table, settings Settings, s calendar.Span) error {
	if !settings.On {
		return SwitchedOff(t.Site, settings.Off, "")
	}
	days := t.Clock.Rules.DaysOf(sinks.AttrRawDays, settings.most)
	if kept := keptFrom(t.Store, days); s.From < kept {
		return rawGone(t.Site, days, s.From, kept)
	}
	return nil
}

// keptFrom returns the event time from which on items that are kept for a number of days have not expired.
func keptFrom(t *sitetable.Store, days int64) int64 {
	if days == ForEver {
		return 0
	}
	return t.Now().UnixMilli() - days*calendar.DayMs
}

func rawGone(site string, days, from, kept int64) error {
	since := calendar.Instant(kept).Truncate(time.Second).Add(time.Second)
	return &ranges.RawEventsError{Site: site, Since: since, Days: days,
		Why: fmt.Sprintf("they are or were kept for %d days, and the range begins at %s: begin at %s or later", days,
			calendar.Instant(from).Format(time.RFC3339), since.Format(time.RFC3339))}
}

// WhyMissing returns why events of a span are counted but have no raw event: some partition ran without raw events, or they have
// expired under the retention that the site had when they came. It returns nil if it is neither.
func WhyMissing(ctx context.Context, t sitetable.Table, settings Settings, s calendar.Span, missing int64) error {
	if len(settings.Off) > 0 {
		return SwitchedOff(t.Site, settings.Off, fmt.Sprintf(", and %d events of the range have none", missing))
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
