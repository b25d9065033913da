package sinks

import (
	"slices"
	"time"
)

// statsAttributes are the sums of an hour or a day, those of its goals after them.
var statsAttributes = append(sumAttributes(),
	Attribute{Name: goalCountPrefix + goalPlaceholder, Kind: Number, Unit: UnitCount, About: "conversions of the goal of that number"},
	Attribute{Name: goalValuePrefix + goalPlaceholder, Kind: Number, Unit: UnitMicros, About: "sum of their values"})

// sealer is who writes sealed items, and when.
const sealer = "the owner of partition 0, some time after the day or month is over, and again when late events have changed it"

// sealedUniques and sealedBreakdown are the attributes of sealed items; sealedUntil those of days have besides.
var (
	sealedRate = Attribute{Name: AttrBounceRate, Kind: String, Unit: UnitDecimal,
		About: "bounces divided by sessions, of the stats that it was sealed under; absent: there were no sessions"}
	sealedUniques = []Attribute{
		{Name: AttrPart, Kind: Binary, Unit: UnitHourSketch, About: "exact to 1,024 visitors, then registers"},
		{Name: AttrEvents, Kind: Number, Unit: UnitCount, About: "events of the hours that it is made of"},
		{Name: AttrHours, Kind: Number, Unit: UnitCount, About: "how many hours had stats"},
		{Name: AttrValueMin, Kind: Number, Unit: UnitMicros, About: "the least value of these events; absent: none had a value"},
		{Name: AttrValueMax, Kind: Number, Unit: UnitMicros, About: "the greatest value"},
		{Name: AttrUniqueVisitors, Kind: Number, Unit: UnitCount, About: "its visitors: exact to 1,024, then an estimate"},
		{Name: AttrUniqueVisitorsError, Kind: String, Unit: UnitDecimal, About: "the relative standard error of the estimate; 0: it is exact"},
		sealedRate,
		sealedMarks,
	}
	sealedBreakdown = append(topAttributes(),
		Attribute{Name: AttrPart, Kind: Binary, Unit: UnitBreakdown, How: []How{PutSealed, CompareAndSet}, About: "compressed with S2"},
		Attribute{Name: AttrHours, Kind: Number, Unit: UnitCount, About: "how many hours had a breakdown"},
		sealedMarks)
	sealedMarks = Attribute{Name: AttrMarks, Kind: String, Unit: UnitText,
		About: "hash of what it was made from: a day's marks, or a month's days"}
	sealedUntil = Attribute{Name: AttrUntil, Kind: Number, Unit: UnitSeconds,
		About: "from when on its hours may have expired, so that it holds whatever its marks; absent: never"}
)

// topAttributes are the first rows of a sealed breakdown.
func topAttributes() (all []Attribute) {
	for _, name := range TopAttrs {
		about := "up to 10 rows with the most visitors, each \"visitors value\"; absent: there are none"
		if name == "topPages" {
			about = "up to 10 rows with the most page views, each \"views value\"; absent: there are none"
		}
		all = append(all, Attribute{Name: name, Kind: List, Unit: UnitText, How: []How{PutSealed, CompareAndSet}, About: about})
	}
	return all
}

// bucketTypes are the items of hours, days and minutes.
var bucketTypes = []ItemType{
	{
		Name: "hour stats", Entity: EntityStats, Writer: "the owners of all partitions that saw the hour, once per flush", Marked: "stats",
		About: "Sums of an hour. Rates are divided at read. Partitions share the item, and each has its mark.",
		Key:   func(k Keys, f Fields) Key { return k.HourStats(f.Site, f.At) },
		Attributes: append(written([]How{GuardedAdd}, statsAttributes...),
			Attribute{Name: perPartition(AttrUniques), Kind: Binary, Unit: UnitHourSketch, How: []How{GuardedSet},
				About: "what it knows of the hour's visitors, while at most 16; see uniques"},
			Attribute{Name: perPartition(AttrLeast), Kind: Number, Unit: UnitMicros, How: []How{GuardedSet},
				About: "the least value of the events that it has seen; absent: none had a value"},
			Attribute{Name: perPartition(AttrGreatest), Kind: Number, Unit: UnitMicros, How: []How{GuardedSet}, About: "the greatest value"},
			lostMark()),
		Expiry: Expiry{From: "the hour's end", Days: AttrHourDays, After: bucketEnd(time.Hour)},
		Size: Extent{Typical: 260, Grows: "the partitions that saw the hour, by up to 160 bytes each and 30 for values, and the goals that " +
			"were reached, by some 15"},
	},
	{
		Name: "day stats", Entity: EntityStats, Writer: "the owners of all partitions that saw the day, last in a flush", Marked: "stats",
		About: "Sums of a day. Written after the hours of the flush, with the mark even when no sum changes.",
		Key:   func(k Keys, f Fields) Key { return k.DayStats(f.Site, f.At) },
		Attributes: append(written([]How{GuardedAdd}, append(slices.Clip(statsAttributes),
			Attribute{Name: returnPrefix + goalPlaceholder, Kind: Number, Unit: UnitCount, About: "visitors who were new that many weeks before " +
				"and came back, first in the week on this day; 0: those who were new on the day"})...), purged(GuardedSet), lostMark()),
		Expiry: Expiry{From: "the day's end", Days: AttrDayDays, After: bucketEnd(24 * time.Hour)},
		Size: Extent{Typical: 150, Grows: "the partitions that saw the day, by some 10 bytes each, and the goals that were reached, by " +
			"some 15; where new visitors are counted, the weeks that they come back after, by some 6"},
	},
	{
		Name: "uniques", Entity: EntityUniques, Writer: "the owner of the partition, with each flush that brings new visitors", Marked: "stats",
		About: "What one partition knows of an hour's visitors, once a flush has ended with more than 16. Readers merge it with what " +
			"rides in the hour's stats.",
		Key: func(k Keys, f Fields) Key { return k.Uniques(f.Site, f.At, f.TP) },
		Attributes: written([]How{GuardedSet},
			Attribute{Name: AttrPart, Kind: Binary, Unit: UnitHourSketch, About: "exact to 1,024 visitors, then registers"}, lostMark()),
		Expiry: Expiry{From: "the hour's end", Days: AttrHourDays, After: bucketEnd(time.Hour)},
		Size:   Extent{Typical: 500, Most: 17_000, Grows: "the visitors, by 8 bytes each up to 1,024; then 6 to 8 KB"},
	},
	{
		Name: "breakdown", Entity: EntityBreakdown, Writer: "the owner of the partition, once per flush", Marked: "stats", Merged: true,
		About: "What one partition knows of an hour by page, referrer, browser and all other dimensions: the most frequent values of " +
			"each with their figures, and what all others did together.",
		Key: func(k Keys, f Fields) Key { return k.Breakdown(f.Site, f.At, f.TP) },
		Attributes: written([]How{GuardedSet},
			Attribute{Name: AttrPart, Kind: Binary, Unit: UnitBreakdown, How: []How{GuardedSet, CompareAndSet}, About: "compressed with S2"},
			purged(CompareAndSet), lostMark()),
		Expiry: Expiry{From: "the hour's end", Days: AttrHourDays, After: bucketEnd(time.Hour)},
		Size:   Extent{Typical: 500, Most: 360_000, Grows: "the values, each by what it is spelled with and 8 bytes a visitor up to 64"},
	},
	{
		Name: "journal entry", Entity: EntityLate,
		Writer: "the owner of the partition, once per flush and date with hours that are not rewritten",
		Marked: "stats",
		About: "What one flush did to breakdowns of hours of a date, and to their visitors, in the order of positions. A breakdown is its " +
			"item and, after it, the entries of later flushes than its mark. A later flush merges them into the item, and one after it " +
			"deletes them.",
		Key: func(k Keys, f Fields) Key { return k.Late(f.Site, f.At, f.TP, f.Step, f.Index) },
		Attributes: written([]How{GuardedSet},
			Attribute{Name: AttrPart, Kind: Binary, Unit: UnitLate, How: []How{GuardedSet, CompareAndSet}, About: "compressed with S2"},
			purged(CompareAndSet),
			Attribute{Name: AttrEpoch, Kind: Number, Unit: UnitCount, About: "epoch of the owner that wrote it; an earlier one may not replace it"}),
		Expiry: Expiry{From: "an hour after the date's end", Days: AttrHourDays, After: bucketEnd(25 * time.Hour)},
		Size:   Extent{Typical: 200, Most: 220_000, Grows: "the events, by some 150 bytes each"},
	},
	{
		Name: "month stats", Entity: EntityMonthStats, Writer: sealer,
		About: "Sums of those days of a month that were sealed. Once closed, and while the marks of the days are those that it names, " +
			"readers may use it for the whole month; when the days have expired it is all that is left.",
		Key: func(k Keys, f Fields) Key { return k.MonthStats(f.Site, f.At) },
		Attributes: append(written([]How{PutSealed}, statsAttributes...), written([]How{PutSealed},
			Attribute{Name: AttrDays, Kind: String, Unit: UnitSealedDays, About: "its days, each with a hash of the marks that it was read under"},
			Attribute{Name: AttrClosed, Kind: Number, Unit: UnitYesNo, About: "the month is over, and all its days are in it"},
			sealedRate)...),
		Size: Extent{Typical: 300, Grows: "the days that had anything, by 20 bytes each, and the goals that were reached, by some 15"},
	},
	{
		Name: "sealed uniques of a day", Entity: EntitySealedUniques, Writer: sealer,
		About:      "The union of a day's visitors over all hours and partitions. It holds while its marks are those of the day's stats.",
		Key:        func(k Keys, f Fields) Key { return k.DayUniques(f.Site, f.At) },
		Attributes: written([]How{PutSealed}, append(sealedUniques, sealedUntil)...),
		Expiry:     Expiry{From: "the day's end", Days: AttrDayDays, After: bucketEnd(24 * time.Hour)},
		Size:       Extent{Typical: 500, Most: 17_000, Grows: "the visitors, by 8 bytes each up to 1,024; then 6 to 8 KB"},
	},
	{
		Name: "sealed uniques of a month", Entity: EntitySealedUniques, Writer: sealer,
		About:      "The union of a month's visitors. It holds while its marks are the hash of the days that the month's stats name.",
		Key:        func(k Keys, f Fields) Key { return k.MonthUniques(f.Site, f.At) },
		Attributes: written([]How{PutSealed}, sealedUniques...),
		Size:       Extent{Typical: 600, Most: 17_000, Grows: "the visitors, by 8 bytes each up to 1,024; then 6 to 8 KB"},
	},
	{
		Name: "sealed breakdown of a day", Entity: EntitySealedBreakdown, Writer: sealer,
		About:      "A day's breakdowns merged over all hours and partitions. It holds while its marks are those of the day's stats.",
		Key:        func(k Keys, f Fields) Key { return k.DayBreakdown(f.Site, f.At) },
		Attributes: written([]How{PutSealed}, append(sealedBreakdown, sealedUntil, purged(CompareAndSet))...),
		Expiry:     Expiry{From: "the day's end", Days: AttrDayDays, After: bucketEnd(24 * time.Hour)},
		Size: Extent{Typical: 1200, Most: 402_000, Grows: "the values; those of the fewest events lose their rows above 350 KB before " +
			"compression. The rows that are repeated take up to 42 KB"},
	},
	{
		Name: "sealed breakdown of a month", Entity: EntitySealedBreakdown, Writer: sealer,
		About:      "A month's breakdowns merged. It holds while its marks are the hash of the days that the month's stats name.",
		Key:        func(k Keys, f Fields) Key { return k.MonthBreakdown(f.Site, f.At) },
		Attributes: written([]How{PutSealed}, append(sealedBreakdown, purged(CompareAndSet))...),
		Size: Extent{Typical: 1200, Most: 402_000, Grows: "the values; those of the fewest events lose their rows above 350 KB before " +
			"compression. The rows that are repeated take up to 42 KB"},
	},
	{
		Name: "realtime minute", Entity: EntityRealtime, Writer: "the owner of the partition, once per realtime flush", Marked: "realtime",
		About: "What one partition knows of a minute of event time.",
		Key:   func(k Keys, f Fields) Key { return k.Realtime(f.Site, f.At, f.TP) },
		Attributes: []Attribute{
			{Name: AttrPageViews, Kind: Number, Unit: UnitCount, How: []How{GuardedAdd}, About: "page views"},
			{Name: AttrEvents, Kind: Number, Unit: UnitCount, How: []How{GuardedAdd}, About: "events, page views among them"},
			{Name: AttrBotPageViews, Kind: Number, Unit: UnitCount, How: []How{GuardedAdd}, About: "page views of listed bots"},
			{Name: AttrBotEvents, Kind: Number, Unit: UnitCount, How: []How{GuardedAdd}, About: "events of listed bots, page views among them"},
			{Name: AttrVisitors, Kind: Binary, Unit: UnitMinuteSketch, How: []How{GuardedSet}, About: "exact to 128 visitors, then registers"},
			{Name: AttrPages, Kind: Binary, Unit: UnitTopState, How: []How{GuardedSet}, About: "page views by page, 50 rows"},
			lostMark(),
		},
		Expiry: Expiry{From: "the minute's end", Fixed: 10 * time.Minute, After: bucketEnd(time.Minute)},
		Size:   Extent{Typical: 400, Most: 12_500, Grows: "visitors, to some 1 KB, and 50 pages of up to 200 bytes"},
	},
}

// purged is what a sweep of breakdowns leaves on items.
func purged(how How) Attribute {
	return Attribute{Name: AttrPurged, Kind: Number, Unit: UnitNumber, How: []How{how},
		About: "the revision of the last erasure that has dropped rows of breakdowns; absent: none has"}
}
