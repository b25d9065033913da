// Package seal makes reads of days and months cheap: it merges the visitors and the breakdowns of a day's hours and
// partitions into one item each, and days into months. No answer depends on it: a reader that finds no sealed item, or
// one that does not hold any more, merges the sources.
//
// # What must hold
//
// A sealed item names, by a hash, the applied marks of the day's stats item that were read before its sources. A step writes
// a day's item, with its mark, after all hours of that day (plan in package pipeline), so the sources hold at least the steps that
// the marks name; and while the day's marks are still the same, no step has been completed since. So a reader that finds
// equal marks has an answer as of now. If a step is being written at that moment it may have a part of it, as it may have
// when it merges the sources itself.
//
// An item is put only over what was known before the marks were read: over nothing, or over an item of marks that were
// read from it, or refused by it. Marks only grow, so an item never goes back, even if another process seals at the same time and
// however late a put comes. Two runners at once do the work twice, and no harm.
//
// A day is that of the site's clocks, by the rules that hold when it is sealed. They may differ from those of a step only
// by decisions about times that were a day ahead then.
//
// When hours expire, what was sealed of them stays. The attribute until says from when on: readers then use the item whatever its
// marks, and it is not sealed again, which would lose what has expired.
//
// A month's stats item is written whenever a day of it was sealed, with the days that it holds and the marks of each. That
// makes it the record of what is sealed: there is no other. Once the month is over and all its days are sealed, the month's
// visitors and breakdown are put, and then its stats as closed. Those of a month whose first days have expired by then stay
// open: what it lacks would not be known.
//
// # What it costs
//
// A pass looks, for each site, at the days and months from the first of the previous month on: two eventual reads of some
// 30 to 60 items of 150 bytes and of two of 400, 2 units. 10,000 sites take 20,000 units and requests an hour, 6 a second,
// $0.12 a day on demand; and the list of sites, 1 MB, 130 units. Every 24th pass, and the first of a process, looks at all
// days that have not expired: 14 units a site after two years. Only what has changed is read whole: a day of one partition
// with typical hours takes some 12 strong units, and three writes. One request is under way at a time, and after each day the
// sealer rests as long as it has worked, so the steps of the pipeline never wait for more than one request.
//
//	seal.go   Options, Sealer, Run, passes
//	site.go   what there is to do for a site
//	day.go    a day; month.go: a month
//	put.go    how sealed items are put
package seal
