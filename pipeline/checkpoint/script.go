package checkpoint

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/footfall/footfall/internal/sites"
)

// A Script lists the settings and rules under which a chain has folded its topic, as spans of offsets, in order. A rebuild under the
// settings of then follows it. After its end the rebuild's own settings and the latest rules hold.
type Script []Span

// Span is what one or more flushes have in common. It begins where the one before ends.
type Span struct {
	To       int64 // offset
	Settings Settings
	Rev      int64 // of the sites' rules
	// Known are the schemas that are known in the partition, by offsets in place of positions. Below the offset Decided no other one is. Both
	// are the same in all spans.
	Known   KnownSchemas
	Decided int64
	// Today: the steps are folded under the lane's own settings and the latest rules. Settings has nothing but FromRaw and Maps. Rev is only
	// the revision under which the records were counted before: see Settings.Counted.
	Today bool
}

// Scripts are those of the chains of a topic.
type Scripts map[ChainID]Script

// ScriptOf makes the script of a chain of what the table has of it. The lists of bots and browsers, and the time zones, are those of this
// release, whichever the flushes had. Offsets are of the topic that the last flush has read.
func ScriptOf(s ChainState) (Script, error) {
	var script Script
	if s.Lost() { // Nothing says where it ended: its last settings hold for all later records.
		last := s.History[len(s.History)-1]
		s.Head = Head{Step: last.Step, Ver: last.Ver, Rev: last.Rev, TopicID: last.TopicID, To: math.MaxInt64}
	}
	eras := slices.DeleteFunc(slices.Clone(s.History), func(h History) bool { return h.Step > s.Head.Step })
	if n := len(eras); s.Head.Step > 0 && (n == 0 || eras[n-1].Ver != s.Head.Ver || eras[n-1].Rev != s.Head.Rev) {
		eras = append(eras, History{From: s.Head.From, Ver: s.Head.Ver, Rev: s.Head.Rev, Base: s.Head.Base, TopicID: s.Head.TopicID})
	}
	for i, h := range eras {
		settings, err := ParseValues(h.Ver)
		if err != nil {
			return nil, err
		}
		to := max(s.Head.To, s.Head.Next)
		if i+1 < len(eras) {
			to = eras[i+1].From
		}
		if h.TopicID == s.Head.TopicID && h.From < to {
			settings.FromRaw = false // It says where those flushes had their records from.
			rules := h.Rev
			if settings.Rules != 0 { // The flush has repeated another.
				rules = max(0, settings.Rules)
			}
			script = append(script, Span{To: to - h.Base, Settings: settings, Rev: rules})
		}
	}
	return script, nil
}

// ScriptsOf makes the scripts of the chains of a topic, with the schemas that are known in each partition.
func ScriptsOf(all ChainStates) (Scripts, error) {
	scripts := make(Scripts, len(all))
	for id, s := range all {
		script, err := ScriptOf(s)
		if err != nil {
			return nil, fmt.Errorf("partition %d, lane %s: %w", id.Partition, id.Lane, err)
		}
		stats := all[ChainID{id.Partition, LaneStats}] // It has the list for both lanes, also before its first flush.
		known, decided := stats.Head.Known.Shifted(-stats.Head.Base), max(s.Head.To, s.Head.Next)-s.Head.Base
		if stats.Lost() || s.Lost() || stats.Head.Step > 0 && stats.Head.TopicID != s.Head.TopicID {
			decided = 0
		}
		for i := range script {
			script[i].Known, script[i].Decided = known, decided
		}
		scripts[id] = script
	}
	return scripts, nil
}

// Undecided returns the script of a chain that may have read records by schemas that the script does not name.
func (s Script) Undecided() Script {
	open := slices.Clone(s)
	for i := range open {
		open[i].Decided = 0
	}
	return open
}

// FromRaw returns the script with flushes that end at an offset and are marked as made of raw events below it.
func (s Script) FromRaw(to int64) Script {
	var marked Script
	from := int64(0)
	for _, span := range s {
		if from < to {
			below := span
			below.To, below.Settings.FromRaw = min(span.To, to), true
			below.Settings.Maps = below.Settings.Maps.PlainBelow(to)
			marked = append(marked, below)
		}
		if span.To > to {
			span.Settings.Maps = span.Settings.Maps.PlainBelow(to)
			marked = append(marked, span)
		}
		from = span.To
	}
	return marked
}

// UpToRevision returns the script with a revision in place of later ones.
func (s Script) UpToRevision(last int64) Script {
	known := slices.Clone(s)
	for i := range known {
		known[i].Rev = min(known[i].Rev, last)
		if c := &known[i].Settings.Counted; *c > last {
			*c = cmp.Or(last, sites.NoRules)
		}
	}
	return known
}

// At returns the span of an offset; nil: the offset is after the last span.
func (s Script) At(offset int64) *Span {
	i := sort.Search(len(s), func(i int) bool { return s[i].To > offset })
	if i == len(s) {
		return nil
	}
	return &s[i]
}

// counted is the revision under which the records were counted first.
func (s Span) counted() int64 {
	if s.Settings.Counted != 0 {
		return max(0, s.Settings.Counted)
	}
	return s.Rev
}

// First returns the offset of the first record that was counted under a revision or a later one. If there is none, it is the end.
func (s Script) First(rev int64) (offset int64) {
	for _, span := range s {
		if span.counted() >= rev {
			break
		}
		offset = span.To
	}
	return offset
}

// Today returns the script of a rebuild under the settings of today: spans that end where one of some revisions, which are in order, lies
// between those under which records were counted.
func (s Script) Today(revisions []int64) (today Script) {
	before := -1
	for _, span := range s {
		rev := span.counted()
		n, _ := slices.BinarySearch(revisions, rev+1)
		if n == before {
			today[len(today)-1].To = span.To
		} else {
			today = append(today, Span{To: span.To, Rev: rev, Today: true})
		}
		last := &today[len(today)-1]
		last.Settings.Maps, last.Known, last.Decided = span.Settings.Maps, span.Known, span.Decided
		before = n
	}
	return today
}

// Mapped returns what the script has recorded of mappings.
func (s Script) Mapped() (m Mapped) {
	if n := len(s); n > 0 {
		m = Mapped{s[n-1].Settings.Maps, s[n-1].To}
	}
	return m
}
