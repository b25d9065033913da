package judge

import (
	"fmt"
	"strings"

	"github.com/footfall/footfall/internal/verify/count"
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/internal/verify/recount"
	"github.com/footfall/footfall/internal/verify/scope"
	"github.com/footfall/footfall/sinks"
)

// An item of new sessions is both: a list of recent sessions, of each minute in which one of them was opened, and a list by visitor, of an
// hour. It is compared with each of these subjects. As a list by visitor its attributes are compared, as one of recent sessions only what
// it names.

const (
	maxNew  = 31                  // how many sessions an item names at most
	newSpan = 10 * count.MinuteMs // from the beginning of the first minute to the end of the last one, which the key names
)

// inSpanOf reports whether an item of new sessions whose key names a minute may name sessions of another one.
func inSpanOf(last, minute int64) bool { return last-newSpan < minute && minute <= last }

func ofNew(it sinks.Item) bool { return strings.HasPrefix(it.Key().SK, Kinds[finding.KindNew].Prefix) }

// addNew compares what an item of new sessions names of the minute, and reports whether its step is one that the chain has not begun.
func (x *recentLists) addNew(v *Judges, s Subject, it sinks.Item) (ahead bool) {
	x.Key = it.Key()
	m, _ := sinks.FindEntry(Kinds[finding.KindNew].Type, sinks.Base, it.Key(), it, v.Table.SessionShards)
	if step := m.Fields.Step; step > x.chain.Head.Step {
		return true
	}
	entries, _ := DecodeListed(it[sinks.AttrListed].Bytes(), count.Floor(s.At, count.HourMs), s.TP)
	for _, e := range entries {
		if count.Floor(e.OpenedAt, count.MinuteMs) == s.At {
			x.session(v, s, e.session, m.Fields.Step)
		}
	}
	return false
}

// mayBeErased reports whether an erasure may have taken a session from an item of new sessions.
func (v *Judges) mayBeErased(c *recount.Chain, s Subject, id string) bool {
	now := c.Stats.Site(s.Site).Sessions[id].At(count.AtEnd)
	return now == nil || now.Erased || v.FateOfPerson(s.Site, now.Visitor, now.User, now.OpenedAt) != scope.Stays
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
