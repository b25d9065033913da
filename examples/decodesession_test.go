package examples

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sinks"
)

// sessionOf is what the decoders print of a session.
func sessionOf(s *state.Session) map[string]any {
	shown := make(map[string]any)
	if s.Events == 0 {
		return shown
	}
	shown["openedAt"], shown["startedAt"], shown["endedAt"], shown["durationMs"] = s.OpenedAt, s.StartedAt, s.EndedAt, s.DurationMs()
	shown["pageViews"], shown["events"], shown["bounce"], shown["engaged"] = s.PageViews, s.Events, s.Bounce(), s.Engaged()
	if s.Entry.Page != "" {
		shown["entryPage"], shown["exitPage"] = s.Entry.Page, s.Exit.Page
	}
	for d, name := range sinks.DimensionNames {
		if s.First != nil && s.First[d] != "" {
			shown[name] = s.First[d]
		}
	}
	return shown
}

// withIDs adds what says whose a session is.
func (v vector) withIDs(it sinks.Item, want map[string]any) {
	for _, name := range []string{sinks.AttrGSI1PK, sinks.AttrSessionID, sinks.AttrVisitorID, sinks.AttrUserID} {
		if text := it[name].Str(); text != "" {
			v.Item[name] = map[string]string{"S": text}
		}
	}
	if n := it[sinks.AttrErased]; n.Kind() != sinks.None {
		v.Item[sinks.AttrErased] = map[string]string{"N": n.Num().String()}
	}
	whose := state.IdentityOf(it)
	for name, id := range map[string]string{sinks.AttrSessionID: whose.Session, sinks.AttrVisitorID: whose.Visitor,
		sinks.AttrUserID: whose.User} {
		if id != "" {
			want[name] = id
		}
	}
}

// keyedSessions are sessions whose ids are spelled in every way that keys have, or repeated in attributes.
func keyedSessions() (all []sinks.Item) {
	keys, tp := sinks.Keys{}, sinks.TP{Topic: 1, Partition: 17}
	s := state.Session{OpenedAt: 1_778_594_400_000, StartedAt: 1_778_594_400_000, EndedAt: 1_778_594_400_000, Events: 1,
		Booked: state.NotBooked}
	long := strings.Repeat("#", 100)
	for i, ids := range [][3]string{
		{"c0a8017e-3d2f-4f0e-8a4c-7b1d9e5f2a60", "5f2b9c1e8a414c7d9a550c2a44d1b6f3", "a#b%c ü"},
		{"C0A8017E-3D2F-4F0E-8A4C-7B1D9E5F2A60", "ffffffff-ffff-ffff-ffff-ffffffffffff", "~"}, {"s", "%x", "u"},
		{long, long, long}, {"erased", "", ""},
	} {
		key := keys.Session("shop", ids[0], tp, sinks.DefaultShards)
		it := sinks.Item{sinks.AttrPK: sinks.Str(key.PK), sinks.AttrSK: sinks.Str(key.SK), sinks.AttrEntity: sinks.Str(sinks.EntitySession),
			sinks.AttrCur: sinks.Bytes(s.AppendBinary(nil, &state.Session{}))}
		if ids[2] == "" {
			it[sinks.AttrErased] = sinks.Int(int64(i))
		} else {
			it[sinks.AttrGSI1PK], it[sinks.AttrVisitorID] = sinks.Str(keys.User("shop", ids[2])), sinks.Str(sinks.CompactID(ids[1]))
		}
		if ids[0] == long {
			it[sinks.AttrSessionID], it[sinks.AttrUserID] = sinks.Str(ids[0]), sinks.Str(ids[2])
		}
		all = append(all, it)
	}
	return all
}

// listedSessions are items that list sessions of visitors, with ids in every form that they have there.
func listedSessions() []sinks.Item {
	const hour = 1_778_594_400_000
	tp, entries := sinks.TP{Topic: 1, Partition: 17}, []state.ListedSession{}
	visit := sinks.VisitID{Visitor: 4, TP: tp, Position: 1 << 40}.String()
	for i, id := range []string{"c0a8017e-3d2f-4f0e-8a4c-7b1d9e5f2a60", "5f2b9c1e8a414c7d9a550c2a44d1b6f3", "C0A8017E", visit, visit, "ü"} {
		entries = append(entries, state.ListedSession{Visitor: uint64(i+1) % 5, OpenedAt: hour + int64(i)*700_000, Session: id})
	}
	slices.SortFunc(entries, state.ListedSession.Compare)
	var items []sinks.Item
	for entity, key := range map[string]sinks.Key{
		sinks.EntityNewSessions:     sinks.Keys{}.NewSessions("shop", hour+59*60_000, tp, 7),
		sinks.EntityVisitorSessions: sinks.Keys{}.VisitorSessions("shop", sinks.VisitorBucket{Depth: 3}, hour, tp, 7, 0),
	} {
		items = append(items, sinks.Item{sinks.AttrPK: sinks.Str(key.PK), sinks.AttrSK: sinks.Str(key.SK), sinks.AttrEntity: sinks.Str(entity),
			sinks.AttrListed: sinks.Bytes(state.AppendListed(nil, entries, hour, tp))})
	}
	slices.SortFunc(items, func(a, b sinks.Item) int { return strings.Compare(b.Key().SK, a.Key().SK) })
	return items
}

// listOf is what the decoders print of such an item.
func listOf(t *testing.T, it sinks.Item) []map[string]any {
	t.Helper()
	m, _ := sinks.Find(it.Key(), it, sinks.DefaultShards)
	entries, err := state.DecodeListed(it[sinks.AttrListed].Bytes(), m.Fields.At-m.Fields.At%time.Hour.Milliseconds(), m.Fields.TP)
	if err != nil {
		t.Fatal(err)
	}
	var rows []map[string]any
	for _, e := range entries {
		rows = append(rows, map[string]any{"visitor": fmt.Sprintf("%016x", e.Visitor), "openedAt": e.OpenedAt, "sessionId": e.Session})
	}
	return rows
}

// drawnSessions are sessions in every form that their bytes have.
func drawnSessions() (all []encoded) {
	const at = 1_778_594_400_000
	entry := state.PageVisit{Page: "/künste", At: at - 5_000, Pos: 1 << 40}
	exit := state.PageVisit{Page: "/b", At: at + 70_000, Pos: 1<<40 + 9}
	origin := &state.Values{0: "shop.example", 2: "www.google.com", 3: "Organic Search", 9: "DE", 11: "Köln", 12: "mobile", 15: "sign up"}
	reached, _ := state.Goals("").With(3)
	sessions := map[string]state.Session{
		"no session yet": {},
		"no page":        {OpenedAt: at, StartedAt: at, EndedAt: at, Events: 1, Interactive: true, Booked: state.NotBooked},
		"one page": {OpenedAt: at, StartedAt: at, EndedAt: at, Events: 1, PageViews: 1, Booked: 7, Entry: exit, Exit: exit,
			First: origin},
		"before its start": {OpenedAt: at, StartedAt: at - 5_000, EndedAt: at + 9_000, Events: 2, PageViews: 2, Booked: 7, Entry: entry,
			Exit: exit},
		"all that there is": {OpenedAt: at, StartedAt: at - 5_000, EndedAt: at + 1<<30, Events: 1 << 20, PageViews: 300, Interactive: true,
			Booked: 1 << 40, Entry: entry, Exit: exit, First: origin, Open: state.OpenPage{PageVisit: exit}, Reached: reached, Worth: -5,
			Flood: state.Flood{Known: true, From: 29_643_240, Last: 29_643_250}},
		"erased": {OpenedAt: at, StartedAt: at, EndedAt: at + 1, Events: 2, Erased: true, Booked: state.NotBooked},
	}
	for _, name := range slices.Sorted(maps.Keys(sessions)) { // Vectors are in one order.
		s := sessions[name]
		all = append(all, encoded{name, sinks.EntitySession, sinks.AttrCur, s.AppendBinary(nil, &state.Session{}), sessionOf(&s)})
	}
	return all
}
