package verify

import (
	"fmt"
	"strings"

	"github.com/footfall/footfall/sinks"
)

// An item of new sessions is both: a list of recent sessions, of each minute in which one of them was opened, and a list by visitor, of an
// hour. It is compared with each of these subjects. As a list by visitor its attributes are compared, as one of recent sessions only what
// it names.

const (
	maxNew  = 31            // how many sessions an item names at most
	newSpan = 10 * minuteMs // from the beginning of the first minute to the end of the last one, which the key names
)

// inSpanOf reports whether an item of new sessions whose key names a minute may name sessions of another one.
func inSpanOf(last, minute int64) bool { return last-newSpan < minute && minute <= last }

func ofNew(it sinks.Item) bool { return strings.HasPrefix(it.Key().SK, kinds[kindNew].prefix) }

// subjectsOfNew returns what an item of new sessions is compared with; none: no template spells its key.
func (v *scanner) subjectsOfNew(site string, it sinks.Item) []subject {
	m, ok := sinks.FindEntry(kinds[kindNew].typ, sinks.Base, it.Key(), it, v.table.SessionShards)
	if !ok {
		return nil
	}
	hour := floor(m.Fields.At, hourMs)
	all := []subject{{kind: kindListed, site: site, at: hour, tp: m.Fields.TP}}
	entries, _ := decodeListed(it[sinks.AttrListed].Bytes(), hour, m.Fields.TP) // The comparison of the hour says what cannot be read.
	seen := make(map[int64]bool)
	for _, e := range entries {
		if minute := floor(e.openedAt, minuteMs); !seen[minute] {
			seen[minute] = true
			all = append(all, subject{kind: kindRecent, site: site, at: minute, tp: m.Fields.TP})
		}
	}
	return all
}

// placeNew keeps an item of new sessions until others are read.
func (x *siteScan) placeNew(it sinks.Item) {
	all := x.subjectsOfNew(x.site, it)
	if len(all) == 0 {
		x.unexplained(kindNew, x.site, it)
		return
	}
	for _, s := range all {
		if x.chosen(s, it) {
			x.listed[s] = append(x.listed[s], it)
		}
	}
}

// addNew compares what an item of new sessions names of the minute, and reports whether its step is one that the chain has not begun.
func (x *recentLists) addNew(v *judges, s subject, it sinks.Item) (ahead bool) {
	x.key = it.Key()
	m, _ := sinks.FindEntry(kinds[kindNew].typ, sinks.Base, it.Key(), it, v.table.SessionShards)
	if step := m.Fields.Step; step > x.chain.head.Step {
		return true
	}
	entries, _ := decodeListed(it[sinks.AttrListed].Bytes(), floor(s.at, hourMs), s.tp)
	for _, e := range entries {
		if floor(e.openedAt, minuteMs) == s.at {
			x.session(v, s, e.session, m.Fields.Step)
		}
	}
	return false
}

// mayBeErased reports whether an erasure may have taken a session from an item of new sessions.
func (v *judges) mayBeErased(c *chain, s subject, id string) bool {
	now := c.stats.site(s.site).sessions[id].at(atEnd)
	return now == nil || now.erased || v.fateOfPerson(s.site, now.visitor, now.user, now.openedAt) != stays
}

// span compares when the sessions of an item were opened with the minute of its key. Without a person who was erased, the last may be
// gone.
func (x *visitorLists) span(minute int64, entries []listedSession) {
	last := int64(0)
	for _, e := range entries {
		if at := floor(e.openedAt, minuteMs); !inSpanOf(minute, at) {
			x.differ(sinks.AttrListed, fmt.Sprintf("%s of another span, opened at %d", quote(e.session), e.openedAt),
				fmt.Sprintf("opened in the ten minutes that end with %s", sinks.Minute(minute)))
		} else {
			last = max(last, at)
		}
	}
	if last != minute && x.rules.At(x.rules.Rev()).Erased(x.site).None() {
		x.differ(sinks.AttrListed, "no session of the minute of the key", "one")
	}
}
