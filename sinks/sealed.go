package sinks

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"
)

// What sealed items say of what they were made from. Writers of sealed items (package seal), readers (package query) and
// package verify compare it with what the items of days say now, so all of them spell it here.

// LastDay returns the last day of a month, as ParseDay does of its name. month is what ParseMonth returns.
func LastDay(month int64) int64 { return time.UnixMilli(month).UTC().AddDate(0, 1, -1).UnixMilli() }

// MonthOf returns the month of a day, as ParseMonth does of its name.
func MonthOf(day int64) int64 {
	t := time.UnixMilli(day).UTC()
	return time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, time.UTC).UnixMilli()
}

// MarksDigest returns what the applied marks of a day's stats item come to, and the revision of the last erasure that has dropped
// rows of its hours' breakdowns: 16 hex digits, a hash of all of them.
//
// Marks only ever grow, so a day has each set of them once, and equal marks mean that nothing has been added since. The
// marks of a day with 200 partitions take 2 KB, which a month would have 31 times; the hash of 64 bits takes two
// different sets for the same once in 18 quintillion comparisons, and they are made one day against itself.
func MarksDigest(day Item) string {
	var marks []string
	for name, v := range day {
		if tp, err := ParseTP(strings.TrimPrefix(name, markPrefix)); err == nil && name == markPrefix+tp.String() {
			marks = append(marks, name+"="+v.Num().String())
		}
	}
	if v := day[AttrPurged]; v.Kind() == Number { // Hours have changed without a step.
		marks = append(marks, AttrPurged+"="+v.Num().String())
	}
	slices.Sort(marks)
	return digest(strings.Join(marks, " "))
}

// MarkedBy returns the partitions whose stats lane has written an item, in any order.
func MarkedBy(it Item) (partitions []TP) {
	for name := range it {
		if tp, err := ParseTP(strings.TrimPrefix(name, markPrefix)); err == nil && name == markPrefix+tp.String() {
			partitions = append(partitions, tp)
		}
	}
	return partitions
}

// markPrefix begins the marks of the stats lane, the only one that writes days.
const markPrefix = "ws"

func digest(text string) string { return fmt.Sprintf("%016x", xxhash.Sum64String(text)) }

// SealedDays say what a month's stats item was made from: for each of its days that has anything, by the day of the month
// from 1 to 31, under which marks.
type SealedDays map[int]SealedDay

// SealedDay is a day in a month's stats.
type SealedDay struct {
	Marks string // MarksDigest of the day's item
	// Whole says that the day's visitors and breakdown were sealed under these marks. It is false where some of the
	// day's hours had expired by then: what had been sealed of them before, if anything, stays.
	Whole bool
}

// String spells the days as AttrDays: "01:8a6e0804a06cd5b2 02~fb0c5f2a9e5d3c11", in order, a tilde where a day is not whole.
func (d SealedDays) String() string {
	var b strings.Builder
	for i, n := range slices.Sorted(maps.Keys(d)) {
		if i > 0 {
			b.WriteByte(' ')
		}
		sign := ":"
		if !d[n].Whole {
			sign = "~"
		}
		fmt.Fprintf(&b, "%02d%s%s", n, sign, d[n].Marks)
	}
	return b.String()
}

// Digest is what the days come to: the marks of a month's sealed visitors and breakdown.
func (d SealedDays) Digest() string { return digest(d.String()) }

// ParseSealedDays reads what String spelled.
func ParseSealedDays(s string) (SealedDays, error) {
	days := make(SealedDays)
	for _, field := range strings.Fields(s) {
		i := strings.IndexAny(field, ":~")
		if i < 0 {
			return nil, fmt.Errorf("sealed day %q has neither a colon nor a tilde", field)
		}
		n, err := strconv.Atoi(field[:i])
		if err != nil || n < 1 || n > 31 {
			return nil, fmt.Errorf("sealed day %q is of no day of a month", field)
		}
		days[n] = SealedDay{Marks: field[i+1:], Whole: field[i] == ':'}
	}
	return days, nil
}

// DayOfMonth returns which day of its month a day is, as SealedDays count them.
func DayOfMonth(day int64) int { return time.UnixMilli(day).UTC().Day() }
