package verify

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/footfall/footfall/internal/sites"
)

// readRules reads what was appended to the rules of sites. It comes after the checkpoints, which name revisions.
func (v *verifier) readRules(ctx context.Context) error {
	log, err := sites.ReadLog(ctx, v.opts.Table, v.keys, v.rules)
	if err == nil {
		v.rules = log
	}
	return err
}

// rulesOf returns the rules as of a revision that a chain names, and notes that they were used.
func (v *verifier) rulesOf(rev int64) (sites.View, error) {
	if rev < 0 || rev > v.rules.Rev() {
		return sites.View{}, fmt.Errorf("a step was folded under revision %d of the rules of sites, and the table has %d: was a revision "+
			"deleted, or the table restored?", rev, v.rules.Rev())
	}
	if i, found := slices.BinarySearch(v.revs, rev); !found {
		v.revs = slices.Insert(v.revs, i, rev)
	}
	return v.rules.At(rev), nil
}

// ruledBy returns all rules of a site under which any step was folded, once or twice; nil stands for none.
func (v *verifier) ruledBy(site string) (all []*sites.Rules) {
	history := v.rules.History(site)
	used := func(from, to int64) bool { // to 0: open
		i, _ := slices.BinarySearch(v.revs, from)
		return i < len(v.revs) && (to == 0 || v.revs[i] < to)
	}
	next := func(i int) int64 {
		if i < len(history) {
			return history[i].Rev
		}
		return 0
	}
	if used(0, next(0)) {
		all = append(all, sites.FirstRules(history))
	}
	for i, c := range history {
		if used(c.Rev, next(i+1)) {
			all = append(all, c.Rules)
		}
	}
	return all
}

// writtenUnder returns all rules of a site under which raw events may have been written, once each: those of every revision, since
// a process may have used any that ended before it began a step. Only one goroutine may call it.
func (v *verifier) writtenUnder(site string) []*sites.Rules {
	now := rulesUsed{rev: v.rules.Rev()}
	if used := v.used[site]; used.rev == now.rev && used.all != nil {
		return used.all
	}
	for _, s := range v.everRuled(site) {
		if !slices.ContainsFunc(now.all, func(o *sites.Rules) bool { return s.String() == o.String() }) {
			now.all = append(now.all, s)
		}
	}
	v.used[site] = now
	return now.all
}

// rulesUsed are rules of a site, as of the last revision.
type rulesUsed struct {
	rev int64
	all []*sites.Rules
}

// everRuled returns all rules that a site has ever had; nil stands for none.
func (v *verifier) everRuled(site string) []*sites.Rules {
	all := []*sites.Rules{sites.FirstRules(v.rules.History(site))}
	for _, c := range v.rules.History(site) {
		all = append(all, c.Rules)
	}
	return all
}

// zoned reports whether a site has ever had another zone than UTC.
func (v *verifier) zoned(site string) bool {
	return slices.ContainsFunc(v.everRuled(site), func(s *sites.Rules) bool { return s != nil && len(s.Zones) > 0 })
}

// bucketsOf finds the hour and the day of an instant by the clocks of the zone that holds at it: when the hour begins, and
// when the day's date begins in UTC. It reads the clocks themselves, and shares no arithmetic with the pipeline.
func bucketsOf(s *sites.Rules, t int64) (hour, day int64, err error) {
	loc, since := time.UTC, int64(-1<<62)
	if s != nil {
		for _, z := range s.Zones {
			if z.From <= t {
				if loc, err = sites.LoadZone(z.Name); err != nil {
					return 0, 0, err
				}
				if z.From > 0 {
					since = z.From
				}
			}
		}
	}
	at := time.UnixMilli(t).In(loc)
	_, offset := at.Zone()
	behind := int64(at.Minute())*minuteMs + int64(at.Second())*1000 + int64(at.Nanosecond())/1e6
	hour = t - behind
	if _, before := time.UnixMilli(hour).In(loc).Zone(); before != offset {
		// Clocks were set during the hour: find the second.
		hour = t - int64(at.Nanosecond())/1e6
		for {
			if _, before := time.UnixMilli(hour - 1000).In(loc).Zone(); before != offset {
				break
			}
			hour -= 1000
		}
	}
	// The date on the clocks, or the later one that they had shown before they were set back over midnight.
	date := at
	for begin, _ := at.ZoneBounds(); !begin.IsZero() && at.Sub(begin) < 24*time.Hour; begin, _ = begin.Add(-time.Millisecond).ZoneBounds() {
		if before := begin.Add(-time.Millisecond).In(loc); before.Format(time.DateOnly) > date.Format(time.DateOnly) {
			date = before
		}
	}
	day = time.Date(date.Year(), date.Month(), date.Day(), 0, 0, 0, 0, time.UTC).UnixMilli()
	return max(hour, since), day, nil
}
