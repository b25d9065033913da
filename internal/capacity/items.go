package capacity

import (
	"encoding/json"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// The items are made as the pipeline makes them, of typical values, and weighed by sinks.Item.Size. Where an item's
// size changes with the traffic, only what is always there is made, and the rehearsal adds the rest.

// Typical instants and numbers: a number's size is that of its digits.
const (
	someTime = 1_779_000_123_456 // ms since the epoch
	someTTL  = 1_786_776_123
	someStep = 123_456
	somePos  = 123_456_789
)

// site is a typical siteId.
const site = "site-1.example"

// scales are what the items of a workload weigh, in bytes.
type scales struct {
	session                 int // with its first event's dimensions
	sessionKey              sinks.Key
	sessionIndexes          sinks.IndexKeys // of one with a user
	visitor                 int
	hour, day, minute       int // without marks and parts
	uniques, breakdown      int // without the part
	mark, inline            int // of a partition in a shared item: its mark, the name of its part
	recent, recentID        int
	statsHead, realtimeHead int // checkpoints
	monthStats, sealed      int // sealed: without the part
}

// dayOf weighs a day's stats with the marks of so many partitions.
func (s *scales) dayOf(partitions int) int { return s.day + partitions*s.mark }

func (w *Workload) scales() scales {
	keys, tp := sinks.Keys{}, sinks.TP{Topic: 1, Partition: int32(min(w.Partitions-1, 99))}
	session, visitor, user := id(w.SessionID), id(w.IDBytes), id(min(w.IDBytes, 12))
	mark := sinks.Item{sinks.AttrMark(checkpoint.LaneStats, tp): sinks.Int(someStep)}
	order := sinks.SessionOrder(someTime, session, tp)
	var s scales
	s.mark = mark.Size()
	s.inline = len(sinks.AttrUniques(tp))
	s.sessionKey = keys.Session(site, session, tp, sinks.DefaultShards)
	s.sessionIndexes = sinks.IndexKeys{{PK: keys.User(site, user), SK: order}, {PK: keys.Visitor(site, visitor), SK: order}}
	s.session = s.mark + w.sessionItem(s.sessionKey, s.sessionIndexes, session, visitor, user).Size()
	s.visitor = s.mark + common(sinks.EntityVisitor, keys.VisitorState(site, visitor, tp, sinks.DefaultShards), sinks.Item{
		sinks.AttrSiteID: sinks.Str(site), sinks.AttrVisitorID: sinks.Str(visitor), sinks.AttrEndedAt: sinks.Int(someTime),
		sinks.AttrCur: part(2 * visitBytes), sinks.AttrPrev: part(visitBytes)}).Size()
	sums := sinks.Item{}
	for _, name := range []string{sinks.AttrPageViews, sinks.AttrEvents, sinks.AttrSessions, sinks.AttrBounces, sinks.AttrEngaged} {
		sums[name] = sinks.Int(12_345)
	}
	sums[sinks.AttrDurationMs] = sinks.Int(1_234_567_890)
	s.hour = common(sinks.EntityStats, keys.HourStats(site, someTime), sums).Size()
	s.day = common(sinks.EntityStats, keys.DayStats(site, someTime), sums).Size()
	s.uniques = s.mark + common(sinks.EntityUniques, keys.Uniques(site, someTime, tp), sinks.Item{sinks.AttrPart: part(0)}).Size()
	s.breakdown = s.mark + common(sinks.EntityBreakdown, keys.Breakdown(site, someTime, tp), sinks.Item{sinks.AttrPart: part(0)}).Size()
	s.minute = s.mark + common(sinks.EntityRealtime, keys.Realtime(site, someTime, tp), sinks.Item{
		sinks.AttrEvents: sinks.Int(1234), sinks.AttrPageViews: sinks.Int(1234),
		sinks.AttrVisitors: part(0), sinks.AttrPages: part(0)}).Size()
	recent := func(ids ...string) int {
		return common(sinks.EntityRecent, keys.Recent(site, someTime, tp, someStep, 0),
			sinks.Item{sinks.AttrSessionIDs: sinks.Strings(ids)}).Size()
	}
	s.recent, s.recentID = recent(), recent(session)-recent()
	s.statsHead, s.realtimeHead = w.checkpoint(checkpoint.LaneStats, tp), w.checkpoint(checkpoint.LaneRealtime, tp)
	s.monthStats = common(sinks.EntityMonthStats, keys.MonthStats(site, someTime), sums).Size() + 31*sealedDayBytes
	s.sealed = common(sinks.EntitySealedBreakdown, keys.DayBreakdown(site, someTime), sinks.Item{sinks.AttrPart: part(0),
		sinks.AttrHours: sinks.Int(24), sinks.AttrMarks: sinks.Str(id(16)), sinks.AttrUntil: sinks.Int(someTTL)}).Size()
	return s
}

const (
	// stateBytes are those of a session's state: version and flags 2, openedAt 6, two spans 1 and 3, page views, events and
	// flooding 4, its position 4, hour and day 2, and entry and exit, each an instant, a position and no page: 3 + 4 + 1.
	stateBytes = 38
	// visitBytes are those of one visit in a visitor's state, by its catalogue entry.
	visitBytes = 25
	// sealedDayBytes are those of a day in a month's stats, by its catalogue entry.
	sealedDayBytes = 20
	// storedBytes are what DynamoDB adds to each item and entry when it bills storage.
	storedBytes = 100
)

// sessionItem is a session's item, in both indexes.
func (w *Workload) sessionItem(key sinks.Key, in sinks.IndexKeys, session, visitor, user string) sinks.Item {
	it := common(sinks.EntitySession, key, sinks.Item{
		sinks.AttrSiteID: sinks.Str(site), sinks.AttrSessionID: sinks.Str(session), sinks.AttrVisitorID: sinks.Str(visitor),
		sinks.AttrUserID:   sinks.Str(user),
		sinks.AttrOpenedAt: sinks.Int(someTime), sinks.AttrStartedAt: sinks.Int(someTime), sinks.AttrEndedAt: sinks.Int(someTime),
		sinks.AttrDurationMs: sinks.Int(83_123), sinks.AttrBounce: sinks.Int(0), sinks.AttrEngaged: sinks.Int(1),
		sinks.AttrEvents: sinks.Int(3), sinks.AttrPageViews: sinks.Int(3),
		sinks.AttrEntryPage: sinks.Str("/articles/page-123"), sinks.AttrExitPage: sinks.Str("/articles/page-456"),
		sinks.AttrCur: part(stateBytes), sinks.AttrPrev: part(stateBytes),
		sinks.AttrGSI1PK: sinks.Str(in[0].PK), sinks.AttrGSI1SK: sinks.Str(in[0].SK),
		sinks.AttrGSI2PK: sinks.Str(in[1].PK), sinks.AttrGSI2SK: sinks.Str(in[1].SK),
	})
	if w.Settings.Breakdowns > 0 { // Where its breakdowns are booked.
		for d, value := range newTraffic(w, 1000, 1).visit(0).first {
			if value != "" {
				it[sinks.DimensionAttrs[d]] = sinks.Str(value)
			}
		}
	}
	return it
}

// checkpoint weighs the head of a chain.
func (w *Workload) checkpoint(lane string, tp sinks.TP) int {
	totals, err := json.Marshal(checkpoint.Totals{Counted: somePos})
	if err != nil {
		panic(err) // Numbers marshal.
	}
	key := sinks.Keys{}.Checkpoint(tp, lane)
	it := common(sinks.EntityCheckpoint, key, sinks.Item{
		"k": sinks.Int(someStep), "f": sinks.Int(somePos), "t": sinks.Int(somePos), "d": sinks.Int(0), "ep": sinks.Int(12),
		"own": sinks.Str(id(40)), "tid": sinks.Str(id(32)), "base": sinks.Int(0), "ver": sinks.Str(w.Settings.String()),
		"rev": sinks.Int(12), "totals": sinks.Str(string(totals)), "hist": sinks.Int(1), "n": sinks.Int(0), "dup": sinks.Int(0),
	})
	delete(it, sinks.AttrTTL)
	return it.Size()
}

// common completes an item by what all items of buckets have.
func common(entity string, key sinks.Key, it sinks.Item) sinks.Item {
	it[sinks.AttrPK], it[sinks.AttrSK] = sinks.Str(key.PK), sinks.Str(key.SK)
	it[sinks.AttrEntity], it[sinks.AttrSchema] = sinks.Str(entity), sinks.Int(sinks.SchemaVersion)
	it[sinks.AttrTTL] = sinks.Int(someTTL)
	return it
}

func part(bytes int) sinks.Value { return sinks.Bytes(make([]byte, bytes)) }

// sketchBytes are those of a sketch as its item has it.
func sketchBytes(u interface{ AppendBinary([]byte) ([]byte, error) }) int {
	b, err := u.AppendBinary(nil)
	if err != nil {
		panic(err) // AppendBinary of sketches returns none.
	}
	return len(b)
}

// packedBytes are those of a breakdown as its item has it.
func packedBytes(p *sketch.Packer, b *sketch.Breakdown) int {
	packed, err := p.Pack(b)
	if err != nil {
		panic(err) // As above.
	}
	return len(packed)
}

// uniquesOf weighs a sketch of an hour, a day or a month that has so many visitors.
func uniquesOf(visitors float64) int {
	u := sketch.NewHour()
	for i := range uint64(min(visitors, 200_000)) {
		u.Add(scramble(i))
	}
	return sketchBytes(u)
}
