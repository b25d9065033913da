package judge

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

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
	x := visitorLists{Comparison: cmp, Judges: v, Subject: s, chain: c, listings: make(map[string][]count.Listing), steps: make(map[string][]int64)}
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

// listedSession is an entry of a list.
type listedSession struct {
	visitor  uint64
	OpenedAt int64
	session  string
}

var errListed = errors.New("unreadable")

// DecodeListed reads the entries of an item, which are of an hour and a partition: 8 bytes of a hash, 3 bytes of milliseconds, an id.
func DecodeListed(b []byte, hour int64, tp sinks.TP) (all []listedSession, err error) {
	if len(b) == 0 || b[0] != 1 {
		return nil, fmt.Errorf("%w: its version is not 1", errListed)
	}
	for b = b[1:]; len(b) > 0; {
		if len(b) < 12 {
			return nil, fmt.Errorf("%w: it ends in an entry", errListed)
		}
		e := listedSession{visitor: binary.BigEndian.Uint64(b), OpenedAt: hour + int64(binary.BigEndian.Uint32(b[7:])&0xffffff)}
		kind, n := binary.Uvarint(b[11:])
		if n <= 0 {
			return nil, fmt.Errorf("%w: an id has no length", errListed)
		}
		b = b[11+n:]
		size := 16
		if kind > 2 {
			size = int(min(kind-3, 1<<20))
		}
		var position uint64
		if kind == 2 {
			if position, size = binary.Uvarint(b); size <= 0 {
				return nil, fmt.Errorf("%w: a visit has no position", errListed)
			}
		}
		if len(b) < size {
			return nil, fmt.Errorf("%w: it ends in an id", errListed)
		}
		id := b[:size]
		switch b = b[size:]; kind {
		case 0:
			e.session = fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
		case 1:
			e.session = hex.EncodeToString(id)
		case 2:
			e.session = fmt.Sprintf("~visit-%016x-%s-%d", e.visitor, tp, position)
		default:
			e.session = string(id)
		}
		if before := len(all) - 1; e.OpenedAt >= hour+count.HourMs || before >= 0 && !all[before].before(e) {
			return nil, fmt.Errorf("%w: %s is not in order", errListed, finding.Quote(e.session))
		}
		all = append(all, e)
	}
	return all, nil
}

// before reports whether an entry comes before another.
func (e listedSession) before(o listedSession) bool {
	switch {
	case e.visitor != o.visitor:
		return e.visitor < o.visitor
	case e.OpenedAt != o.OpenedAt:
		return e.OpenedAt < o.OpenedAt
	}
	return strings.Compare(e.session, o.session) < 0
}
