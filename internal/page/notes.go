package page

import (
	"math"
	"time"

	"github.com/footfall/footfall/internal/page/locale"
	"github.com/footfall/footfall/query"
)

// alerts say why figures of a site's page are too low, or not known. They come before the figures.
func alerts(v SiteView) (all []string) {
	add := func(holds bool, format string, args ...any) {
		if holds {
			all = append(all, locale.Say(format, args...))
		}
	}
	a := v.Stats
	for _, w := range a.Warnings {
		whose := locale.Say("which may have events of this site")
		if w.OfSite {
			whose = locale.Say("which had events of this site lately")
		}
		state := map[string]string{query.WarnParked: locale.Say("has stopped"), query.WarnGap: locale.Say("has stopped at lost records"),
			query.WarnBehind: locale.Say("is behind")}[w.Kind]
		if w.Partition == "" {
			whose = locale.Say("which may be of this site")
			if w.OfSite {
				whose = locale.Say("some of them of this site")
			}
			add(true, "The counting of some records, %s, %s. They are counted up to %s.", whose, state,
				locale.Spell(w.Through.In(a.From.Location()), "2 Jan 2006, 15:04:05"))
			continue
		}
		add(true, "Partition %s, %s, %s. It is counted up to records of %s.", locale.Text(w.Partition), whose, state,
			locale.Spell(w.Through.In(a.From.Location()), "2 Jan 2006, 15:04:05"))
	}
	add(a.Incomplete, "Some hours or days of this range have expired: its totals are or may be too low.")
	add(a.Previous != nil && a.Previous.Incomplete, "Some hours or days of the earlier range have expired: changes are or may be too high.")
	add(a.Totals != nil && a.Totals.UniqueVisitors == nil, "Visitors are not known: the hours that had them have expired.")
	add(a.Cursor != "", "The graph ends early: the range has more than %s {bucket|buckets}. Choose larger ones.",
		locale.Count(int64(len(a.Buckets))))
	if s := a.Stored; s != nil {
		add(s.Expired, "What this range had, if anything, has expired.")
		add(true, "The site has data from %s.", locale.Range(s.From.In(a.From.Location()), s.To.In(a.From.Location())))
	}
	return all
}

// notes say what must be known about the figures of a site's page.
func notes(v SiteView) (all []string) {
	add := func(holds bool, format string, args ...any) {
		if holds {
			all = append(all, locale.Say(format, args...))
		}
	}
	a := v.Stats
	add(v.Filtering != nil, notUnderFilters)
	add(v.Filtering != nil && v.Filtering.Scope == query.ScopeEvents, "Funnels and paths cannot be filtered by page, event, type or property.")
	add(a.InProgress, "The range is not over: its figures, and the dashed end of the graph, are those so far.")
	add(Early(a, v.Read) && a.Previous != nil, "There are no changes until the first hour of the range is over.")
	if p := a.Previous; p != nil && p.ToDate {
		add(true, "The earlier range ends at a full hour, %s. It has all of its last hour; this range has what has passed of that hour, "+
			"so changes are a little too low until it is over.", locale.Spell(p.To, "15:04"))
	}
	if p := a.Previous; p != nil && p.DataFrom != nil {
		add(true, "The site has data only from %s on: figures of before are unknown, and changes since that day or "+
			"earlier ones have no percentages.",
			locale.Spell(p.DataFrom.In(a.From.Location()), "2 Jan 2006"))
	}
	if a.Totals != nil && a.Totals.NewSince != nil {
		add(true, "New visitors are those since %s, when the site began to count them.", locale.Spell(*a.Totals.NewSince, "2 Jan 2006, 15:04"))
	}
	add(a.Totals != nil && a.Totals.VisitorsError > 0, estimatesNote)
	if n := shared(v.Tops); a.Totals != nil && a.Totals.UniqueVisitors != nil && n > 0 && n != *a.Totals.UniqueVisitors {
		add(true, "Shares of visitors are of ~%s, an estimate of all visitors in the lists.", locale.Count(int64(n)))
	}
	bots := int64(0)
	if a.Totals != nil {
		bots = a.Totals.BotEvents
		add(a.Totals.OverBudgetEvents > 0, "%s {event is|events are} beyond the site's budget: {it is|they are} in no session and no list.",
			locale.Count(a.Totals.OverBudgetEvents))
		add(a.Totals.ExcludedEvents > 0, "%s {event is|events are} of pages that the site excludes, and in no other figure.",
			locale.Count(a.Totals.ExcludedEvents))
	}
	add(bots > 0, "%s {event of bots is|events of bots are} in no figure.", locale.Count(bots))
	var missing, absent uint64
	for _, t := range v.Tops {
		missing, absent = max(missing, uint64(t.NotBrokenDown)), max(absent, t.AbsentAtMost)
	}
	add(missing > 0, "%s {event is|events are} in no list: {it was|they were} beyond the site's budget, or came while breakdowns "+
		"were off, or {is|are} being written.",
		locale.Count(int64(missing)))
	add(absent > 0, "A value that no list names has at most %s {event|events}.", locale.Count(int64(absent)))
	add(v.Realtime.SwitchedOff && v.Filtering == nil, "Realtime is switched off for this site.")
	add(a.CompleteThrough == nil || a.CompleteThrough.Before(a.To),
		"Figures are those of the last flush of each partition: events of the last seconds or minutes may be missing.")
	return all
}

// Early reports whether no hour of a range was over when it was read, as the API has it.
func Early(a query.StatsAnswer, read time.Time) bool {
	return !read.Before(a.From) && read.Before(a.From.Add(time.Hour))
}

// shared is the number of visitors that the shares of lists are parts of; 0: there are none.
func shared(lists []query.TopAnswer) uint64 {
	for _, a := range lists {
		for _, r := range a.Rows {
			if a.Sort == "uniqueVisitors" && r.Share != nil && *r.Share > 0 && *r.Share < 1 {
				return uint64(math.Round(float64(r.UniqueVisitors) / *r.Share))
			}
		}
	}
	return 0
}

// estimatesNote says what marks of estimates mean.
const estimatesNote = "Numbers of visitors with a ~ are estimates. ± is their relative standard error."

// completeText spells up to when an answer is complete.
func completeText(a query.StatsAnswer) string {
	if a.CompleteThrough == nil {
		return ""
	}
	return locale.Spell(a.CompleteThrough.In(a.From.Location()), "2 Jan 2006, 15:04:05")
}

// zoneNote says whose days these are.
func zoneNote(a query.StatsAnswer, site *query.Site) string {
	if site != nil && site.Zone == a.Zone {
		return locale.Say("Days are those of %s, the site's zone.", a.Zone)
	}
	return locale.Say("Days are those of %s.", a.Zone)
}

// notUnderFilters says what a page under filters lacks.
const notUnderFilters = "Realtime figures and new visitors cannot be filtered: remove the filters to see them."
