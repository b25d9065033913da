package verify

import (
	"context"
	"strings"

	"github.com/footfall/footfall/internal/pack"
	"github.com/footfall/footfall/internal/verify/count"
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/internal/verify/judge"
	"github.com/footfall/footfall/internal/verify/recount"
	"github.com/footfall/footfall/sinks"
)

// subjectsOfNew returns what an item of new sessions is compared with; none: no template spells its key.
func (v *scanner) subjectsOfNew(site string, it sinks.Item) []judge.Subject {
	m, ok := sinks.FindEntry(judge.Kinds[finding.KindNew].Type, sinks.Base, it.Key(), it, v.Table.SessionShards)
	if !ok {
		return nil
	}
	hour := count.Floor(m.Fields.At, count.HourMs)
	all := []judge.Subject{{Kind: finding.KindListed, Site: site, At: hour, TP: m.Fields.TP}}
	entries, _ := judge.DecodeListed(it[sinks.AttrListed].Bytes(), hour, m.Fields.TP) // The comparison of the hour says what cannot be read.
	seen := make(map[int64]bool)
	for _, e := range entries {
		if minute := count.Floor(e.OpenedAt, count.MinuteMs); !seen[minute] {
			seen[minute] = true
			all = append(all, judge.Subject{Kind: finding.KindRecent, Site: site, At: minute, TP: m.Fields.TP})
		}
	}
	return all
}

// rereadPacked reads the event of a pack again, nil if no pack has it.
func (v *scanner) rereadPacked(ctx context.Context, s *judge.Subject) (sinks.Item, error) {
	q := sinks.Query{PK: sinks.RawShard(s.Site, int(s.Raw.Shard)), From: pack.From(recount.RawTime(s.Raw.ID)),
		To: sinks.PackPrefix + s.Raw.ID.String() + "~"}
	for it, err := range v.Items(ctx, q) {
		if err != nil {
			return nil, err
		}
		p, _, _ := v.readPack(it)
		if p == nil || p.TP.Partition != s.Raw.Partition {
			continue
		}
		for i, e := range p.Events {
			if e.ID == s.Raw.ID && e.Offset+1 == s.Raw.Packed {
				s.At = p.Step
				return p.Items()[i], nil
			}
		}
	}
	return nil, nil
}

// listing returns the subjects that an item among a site's lists by visitor is compared with; none: no template spells its key.
func (v *scanner) listing(site string, it sinks.Item) []judge.Subject {
	if strings.HasPrefix(it.Key().SK, judge.Kinds[finding.KindNew].Prefix) {
		return v.subjectsOfNew(site, it)
	}
	if s, ok := v.SubjectOf(finding.KindListed, site, it, nil); ok {
		return []judge.Subject{s}
	}
	return nil
}

// readSealed reads a sealed item, then what decides whether it holds: the days that it was made from, and for a month its stats.
func (v *scanner) readSealed(ctx context.Context, s judge.Subject) (items []sinks.Item, err error) {
	key, month := v.Key(s), v.Keys.MonthStats(s.Site, s.At)
	keys := []sinks.Key{key}
	if s.OfMonth() && month != key {
		keys = append(keys, month)
	}
	found, err := v.Load(ctx, keys)
	if err != nil || found[key] == nil {
		return nil, err
	}
	items = append(items, found[key])
	if s.OfMonth() && month != key && found[month] != nil {
		items = append(items, found[month])
	}
	first, last := s.Days()
	q := sinks.Query{PK: v.Keys.Site(s.Site), From: sinks.DayStatsPrefix + sinks.Day(first), To: sinks.DayStatsPrefix + sinks.Day(last)}
	for it, err := range v.Items(ctx, q) {
		if err != nil {
			return nil, err
		}
		items = append(items, it)
	}
	return items, nil
}

// maxReads is how often a subject that moves is read before it is said not to settle.
const maxReads = 30

// rereadListed reads the lists by visitor again, and new sessions: all of each site that one of the subjects is of.
func (v *scanner) rereadListed(ctx context.Context, batch []judge.Subject) (map[judge.Subject][]sinks.Item, error) {
	found, read := make(map[judge.Subject][]sinks.Item), make(map[string]bool)
	for _, s := range batch {
		if !s.InLists() || read[s.Site] {
			continue
		}
		read[s.Site] = true
		for it, err := range v.Items(ctx, sinks.Query{PK: v.Keys.VisitorList(s.Site)}) {
			if err != nil {
				return nil, err
			}
			for _, s := range v.listing(s.Site, it) {
				found[s] = append(found[s], it)
			}
		}
	}
	return found, nil
}

// reread reads the items of each subject.
func (v *scanner) reread(ctx context.Context, batch []judge.Subject) ([][]sinks.Item, error) {
	var keys []sinks.Key
	for _, s := range batch {
		if !s.InLists() && s.Kind != finding.KindPack && !s.Sealed() {
			keys = append(keys, v.Key(s))
		}
	}
	if err := v.Late.RereadJournals(ctx, batch); err != nil {
		return nil, err
	}
	found, err := v.Load(ctx, keys)
	if err != nil {
		return nil, err
	}
	lists, err := v.rereadListed(ctx, batch)
	if err != nil {
		return nil, err
	}
	items := make([][]sinks.Item, len(batch))
	for i, s := range batch {
		key := v.Key(s)
		if s.Kind == finding.KindPack {
			it, err := v.rereadPacked(ctx, &batch[i])
			if err != nil {
				return nil, err
			}
			if it != nil {
				items[i] = []sinks.Item{it}
			}
			continue
		}
		if s.Sealed() {
			if items[i], err = v.readSealed(ctx, s); err != nil {
				return nil, err
			}
			continue
		}
		if s.Kind == finding.KindListed {
			items[i] = lists[s]
			continue
		}
		if s.Kind != finding.KindRecent {
			if it := found[key]; it != nil {
				items[i] = []sinks.Item{it}
			}
			continue
		}
		for it, err := range v.Items(ctx, sinks.Query{PK: key.PK, Prefix: key.SK}) {
			if err != nil {
				return nil, err
			}
			items[i] = append(items[i], it)
		}
		items[i] = append(items[i], lists[s]...)
	}
	return items, nil
}
