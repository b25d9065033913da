package sinks

import (
	"strings"
	"time"
)

// A Split says where a list is split at the beginning of a date in UTC, by sort keys. Package kept reads each part from another generation.
type Split struct {
	Last  string // no earlier item has a greater sort key; "": the list has no earlier items
	First string // no item of the date or later has a lesser sort key; "": the list has no such items
}

// Earlier reports whether an item of the list is of before the date.
func (s Split) Earlier(sk string) bool { return s.First == "" || s.Last != "" && sk < s.First }

// lastOf is greater than each sort key that begins with the text before it.
const lastOf = "~"

// SplitAt splits a list of a site at the beginning of a date in UTC: the list of a partition key, or the part of it whose sort keys begin
// with a prefix. date is in ms since the epoch. ok is false if the list is not in the order of time: sessions by id, budgets, what is
// decided, and all that is of no site.
//
// Days and months are split by name, whatever the zone of the site. The month that the date lies in is a later one: see [Straddles].
func SplitAt(pk, prefix string, date int64) (s Split, ok bool) {
	list, sub, ok := listOf(pk)
	if !ok {
		return Split{}, false
	}
	switch list {
	case "RECENT":
		return splitDays("", date), true
	case "VISITORS":
		bucket, _, ok := strings.Cut(prefix, "#")
		return splitDays(bucket+"#", date), ok
	case "USER", "GOAL": // in the index
		return Split{InstantBound(date-1) + lastOf, InstantBound(date)}, true
	case "UNIQUES", "BREAKDOWN":
		if sub != "" { // hours of a date
			at, err := ParseDay(sub)
			if at < date {
				return Split{Last: lastOf}, err == nil
			}
			return Split{First: "!"}, err == nil
		}
	case "":
	default:
		return Split{}, false
	}
	for _, days := range []string{HourStatsPrefix, DayStatsPrefix, sealedDayPrefix} {
		if strings.HasPrefix(prefix, days) {
			return splitDays(days, date), true
		}
	}
	for _, months := range []string{MonthStatsPrefix, sealedMonthPrefix} {
		if strings.HasPrefix(prefix, months) {
			return Split{months + Month(MonthOf(date)-1) + lastOf, months + Month(date)}, true
		}
	}
	return Split{}, false
}

// splitDays splits sort keys that have a date, or the beginning of one, after a prefix.
func splitDays(prefix string, date int64) Split {
	return Split{prefix + Day(date-1) + lastOf, prefix + Day(date)}
}

// listOf returns which list of a site a partition key is of, and what it has after the list's name.
func listOf(pk string) (list, sub string, ok bool) {
	if g, rest, found := strings.Cut(pk, "#"); found && isGeneration(g) {
		pk = rest
	}
	rest, ok := strings.CutPrefix(pk, sitePrefix)
	_, rest, _ = strings.Cut(rest, "#")
	list, sub, _ = strings.Cut(rest, "#")
	return list, sub, ok
}

// Straddles reports whether a key names the month of a date, and the date is not its first: the month has days on both sides.
func Straddles(key Key, date int64) bool {
	if time.UnixMilli(date).UTC().Day() == 1 {
		return false
	}
	list, sub, ok := listOf(key.PK)
	switch {
	case !ok || sub != "":
		return false
	case list == "":
		return key.SK == MonthStatsPrefix+Month(date)
	}
	return (list == "UNIQUES" || list == "BREAKDOWN") && key.SK == sealedMonthPrefix+Month(date)
}

// Rekey returns a partition key, of whichever generation, as another generation spells it.
func Rekey(pk string, to Keys) string {
	_, rest := generation(pk)
	return to.pk(rest)
}
