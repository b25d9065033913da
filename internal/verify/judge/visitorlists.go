package judge

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/cespare/xxhash/v2"

	"github.com/footfall/footfall/internal/verify/count"
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/internal/verify/recount"
	"github.com/footfall/footfall/internal/verify/scope"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// A session is listed by visitor by the first record that names its visitor while the site keeps such lists, and once more by each record
// that would have the session's item outlive the list. The flush of that record writes the entry.

// judgeListed compares the sessions of visitors that one partition lists as opened in an hour.
func (v *Judges) judgeListed(s Subject, items []sinks.Item) Judgement {
	cmp := v.Compare(s, nil)
	if len(items) > 0 {
		cmp.Item = items[0]
	}
	c, _, j, ok := v.part(checkpoint.LaneStats, cmp, s.TP)
	if !ok {
		return j
	}
	x := visitorLists{Comparison: cmp, Judges: v, Subject: s, chain: c, listings: make(map[string][]count.Listing),
		steps: make(map[string][]int64)}
	required := false
	live := slices.ContainsFunc(items, func(it sinks.Item) bool { return !it.Expired(v.Now()) })
	for _, l := range c.Stats.Site(s.Site).Listings[s.At] {
		x.listings[l.Session] = append(x.listings[l.Session], l)
		required = required || l.Position < c.Settled()
		live = live || !l.Gone(v.Now())
	}
	if done := j.settleEarly(len(items) > 0 || required, !live, c); done {
		return j
	}
	for _, it := range items {
		j.Ahead = x.add(it) || j.Ahead
	}
	cmp.Key = v.Key(s)
	for id, all := range x.listings {
		x.present(id, all)
	}
	if x.erasing {
		j.Partly = finding.BecauseErased
	}
	j.Differences = cmp.Differences
	return j
}

// visitorLists are the lists of an hour.
type visitorLists struct {
	*finding.Comparison
	*Judges
	Subject
	chain    *recount.Chain
	listings map[string][]count.Listing // by session, in offset order
	steps    map[string][]int64         // that list a session, found in items
	erasing  bool                       // of a person whose data are being erased
}

// fate returns what may have become of a session's entries.
func (x *visitorLists) fate(l count.Listing) scope.Fate {
	now := x.chain.Stats.Site(x.Site).Sessions[l.Session].At(count.AtEnd)
	if now == nil || now.Erased {
		return max(scope.IsSwept, x.FateOfPerson(x.Site, l.Visitor, "", l.OpenedAt))
	}
	return x.FateOfPerson(x.Site, now.Visitor, now.User, now.OpenedAt)
}

// present compares how often a session is listed.
func (x *visitorLists) present(id string, all []count.Listing) {
	f := x.fate(all[0])
	if f != scope.Stays {
		x.erasing = true
	}
	last := all[len(all)-1]
	if len(x.steps[id]) == 0 && f == scope.Stays && last.Position < x.chain.Settled() && !last.Gone(x.Now()) {
		x.Differ(sinks.AttrListed, "not listed", finding.Quote(id))
	}
	if len(x.steps[id]) > len(all) {
		x.Differ(sinks.AttrListed, fmt.Sprintf("%s in flushes %v", finding.Quote(id), x.steps[id]), fmt.Sprintf("in %d", len(all)))
	}
}

// add compares one item's list, and reports whether its step is one that the chain has not begun.
func (x *visitorLists) add(it sinks.Item) (ahead bool) {
	x.Begin(it)
	x.Ignore(sinks.AttrListed)
	kind, entity, most := finding.KindListed, sinks.EntityVisitorSessions, maxListed
	if ofNew(it) {
		kind, entity, most = finding.KindNew, sinks.EntityNewSessions, maxNew
	}
	m, ok := sinks.FindEntry(Kinds[kind].Type, sinks.Base, x.Comparison.Key, it, x.Table.SessionShards)
	f := m.Fields
	f.Site = x.Site // The key may shorten it.
	if !ok || Kinds[kind].Type.Key(x.Keys, f) != x.Comparison.Key {
		x.Differ(finding.Whole, "a key that no template spells", finding.Absent)
		return false
	}
	if head := x.chain.Head; f.Step > head.Step {
		x.Differ(finding.Whole, fmt.Sprintf("of step %d", f.Step), fmt.Sprintf("the chain is at step %d", head.Step))
		return true
	}
	entries, err := DecodeListed(it[sinks.AttrListed].Bytes(), x.At, x.TP)
	if err != nil {
		x.Differ(sinks.AttrListed, err.Error(), "a list of sessions")
		return false
	}
	if len(entries) == 0 || len(entries) > most {
		x.Differ(sinks.AttrListed, fmt.Sprintf("%d sessions", len(entries)), fmt.Sprintf("1 to %d", most))
	}
	if kind == finding.KindNew {
		x.span(f.At, entries)
	}
	x.entries(f, entries)
	x.Common(entity, x.Site)
	return false
}

// maxListed is how many sessions an item lists at most.
const maxListed = 500

// entries compares the entries of an item, and its time to live, which is that of the entry that lives longest.
func (x *visitorLists) entries(at sinks.Fields, entries []listedSession) {
	var ttls []int64 // that entries may ask for
	least := int64(0)
	for _, e := range entries {
		first := x.entry(at, e)
		if first == nil {
			continue
		}
		ttls = append(ttls, first...)
		least = max(least, first[0])
	}
	x.Ignore(sinks.AttrTTL)
	ttl := int64(1) << 62
	if v := x.Item[sinks.AttrTTL]; v.Kind() != sinks.None {
		ttl = v.Int()
	}
	switch kept := slices.Contains(ttls, ttl); {
	case len(ttls) == 0:
	case ttl < least || !kept && x.Rules.At(x.Rules.Rev()).Erased(x.Site).None():
		x.Differ(sinks.AttrTTL, finding.Show(x.Item[sinks.AttrTTL]), fmt.Sprintf("one of %v", ttls))
	}
}

// entry compares an entry, and returns the times to live that it may ask for, the least first; nil: it should not be there.
func (x *visitorLists) entry(at sinks.Fields, e listedSession) (ttls []int64) {
	head := x.chain.Head
	all := x.listings[e.session]
	if len(all) == 0 {
		x.Differ(sinks.AttrListed, finding.Quote(e.session), "no session of a visitor that was opened in this hour")
		return nil
	}
	l := all[0]
	if xxhash.Sum64String(l.Visitor) != e.visitor || l.OpenedAt != e.OpenedAt {
		x.Differ(sinks.AttrListed, fmt.Sprintf("%s of visitor %x, opened at %d", finding.Quote(e.session), e.visitor, e.OpenedAt),
			fmt.Sprintf("of visitor %x, opened at %d", xxhash.Sum64String(l.Visitor), l.OpenedAt))
	}
	if d := at.Bucket.Depth; d > 0 && strconv.FormatUint(e.visitor>>(64-d), 10) != strconv.Itoa(at.Bucket.Bits) {
		x.Differ(sinks.AttrListed, fmt.Sprintf("%s in bucket %v", finding.Quote(e.session), at.Bucket), fmt.Sprintf("hash %x", e.visitor))
	}
	if x.fate(l) == scope.MustBeGone {
		x.Differ(sinks.AttrListed, finding.Quote(e.session), "erased")
	}
	if again := slices.Contains(x.steps[e.session], at.Step); !again {
		x.steps[e.session] = append(x.steps[e.session], at.Step)
	} else if x.Rules.At(x.Rules.Rev()).Erased(x.Site).None() { // A redo that finds a person erased may choose other buckets.
		x.Differ(sinks.AttrListed, finding.Quote(e.session)+" again", "once")
	}
	for _, l := range all {
		if (l.Position >= head.From) == (at.Step == head.Step) {
			ttl := int64(1) << 62
			if l.Until != count.ListedForEver {
				ttl = l.Until * count.DaySeconds
			}
			ttls = append(ttls, ttl)
		}
	}
	if len(ttls) == 0 {
		x.Differ(sinks.AttrListed, finding.Quote(e.session)+fmt.Sprintf(" in step %d", at.Step), "in another step")
	}
	return ttls
}

// span compares when the sessions of an item were opened with the minute of its key. Without a person who was erased, the last may be
// gone.
func (x *visitorLists) span(minute int64, entries []listedSession) {
	last := int64(0)
	for _, e := range entries {
		if at := count.Floor(e.OpenedAt, count.MinuteMs); !inSpanOf(minute, at) {
			x.Differ(sinks.AttrListed, fmt.Sprintf("%s of another span, opened at %d", finding.Quote(e.session), e.OpenedAt),
				fmt.Sprintf("opened in the ten minutes that end with %s", sinks.Minute(minute)))
		} else {
			last = max(last, at)
		}
	}
	if last != minute && x.Rules.At(x.Rules.Rev()).Erased(x.Site).None() {
		x.Differ(sinks.AttrListed, "no session of the minute of the key", "one")
	}
}
