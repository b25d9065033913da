package examples

import (
	"maps"
	"slices"

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
