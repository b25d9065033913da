package verify

import (
	"fmt"
	"slices"

	"github.com/oklog/ulid/v2"

	"github.com/footfall/footfall/internal/pack"
	"github.com/footfall/footfall/internal/verify/count"
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/internal/verify/judge"
	"github.com/footfall/footfall/internal/verify/recount"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// Packed raw events are those of their flush exactly: each record that a step counts under settings that pack raw events is in one pack of
// that step, as those settings and the step's rules make it, and nothing else is in a pack. So each event of a pack is a subject.

// placePack judges a pack, and its events one by one.
func (x *siteScan) placePack(it sinks.Item) {
	key := it.Key()
	if it.Expired(x.Now()) {
		x.LeaveOut(finding.BecauseRetention, finding.KindPack)
		return
	}
	p, shard, faults := x.readPack(it)
	if p == nil || len(faults) > 0 {
		for _, fault := range faults {
			x.Differ(finding.Difference{Kind: finding.KindPack, PK: key.PK, SK: key.SK, Attribute: fault.attr, Table: fault.table,
				Recount: fault.want})
		}
		if p == nil {
			return
		}
	}
	events := x.Raw.Sites[x.site]
	for i, e := range p.Items() {
		s := judge.Subject{Kind: finding.KindPack, Site: x.site, At: p.Step, TP: p.TP,
			Raw: recount.PackedKey(shard, p.Events[i].ID, p.TP.Partition, p.Events[i].Offset)}
		if !x.Chosen(s, e) {
			continue
		}
		if events[s.Raw].Seen {
			x.Differ(finding.Difference{Kind: finding.KindPack, PK: key.PK, SK: key.SK, Attribute: finding.Whole,
				Table:   "event " + e["source"].Str(),
				Recount: "once: another pack has it"})
			continue
		}
		x.weigh(s, []sinks.Item{e})
	}
}

// packFault is something about a pack that does not fit its events.
type packFault struct{ attr, table, want string }

// readPack reads a pack and finds what does not fit. Without a pack the item cannot be read.
func (v *scanner) readPack(it sinks.Item) (p *pack.Pack, shard uint8, faults []packFault) {
	m, ok := sinks.FindEntry(judge.Kinds[finding.KindPack].Type, sinks.Base, it.Key(), it, v.Table.SessionShards)
	if !ok {
		return nil, 0, []packFault{{finding.Whole, finding.Summary(it), finding.Absent}}
	}
	p, err := new(pack.Decoder).Read(it)
	if err != nil {
		return nil, 0, []packFault{{sinks.AttrPart, err.Error(), "a pack"}}
	}
	if p.TP.Topic != v.Number {
		if !v.OfTopic(p.TP.Topic) {
			faults = append(faults, packFault{finding.Whole, finding.Summary(it), finding.NoTopic})
		}
		return nil, 0, faults
	}
	first, last := p.Events[0].ID, p.Events[len(p.Events)-1].ID
	want := sinks.Item{sinks.AttrPK: it[sinks.AttrPK], sinks.AttrSK: it[sinks.AttrSK],
		sinks.AttrEntity: sinks.Str(sinks.EntityPack), sinks.AttrSchema: sinks.Int(sinks.SchemaVersion),
		sinks.AttrSiteID: sinks.Str(m.Fields.Site),
		sinks.AttrEvents: sinks.Int(int64(len(p.Events))), sinks.AttrEndedAt: sinks.Int(int64(last.Time())),
		sinks.AttrIDs: sinks.Bytes(p.Index()), sinks.AttrPart: it[sinks.AttrPart]}
	if p.Days != checkpoint.Never {
		want[sinks.AttrTTL] = sinks.Int(int64(last.Time())/1000 + p.Days*86_400)
	}
	for name := range it {
		if !it[name].Equal(want[name]) {
			faults = append(faults, packFault{name, finding.Show(it[name]), finding.Show(want[name])})
		}
	}
	for name := range want {
		if it[name].Kind() == sinks.None {
			faults = append(faults, packFault{name, finding.Absent, finding.Show(want[name])})
		}
	}
	sorted := slices.IsSortedFunc(p.Events, func(a, b pack.Event) int { return a.ID.Compare(b.ID) })
	// An erasure may have taken the first events away.
	if opening, err := ulid.ParseStrict(m.Fields.ULID); err != nil || !sorted || first.Compare(opening) < 0 ||
		int64(last.Time()-opening.Time()) >= pack.Reach || recount.RawTime(last)/count.DayMs != recount.RawTime(opening)/count.DayMs {
		faults = append(faults, packFault{finding.Whole, fmt.Sprintf("events from %s to %s", first, last), "events of its ten minutes, in order"})
	}
	return p, uint8(m.Fields.Shard), faults
}
