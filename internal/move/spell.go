package move

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sinks"
)

// perPartition stands for a partition of a topic in templates of keys and in names of attributes.
const perPartition = "{tp}"

// speller spells items of the old table as the new one has them.
type speller struct {
	*run
	topics    map[int64]string // of the old table, by number
	revisions map[int64]int64  // of erasures, by those in the old table

	mu      sync.Mutex      // covers numbers; held while one is given out
	numbers map[int64]int64 // of topics in the new table, by those in the old one
}

// skipped are items that are written otherwise, or say nothing in another table.
var skipped = map[string]bool{sinks.EntitySite: true, sinks.EntityGoal: true, sinks.EntitySiteEntry: true, sinks.EntityDamaged: true,
	sinks.EntityLost: true, sinks.EntityVerification: true, sinks.EntitySchema: true}

// everywhere are items that belong to no generation.
var everywhere = map[string]bool{sinks.EntityEvent: true, sinks.EntityPack: true, sinks.EntityFunnel: true, sinks.EntityAnnotation: true,
	sinks.EntitySegment: true, sinks.EntityAlert: true, sinks.EntityFinding: true}

// spell returns an item as the new table has it; nil: it does not move.
func (s *speller) spell(ctx context.Context, it sinks.Item) (sinks.Item, error) {
	key := it.Key()
	m, ok := sinks.Find(key, it, s.shards)
	if !ok {
		return nil, fmt.Errorf("item %s / %s: footfall writes no item under such a key", key.PK, key.SK)
	}
	if entity := m.Type.Entity; skipped[entity] || !everywhere[entity] && max(1, m.Keys.Generation) != max(1, s.old.Generation) {
		return nil, nil
	}
	tp, err := s.tp(ctx, m)
	if err != nil {
		return nil, fmt.Errorf("item %s / %s: %w", key.PK, key.SK, err)
	}
	moved := make(sinks.Item, len(it))
	for name, v := range it {
		if name, err = s.attribute(ctx, m.Type, name); err != nil {
			return nil, fmt.Errorf("item %s / %s: %w", key.PK, key.SK, err)
		}
		moved[name] = v
	}
	sk, err := s.sortKey(ctx, m, key.SK, tp)
	if err != nil {
		return nil, err
	}
	moved[sinks.AttrPK], moved[sinks.AttrSK] = sinks.Str(s.pk(m, key.PK)), sinks.Str(sk)
	if pk := it[sinks.AttrGSI1PK]; pk.Kind() == sinks.String {
		moved[sinks.AttrGSI1PK] = sinks.Str(s.pk(m, pk.Str()))
	}
	if err := s.sessions(ctx, moved); err != nil {
		return nil, err
	}
	if m.Type.Entity == sinks.EntitySession || m.Type.Entity == sinks.EntityConversion {
		order(moved, tp)
	}
	for _, name := range []string{sinks.AttrErased, sinks.AttrPurged} {
		if rev := it[name]; rev.Kind() == sinks.Number {
			if s.revisions[rev.Int()] == 0 {
				return nil, fmt.Errorf("item %s / %s: %s names revision %d, which is no erasure of the site", key.PK, key.SK, name, rev.Int())
			}
			moved[name] = sinks.Int(s.revisions[rev.Int()])
		}
	}
	if source := it["source"]; source.Kind() == sinks.String {
		moved["source"] = sinks.Str(s.source(source.Str()))
	}
	return moved, s.sealed(ctx, m, it, moved)
}

// tp is the partition of an item's key in the new table.
func (s *speller) tp(ctx context.Context, m sinks.Match) (tp sinks.TP, err error) {
	if _, sk, _ := m.Type.IndexTemplates(sinks.Base); !strings.Contains(string(sk), perPartition) {
		return tp, nil
	}
	return s.partition(ctx, m.Fields.TP)
}

func (s *speller) partition(ctx context.Context, tp sinks.TP) (sinks.TP, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	number, known := s.numbers[tp.Topic]
	if !known {
		topic, ok := s.topics[tp.Topic]
		if !ok {
			return tp, fmt.Errorf("the table has no topic of number %d", tp.Topic)
		}
		var err error
		if number, err = sinks.EnsureTopic(ctx, s.to, s.new, sites.MovedTopic(topic, s.Site)); err != nil {
			return tp, err
		}
		s.numbers[tp.Topic] = number
	}
	return sinks.TP{Topic: number, Partition: tp.Partition}, nil
}

// pk is a partition key in the live generation of the new table.
func (s *speller) pk(m sinks.Match, pk string) string {
	if everywhere[m.Type.Entity] {
		return pk
	}
	if s.old.Generation > 1 {
		_, pk, _ = strings.Cut(pk, "#")
	}
	if s.new.Generation > 1 {
		pk = fmt.Sprintf("G%d#%s", s.new.Generation, pk)
	}
	return pk
}

// sortKey is a sort key with another partition in the place of its own, and in the id of a visit.
func (s *speller) sortKey(ctx context.Context, m sinks.Match, sk string, tp sinks.TP) (_ string, err error) {
	_, template, _ := m.Type.IndexTemplates(sinks.Base)
	segments := strings.Split(sk, "#")
	for i, segment := range strings.Split(string(template), "#") {
		if segment == perPartition {
			segments[i] = tp.String()
		} else if segments[i], err = s.session(ctx, segments[i]); err != nil {
			return "", err
		}
	}
	return strings.Join(segments, "#"), nil
}

// session is the id of a session. That of a visit names the partition that has found it.
func (s *speller) session(ctx context.Context, id string) (string, error) {
	visit, ok := sinks.ParseVisitID(id)
	if !ok {
		return id, nil
	}
	var err error
	visit.TP, err = s.partition(ctx, visit.TP)
	return visit.String(), err
}

// sessions spells the ids of sessions that an item names. Lists by visitor name visits by their positions.
func (s *speller) sessions(ctx context.Context, moved sinks.Item) error {
	if id := moved[sinks.AttrSessionID]; id.Kind() == sinks.String {
		now, err := s.session(ctx, id.Str())
		if err != nil {
			return err
		}
		moved[sinks.AttrSessionID] = sinks.Str(now)
	}
	if ids := moved[sinks.AttrSessionIDs]; ids.Kind() == sinks.List {
		var all []string
		for _, id := range ids.Strings() {
			now, err := s.session(ctx, id)
			if err != nil {
				return err
			}
			all = append(all, now)
		}
		moved[sinks.AttrSessionIDs] = sinks.Strings(all)
	}
	return nil
}

// attribute is the name of an attribute with another partition in the place of its own.
func (s *speller) attribute(ctx context.Context, t *sinks.ItemType, name string) (string, error) {
	a, tp, ok := t.Attribute(name)
	if !ok || !strings.Contains(a.Name, perPartition) {
		return name, nil
	}
	moved, err := s.partition(ctx, tp)
	return strings.Replace(a.Name, perPartition, moved.String(), 1), err
}

// order spells the place of a session or a conversion in the index. Without the session's id it stays: it orders what is of one instant.
func order(moved sinks.Item, tp sinks.TP) {
	session := moved[sinks.AttrSessionID].Str()
	if session == "" {
		session = state.IdentityOf(moved).Session
	}
	begin, _, ok := strings.Cut(moved[sinks.AttrGSI1SK].Str(), "#")
	if at, err := sinks.ParseInstant(begin); ok && err == nil && session != "" {
		moved[sinks.AttrGSI1SK] = sinks.Str(sinks.SessionOrder(at, session, tp))
	}
}

// source is where a record lies, topic/partition/offset, with the topic's name in the new table.
func (s *speller) source(text string) string {
	offset := strings.LastIndexByte(text, '/')
	if partition := strings.LastIndexByte(text[:max(offset, 0)], '/'); partition >= 0 {
		return sites.MovedTopic(text[:partition], s.Site) + text[partition:]
	}
	return text
}

// sealed has a sealed item name the marks that the days have in the new table, if it names those that they have in the old one.
func (s *speller) sealed(ctx context.Context, m sinks.Match, it, moved sinks.Item) error {
	switch m.Type.Entity {
	case sinks.EntityMonthStats:
		_, now, err := s.days(ctx, m, it)
		moved[sinks.AttrDays] = sinks.Str(now.String())
		return err
	case sinks.EntitySealedUniques, sinks.EntitySealedBreakdown:
	default:
		return nil
	}
	if strings.HasSuffix(m.Type.Name, "day") {
		was, now, err := s.marks(ctx, s.old.DayStats(s.Site, m.Fields.At))
		if err == nil && it[sinks.AttrMarks].Str() == was {
			moved[sinks.AttrMarks] = sinks.Str(now)
		}
		return err
	}
	key := s.old.MonthStats(s.Site, m.Fields.At)
	found, err := sinks.Get(ctx, s.from, key)
	if err != nil || found[key] == nil {
		return err
	}
	was, now, err := s.days(ctx, m, found[key])
	if err == nil && it[sinks.AttrMarks].Str() == was.Digest() {
		moved[sinks.AttrMarks] = sinks.Str(now.Digest())
	}
	return err
}

// days are the days that a month was sealed from, as the old table names them and as the new one does.
func (s *speller) days(ctx context.Context, m sinks.Match, month sinks.Item) (was, now sinks.SealedDays, err error) {
	if was, err = sinks.ParseSealedDays(month[sinks.AttrDays].Str()); err != nil {
		return nil, nil, err
	}
	now = make(sinks.SealedDays, len(was))
	for n, day := range was {
		at := m.Fields.At + int64(n-1)*dayMs
		marks, moved, err := s.marks(ctx, s.old.DayStats(s.Site, at))
		if err != nil {
			return nil, nil, err
		}
		if day.Marks == marks {
			day.Marks = moved
		}
		now[n] = day
	}
	return was, now, nil
}

const dayMs = 24 * 3_600_000

// marks is the digest of a day's marks in the old table, and in the new one; "": the day has expired.
func (s *speller) marks(ctx context.Context, key sinks.Key) (was, now string, err error) {
	found, err := sinks.Get(ctx, s.from, key)
	day := found[key]
	if err != nil || day == nil {
		return "", "", err
	}
	moved, err := s.spell(ctx, day)
	return sinks.MarksDigest(day), sinks.MarksDigest(moved), err
}
