package sinks

import (
	"fmt"
	"strconv"
	"strings"
)

// Keys of what is kept by hour, day, month or minute: stats, realtime, uniques, breakdowns and late events.

// HourStats are an hour's stats; the instant is the hour's start, in milliseconds since the epoch, as everywhere here.
func (k Keys) HourStats(site string, start int64) Key {
	return Key{k.Site(site), HourStatsPrefix + Hour(start)}
}

// DayStats are a day's stats; the instant is the start of the day's date in UTC, whatever zone the day is of.
func (k Keys) DayStats(site string, start int64) Key {
	return Key{k.Site(site), DayStatsPrefix + Day(start)}
}

// MonthStats are a month's sealed stats; the instant is the start of the month in UTC, as in all keys of months.
func (k Keys) MonthStats(site string, start int64) Key {
	return Key{k.Site(site), MonthStatsPrefix + Month(start)}
}

// How the sort keys of a site's stats, realtime minutes, uniques and breakdowns begin.
const (
	StatsPrefix       = "STATS#" // of hours, days and months
	HourStatsPrefix   = "STATS#hour#"
	DayStatsPrefix    = "STATS#day#"
	MonthStatsPrefix  = "STATS#month#"
	RealtimePrefix    = "REALTIME#"
	UniquesPrefix     = "hour#"
	BreakdownPrefix   = UniquesPrefix // appendHourPart spells both
	sealedDayPrefix   = "day#"
	sealedMonthPrefix = "month#"
)

// Realtime is what one partition knows of a minute.
func (k Keys) Realtime(site string, minute int64, tp TP) Key {
	var room [keyRoom]byte
	return Key{k.Site(site), string(appendRealtime(room[:0], minute, tp))}
}

func appendRealtime(b []byte, minute int64, tp TP) []byte {
	return tp.append(append(appendMinute(append(b, RealtimePrefix...), minute), '#'))
}

// Uniques is what one partition knows of an hour's visitors.
func (k Keys) Uniques(site string, hour int64, tp TP) Key {
	var room [keyRoom]byte
	return Key{k.UniquesOfDay(site, hour), string(appendHourPart(room[:0], hour, tp))}
}

// appendHourPart appends the sort key of a partition's part of an hour's visitors. The part of its breakdown has the same.
func appendHourPart(b []byte, hour int64, tp TP) []byte {
	return tp.append(append(appendHour(append(b, BreakdownPrefix...), hour), '#'))
}

// UniquesOfDay is the partition key of the parts of the visitors of all hours that begin on a date in UTC, which is that of
// the instant. Each day has its own key, so the old hours of a site are not all written to one.
func (k Keys) UniquesOfDay(site string, at int64) string { return k.UniquesList(site) + "#" + Day(at) }

// DayUniques are a day's sealed visitors; the instant is as in DayStats.
func (k Keys) DayUniques(site string, day int64) Key {
	return Key{k.UniquesList(site), sealedDayPrefix + Day(day)}
}

// MonthUniques are a month's sealed visitors.
func (k Keys) MonthUniques(site string, month int64) Key {
	return Key{k.UniquesList(site), sealedMonthPrefix + Month(month)}
}

// UniquesList is the partition key of a site's sealed uniques; those of hours lie in UniquesOfDay.
func (k Keys) UniquesList(site string) string { return k.Site(site) + uniquesSuffix }

const (
	uniquesSuffix   = "#UNIQUES"
	breakdownSuffix = "#BREAKDOWN"
)

// Breakdown is what one partition knows of an hour by the values of each dimension.
func (k Keys) Breakdown(site string, hour int64, tp TP) Key {
	var room [keyRoom]byte
	return Key{k.BreakdownOfDay(site, hour), string(appendHourPart(room[:0], hour, tp))}
}

// BreakdownOfDay is the partition key of the breakdowns of all hours that begin on a date in UTC, as UniquesOfDay is.
func (k Keys) BreakdownOfDay(site string, at int64) string {
	return k.BreakdownList(site) + "#" + Day(at)
}

// LatePrefix is how the sort keys of journal entries begin.
const LatePrefix = "late#"

// Late is the i-th entry of the journal that step k of a partition wrote for hours of a date; see package journal. It lies with
// the breakdowns of these hours.
func (k Keys) Late(site string, at int64, tp TP, step int64, i int) Key {
	return Key{k.BreakdownOfDay(site, at), fmt.Sprintf("%s%s#%016d#%d", LatePrefix, tp, step, i)}
}

// LateOf bounds the sort keys of the entries that a partition wrote in steps from..to, both included.
func LateOf(tp TP, from, to int64) (first, last string) {
	return fmt.Sprintf("%s%s#%016d", LatePrefix, tp, from), fmt.Sprintf("%s%s#%016d~", LatePrefix, tp, to)
}

// ParseLate reads the sort key of a journal entry.
func ParseLate(sk string) (tp TP, step int64, err error) {
	parts := strings.Split(sk, "#")
	if len(parts) != 4 || !strings.HasPrefix(sk, LatePrefix) {
		return TP{}, 0, fmt.Errorf("%q is not the sort key of a journal entry", sk)
	}
	if tp, err = ParseTP(parts[1]); err != nil {
		return TP{}, 0, err
	}
	step, err = strconv.ParseInt(parts[2], 10, 64)
	return tp, step, err
}

// DayBreakdown is a day's sealed breakdown; the instant is as in DayStats.
func (k Keys) DayBreakdown(site string, day int64) Key {
	return Key{k.BreakdownList(site), sealedDayPrefix + Day(day)}
}

// MonthBreakdown is a month's sealed breakdown.
func (k Keys) MonthBreakdown(site string, month int64) Key {
	return Key{k.BreakdownList(site), sealedMonthPrefix + Month(month)}
}

// BreakdownList is the partition key of a site's sealed breakdowns; those of hours lie in BreakdownOfDay.
func (k Keys) BreakdownList(site string) string { return k.Site(site) + breakdownSuffix }
