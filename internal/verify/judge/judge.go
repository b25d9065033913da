package judge

import (
	"cmp"
	"fmt"

	"github.com/oklog/ulid/v2"

	"github.com/footfall/footfall/internal/journal"
	"github.com/footfall/footfall/internal/verify/count"
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/internal/verify/recount"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// Key returns the item's key. Of recent sessions it is how the keys of the items begin, and of lists by
// visitor how they do in any bucket.
func (v *Judges) Key(s Subject) sinks.Key {
	switch s.Kind {
	case finding.KindRecent:
		return sinks.Key{PK: v.Keys.RecentList(s.Site), SK: sinks.Minute(s.At) + "#" + s.TP.String() + "#"}
	case finding.KindListed:
		return sinks.Key{PK: v.Keys.VisitorList(s.Site), SK: fmt.Sprintf("{bucket}#%s#%s#", sinks.Hour(s.At), s.TP)}
	case finding.KindEvent:
		return v.Keys.Event(s.Site, int(s.Raw.Shard), s.Raw.ID.String())
	case finding.KindPack: // The record does not say which pack has the event.
		return sinks.Key{PK: sinks.RawShard(s.Site, int(s.Raw.Shard)), SK: fmt.Sprintf("%s%s (offset %d of partition %d)", sinks.PackPrefix,
			s.Raw.ID, s.Raw.Packed-1, s.Raw.Partition)}
	}
	return Kinds[s.Kind].Type.Key(v.Keys, sinks.Fields{Site: s.Site, Session: s.ID, Visitor: s.ID, Hash: s.ID, Goal: s.ID, Lane: s.ID,
		Number: s.goal,
		TP:     s.TP, At: s.At, Shards: v.Table.SessionShards})
}

// SubjectOf finds out what an item is about; ok is false when no template spells its key. known are the subjects of the site that the
// log or the rules know by an id, by sort key: a key shortens long ids.
func (v *Judges) SubjectOf(kind, site string, it sinks.Item, known map[string]Subject) (s Subject, ok bool) {
	key := it.Key()
	if kind == finding.KindUnknown {
		return Subject{Kind: kind}, false
	}
	s, ok = known[key.SK]
	if !ok {
		m, ok := sinks.FindEntry(Kinds[kind].Type, sinks.Base, key, it, v.Table.SessionShards)
		if !ok {
			return Subject{Kind: kind, Site: site}, false
		}
		f := m.Fields
		s = Subject{Kind: kind, Site: site, At: f.At, ID: cmp.Or(f.Session, f.Visitor, f.Hash, f.Goal, f.Lane), goal: f.Number, TP: f.TP}
		var err error
		if kind == finding.KindEvent {
			s.Raw.Shard = uint8(f.Shard)
			if s.Raw.ID, err = ulid.ParseStrict(f.ULID); err != nil {
				return s, false
			}
		}
	}
	return s, s.InLists() || v.Key(s) == key
}

// Judgement is what comes of comparing a subject with the recount.
type Judgement struct {
	Nothing     bool   // neither the table nor the log knows it
	LeftOut     string // why it cannot be compared
	Partly      string // why a part of it is not; "": all is
	Ahead       bool   // it carries the mark of a step that its chain, as the recount knows it, has not begun
	View        bool   // it follows from the rules of sites, and not from chains
	Differences []finding.Difference
	Chains      []*recount.Chain // that it depends on
	Event       sinks.Item       // a raw event that its records decide about, which are to be read again
}

var nothing = Judgement{Nothing: true}

// Judges compare items with the recount.
type Judges struct {
	*recount.Model
	Late  *journals
	fates fates
	lost  losses
}

// New returns judges that go by a recount.
func New(m *recount.Model) *Judges {
	return &Judges{Model: m, Late: &journals{Scope: m.Scope, Tally: m.Tally, of: make(map[LateDate]*journal.Journal)},
		fates: fates{m}, lost: losses{m}}
}

// part finds the chain of an item that one partition writes, and the cut that the item is compared at. ok is false when the
// judgement is complete.
func (v *Judges) part(lane string, cmp *finding.Comparison, tp sinks.TP) (c *recount.Chain, when count.Cut, j Judgement, ok bool) {
	mark := sinks.AttrMark(lane, tp)
	cmp.Ignore(mark)
	if tp.Topic != v.Number {
		if cmp.Item != nil && !v.OfTopic(tp.Topic) {
			cmp.Differ(finding.Whole, finding.Summary(cmp.Item), finding.NoTopic)
			return nil, 0, Judgement{Ahead: true, Differences: cmp.Differences}, false
		}
		return nil, 0, nothing, false
	}
	c = v.Chains[checkpoint.ChainID{Partition: tp.Partition, Lane: lane}]
	if c == nil {
		if cmp.Item == nil {
			return nil, 0, nothing, false
		}
		cmp.Differ(finding.Whole, finding.Summary(cmp.Item), "the topic has no such chain")
		return nil, 0, Judgement{Ahead: true, Differences: cmp.Differences}, false
	}
	j.Chains = []*recount.Chain{c}
	when, j.Ahead = c.CutOf(cmp.Item[mark].Int())
	if j.Ahead {
		cmp.Differ(mark, finding.Show(cmp.Item[mark]), fmt.Sprintf("the chain is at step %d", c.Head.Step))
	}
	return c, when, j, true
}

// Compare begins the comparison of a subject.
func (v *Judges) Compare(s Subject, it sinks.Item) *finding.Comparison {
	return &finding.Comparison{Kind: s.Kind, Key: v.Key(s), Item: it, Known: map[string]bool{sinks.AttrPK: true, sinks.AttrSK: true}}
}

// settleEarly answers for what is neither in the table nor in the log, has expired, or cannot be recounted.
func (j *Judgement) settleEarly(exists, gone bool, c *recount.Chain) (done bool) {
	switch {
	case !exists:
		*j = nothing
	case gone:
		j.LeftOut = finding.BecauseRetention
	case c.NotRecounted != "":
		j.LeftOut = finding.BecauseLog
	default:
		return false
	}
	return true
}
