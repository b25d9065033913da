package verify

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// A session is listed by visitor by the first record that names its visitor while the site keeps such lists, and once more by each record
// that would have the session's item outlive the list. The flush of that record writes the entry.

// listing is a record that lists a session.
type listing struct {
	session, visitor string
	openedAt         int64
	position         int64
	until            int64 // as session.listed
}

const listedForEver = -1

// list notes that the record lists the session, if it does.
func (c *statsRecount) list(x *siteRecount, s *session, r *record) {
	if s.visitor == "" || r.rules != nil && r.rules.NoVisitorIndex || s.listed == 0 && string(r.event.VisitorID) != s.visitor {
		return
	}
	days := r.rules.DaysOf(sinks.AttrSessionDays, r.settings.Retention.SessionDays)
	expires := s.kept()/1000 + days*daySeconds
	switch {
	case s.listed == listedForEver:
		return
	case days == checkpoint.Never:
		s.listed = listedForEver
	case s.listed > 0 && expires <= s.listed*daySeconds:
		return
	default:
		s.listed = expires/daySeconds + 2
	}
	hour := floor(s.openedAt, hourMs)
	c.v.ledger.grow(x.name, weighListing)
	x.listings[hour] = append(x.listings[hour], listing{s.id, s.visitor, s.openedAt, r.position, s.listed})
}

const daySeconds = dayMs / 1000

// gone reports whether an item with the entry may have expired.
func (l *listing) gone(now int64) bool { return l.until != listedForEver && l.until*daySeconds <= now }

// judgeListed compares the sessions of visitors that one partition lists as opened in an hour.
func (v *judges) judgeListed(s subject, items []sinks.Item) judgement {
	cmp := v.compare(s, nil)
	if len(items) > 0 {
		cmp.item = items[0]
	}
	c, _, j, ok := v.part(checkpoint.LaneStats, cmp, s.tp)
	if !ok {
		return j
	}
	x := visitorLists{comparison: cmp, judges: v, subject: s, chain: c, listings: make(map[string][]listing), steps: make(map[string][]int64)}
	required := false
	live := slices.ContainsFunc(items, func(it sinks.Item) bool { return !it.Expired(v.now()) })
	for _, l := range c.stats.site(s.site).listings[s.at] {
		x.listings[l.session] = append(x.listings[l.session], l)
		required = required || l.position < c.settled()
		live = live || !l.gone(v.now())
	}
	if done := j.settleEarly(len(items) > 0 || required, !live, c); done {
		return j
	}
	for _, it := range items {
		j.ahead = x.add(it) || j.ahead
	}
	cmp.key = v.key(s)
	for id, all := range x.listings {
		x.present(id, all)
	}
	if x.erasing {
		j.partly = becauseErased
	}
	j.differences = cmp.differences
	return j
}

// visitorLists are the lists of an hour.
type visitorLists struct {
	*comparison
	*judges
	subject
	chain    *chain
	listings map[string][]listing // by session, in offset order
	steps    map[string][]int64   // that list a session, found in items
	erasing  bool                 // of a person whose data are being erased
}

// fate returns what may have become of a session's entries.
func (x *visitorLists) fate(l listing) fate {
	now := x.chain.stats.site(x.site).sessions[l.session].at(atEnd)
	if now == nil || now.erased {
		return max(isSwept, x.fateOfPerson(x.site, l.visitor, "", l.openedAt))
	}
	return x.fateOfPerson(x.site, now.visitor, now.user, now.openedAt)
}

// present compares how often a session is listed.
func (x *visitorLists) present(id string, all []listing) {
	f := x.fate(all[0])
	if f != stays {
		x.erasing = true
	}
	last := all[len(all)-1]
	if len(x.steps[id]) == 0 && f == stays && last.position < x.chain.settled() && !last.gone(x.now()) {
		x.differ(sinks.AttrListed, "not listed", quote(id))
	}
	if len(x.steps[id]) > len(all) {
		x.differ(sinks.AttrListed, fmt.Sprintf("%s in flushes %v", quote(id), x.steps[id]), fmt.Sprintf("in %d", len(all)))
	}
}

// add compares one item's list, and reports whether its step is one that the chain has not begun.
func (x *visitorLists) add(it sinks.Item) (ahead bool) {
	x.begin(it)
	x.ignore(sinks.AttrListed)
	kind, entity, most := kindListed, sinks.EntityVisitorSessions, maxListed
	if ofNew(it) {
		kind, entity, most = kindNew, sinks.EntityNewSessions, maxNew
	}
	m, ok := sinks.FindEntry(kinds[kind].typ, sinks.Base, x.comparison.key, it, x.table.SessionShards)
	f := m.Fields
	f.Site = x.site // The key may shorten it.
	if !ok || kinds[kind].typ.Key(x.keys, f) != x.comparison.key {
		x.differ(whole, "a key that no template spells", absent)
		return false
	}
	if head := x.chain.head; f.Step > head.Step {
		x.differ(whole, fmt.Sprintf("of step %d", f.Step), fmt.Sprintf("the chain is at step %d", head.Step))
		return true
	}
	entries, err := decodeListed(it[sinks.AttrListed].Bytes(), x.at, x.tp)
	if err != nil {
		x.differ(sinks.AttrListed, err.Error(), "a list of sessions")
		return false
	}
	if len(entries) == 0 || len(entries) > most {
		x.differ(sinks.AttrListed, fmt.Sprintf("%d sessions", len(entries)), fmt.Sprintf("1 to %d", most))
	}
	if kind == kindNew {
		x.span(f.At, entries)
	}
	x.entries(f, entries)
	x.common(entity, x.site)
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
	x.ignore(sinks.AttrTTL)
	ttl := int64(1) << 62
	if v := x.item[sinks.AttrTTL]; v.Kind() != sinks.None {
		ttl = v.Int()
	}
	switch kept := slices.Contains(ttls, ttl); {
	case len(ttls) == 0:
	case ttl < least || !kept && x.rules.At(x.rules.Rev()).Erased(x.site).None():
		x.differ(sinks.AttrTTL, show(x.item[sinks.AttrTTL]), fmt.Sprintf("one of %v", ttls))
	}
}

// entry compares an entry, and returns the times to live that it may ask for, the least first; nil: it should not be there.
func (x *visitorLists) entry(at sinks.Fields, e listedSession) (ttls []int64) {
	head := x.chain.head
	all := x.listings[e.session]
	if len(all) == 0 {
		x.differ(sinks.AttrListed, quote(e.session), "no session of a visitor that was opened in this hour")
		return nil
	}
	l := all[0]
	if xxhash.Sum64String(l.visitor) != e.visitor || l.openedAt != e.openedAt {
		x.differ(sinks.AttrListed, fmt.Sprintf("%s of visitor %x, opened at %d", quote(e.session), e.visitor, e.openedAt),
			fmt.Sprintf("of visitor %x, opened at %d", xxhash.Sum64String(l.visitor), l.openedAt))
	}
	if d := at.Bucket.Depth; d > 0 && strconv.FormatUint(e.visitor>>(64-d), 10) != strconv.Itoa(at.Bucket.Bits) {
		x.differ(sinks.AttrListed, fmt.Sprintf("%s in bucket %v", quote(e.session), at.Bucket), fmt.Sprintf("hash %x", e.visitor))
	}
	if x.fate(l) == mustBeGone {
		x.differ(sinks.AttrListed, quote(e.session), "erased")
	}
	if again := slices.Contains(x.steps[e.session], at.Step); !again {
		x.steps[e.session] = append(x.steps[e.session], at.Step)
	} else if x.rules.At(x.rules.Rev()).Erased(x.site).None() { // A redo that finds a person erased may choose other buckets.
		x.differ(sinks.AttrListed, quote(e.session)+" again", "once")
	}
	for _, l := range all {
		if (l.position >= head.From) == (at.Step == head.Step) {
			ttl := int64(1) << 62
			if l.until != listedForEver {
				ttl = l.until * daySeconds
			}
			ttls = append(ttls, ttl)
		}
	}
	if len(ttls) == 0 {
		x.differ(sinks.AttrListed, quote(e.session)+fmt.Sprintf(" in step %d", at.Step), "in another step")
	}
	return ttls
}

// listedSession is an entry of a list.
type listedSession struct {
	visitor  uint64
	openedAt int64
	session  string
}

var errListed = errors.New("unreadable")

// decodeListed reads the entries of an item, which are of an hour and a partition: 8 bytes of a hash, 3 bytes of milliseconds, an id.
func decodeListed(b []byte, hour int64, tp sinks.TP) (all []listedSession, err error) {
	if len(b) == 0 || b[0] != 1 {
		return nil, fmt.Errorf("%w: its version is not 1", errListed)
	}
	for b = b[1:]; len(b) > 0; {
		if len(b) < 12 {
			return nil, fmt.Errorf("%w: it ends in an entry", errListed)
		}
		e := listedSession{visitor: binary.BigEndian.Uint64(b), openedAt: hour + int64(binary.BigEndian.Uint32(b[7:])&0xffffff)}
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
		if before := len(all) - 1; e.openedAt >= hour+hourMs || before >= 0 && !all[before].before(e) {
			return nil, fmt.Errorf("%w: %s is not in order", errListed, quote(e.session))
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
	case e.openedAt != o.openedAt:
		return e.openedAt < o.openedAt
	}
	return strings.Compare(e.session, o.session) < 0
}
