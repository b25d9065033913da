package verify

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/oklog/ulid/v2"

	"github.com/footfall/footfall/internal/pack"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// Packed raw events are those of their flush exactly: each record that a step counts under settings that pack raw events is in one pack of
// that step, as those settings and the step's rules make it, and nothing else is in a pack. So each event of a pack is a subject.

// packedKey names the event of a record in packs of a shard.
func packedKey(shard uint8, id ulid.ULID, partition int32, offset int64) rawKey {
	return rawKey{shard: shard, id: id, partition: partition, packed: offset + 1}
}

// expectPacked notes that a record's raw event is in a pack.
func (w *rawRecount) expectPacked(r *record, key rawKey, e rawEvent) {
	site := string(r.event.SiteID)
	w.v.ledger.grow(site, weighRaw)
	e.required, e.unsure = true, r.unsure
	e.digest = digest(w.v.rawItem(r, e.bot))
	w.sites[site][packedKey(key.shard, key.id, r.partition, r.offset)] = e
}

// subjectOfRaw returns what a raw event of the site is as a subject.
func (x *siteScan) subjectOfRaw(key rawKey) subject {
	if key.packed > 0 {
		return subject{kind: kindPack, site: x.site, tp: sinks.TP{Topic: x.number, Partition: key.partition}, raw: key}
	}
	return subject{kind: kindEvent, site: x.site, raw: key}
}

// placePack judges a pack, and its events one by one.
func (x *siteScan) placePack(it sinks.Item) {
	key := it.Key()
	if it.Expired(x.now()) {
		x.leaveOut(becauseRetention, kindPack)
		return
	}
	p, shard, faults := x.readPack(it)
	if p == nil || len(faults) > 0 {
		for _, fault := range faults {
			x.differ(Difference{Kind: kindPack, PK: key.PK, SK: key.SK, Attribute: fault.attr, Table: fault.table, Recount: fault.want})
		}
		if p == nil {
			return
		}
	}
	events := x.raw.sites[x.site]
	for i, e := range p.Items() {
		s := subject{kind: kindPack, site: x.site, at: p.Step, tp: p.TP,
			raw: packedKey(shard, p.Events[i].ID, p.TP.Partition, p.Events[i].Offset)}
		if !x.chosen(s, e) {
			continue
		}
		if events[s.raw].seen {
			x.differ(Difference{Kind: kindPack, PK: key.PK, SK: key.SK, Attribute: whole, Table: "event " + e["source"].Str(),
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
	m, ok := sinks.FindEntry(kinds[kindPack].typ, sinks.Base, it.Key(), it, v.table.SessionShards)
	if !ok {
		return nil, 0, []packFault{{whole, summary(it), absent}}
	}
	p, err := new(pack.Decoder).Read(it)
	if err != nil {
		return nil, 0, []packFault{{sinks.AttrPart, err.Error(), "a pack"}}
	}
	if p.TP.Topic != v.number {
		if !v.ofTopic(p.TP.Topic) {
			faults = append(faults, packFault{whole, summary(it), noTopic})
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
			faults = append(faults, packFault{name, show(it[name]), show(want[name])})
		}
	}
	for name := range want {
		if it[name].Kind() == sinks.None {
			faults = append(faults, packFault{name, absent, show(want[name])})
		}
	}
	sorted := slices.IsSortedFunc(p.Events, func(a, b pack.Event) int { return a.ID.Compare(b.ID) })
	// An erasure may have taken the first events away.
	if opening, err := ulid.ParseStrict(m.Fields.ULID); err != nil || !sorted || first.Compare(opening) < 0 ||
		int64(last.Time()-opening.Time()) >= pack.Reach || rawTime(last)/dayMs != rawTime(opening)/dayMs {
		faults = append(faults, packFault{whole, fmt.Sprintf("events from %s to %s", first, last), "events of its ten minutes, in order"})
	}
	return p, uint8(m.Fields.Shard), faults
}

// judgePacked compares an event of a pack with a hash of what its record makes. The subject has the step of the pack, 0 if none has it.
func (v *judges) judgePacked(s subject, it sinks.Item) judgement {
	return v.judgeRaw(s, it, func(_ *judgement, cmp *comparison, e rawEvent) {
		head := e.chain.head
		if s.at > head.Step || s.at == head.Step && (e.position < head.From || e.position >= head.To) ||
			s.at < head.Step && e.position >= head.From {
			cmp.differ(whole, fmt.Sprintf("in a pack of flush %d", s.at), fmt.Sprintf("in one of another flush: the last is %d, from %d",
				head.Step, head.From))
		}
		if digest(it) != e.digest && !e.differsByRate(it) {
			cmp.differ(whole, summary(it), "as its record does not make it")
		}
	})
}

// differsByRate reports whether a raw event is what its record makes but for the verdict on its session's rate, which is not known where
// the log has not all that the chain folded.
func (e *rawEvent) differsByRate(it sinks.Item) bool {
	if e.chain.notRecounted == "" || e.chain.settingsAt(e.position).Bots.Rate == 0 || it[sinks.AttrExcluded].Kind() != sinks.None {
		return false
	}
	other := maps.Clone(it)
	switch by := it[sinks.AttrBot]; {
	case by.Kind() == sinks.None:
		other[sinks.AttrBot] = sinks.Str("rate")
	case by.Equal(sinks.Str("rate")):
		delete(other, sinks.AttrBot)
	default:
		return false
	}
	return digest(other) == e.digest
}

// rereadPacked reads the event of a pack again, nil if no pack has it.
func (v *scanner) rereadPacked(ctx context.Context, s *subject) (sinks.Item, error) {
	q := sinks.Query{PK: v.keys.Shard(s.site, int(s.raw.shard)), From: pack.From(rawTime(s.raw.id)),
		To: sinks.PackPrefix + s.raw.id.String() + "~"}
	for it, err := range v.items(ctx, q) {
		if err != nil {
			return nil, err
		}
		p, _, _ := v.readPack(it)
		if p == nil || p.TP.Partition != s.raw.partition {
			continue
		}
		for i, e := range p.Events {
			if e.ID == s.raw.id && e.Offset+1 == s.raw.packed {
				s.at = p.Step
				return p.Items()[i], nil
			}
		}
	}
	return nil, nil
}

// packQuery selects the packs of a shard that may have events of the span that is verified.
func (v *scanner) packQuery(pk string) sinks.Query {
	q := v.eventQuery(pk)
	if q.Prefix != "" {
		q.Prefix = sinks.PackPrefix
		return q
	}
	q.From, q.To = sinks.PackPrefix, sinks.PackPrefix+"~"
	var id ulid.ULID
	if !v.opts.From.IsZero() {
		q.From = pack.From(max(0, v.opts.From.UnixMilli()))
	}
	if !v.opts.To.IsZero() && id.SetTime(uint64(max(0, v.opts.To.UnixMilli()))) == nil {
		q.To = sinks.PackPrefix + id.String()
	}
	return q
}

// packedOfLost is of an event that a pack may have had which was quarantined.
func packedOfLost(v *judges, s subject, attr string) bool {
	return attr == whole && slices.ContainsFunc(v.lostSpans.list, func(l sinks.LostSpan) bool {
		if l.Kind != sinks.EntityPack || l.TP != s.tp || l.Key.PK != v.keys.Shard(s.site, int(s.raw.shard)) {
			return false
		}
		first, _, _, _, err := sinks.ParsePack(l.Key.SK)
		id, bad := ulid.ParseStrict(first)
		return err == nil && bad == nil && id.Compare(s.raw.id) <= 0 && rawTime(s.raw.id)-rawTime(id) < pack.Reach
	})
}
