package aggregate

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sketch"
)

// TestRestingSessionsWakeAsTheyWere has sessions of few texts rest, in random order, and wakes or drops them in another.
func TestRestingSessionsWakeAsTheyWere(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	s := &sessions{memory: newSessionMemory()}
	texts := &s.texts
	site := &Site{ID: "shop.example", Sessions: make(map[string]*session), sessions: s}
	var all []*session
	var were []awake
	for i := range 2000 {
		x := &session{site: site, id: fmt.Sprint("session-", i), awake: s.memory.awake.take()}
		drawSession(x.awake, rng)
		site.Sessions[x.id] = x
		x.bytes = int32(x.room())
		all, were = append(all, x), append(were, *x.awake)
		known, was := texts.bytes, x.bytes
		if freed := x.PutToRest(); x.awake != nil || freed != int(was-x.bytes)-(texts.bytes-known) {
			t.Fatalf("session %d rests: %v, freed %d", i, x.awake == nil, freed)
		}
	}
	for n, i := range rng.Perm(len(all)) {
		x, was := all[i], &were[i]
		if n%3 == 0 {
			x.Drop()
			continue
		}
		is := &awake{slab: was.slab, place: was.place}
		is.readRest(x.rest, texts, nil)
		if !is.Cur.Equal(was.Cur) {
			t.Fatalf("session %d has the state\n%+v, want\n%+v", i, is.Cur, was.Cur)
		}
		is.Cur, is.key, is.first = was.Cur, was.key, was.first
		if *is != *was {
			t.Fatalf("session %d is\n%+v, want\n%+v", i, *is, *was)
		}
	}
	if len(texts.numbers) != 0 || texts.bytes != 0 || len(texts.free) != len(texts.texts) || len(texts.texts) > 40 {
		t.Errorf("%d texts of %d bytes are left, of %d places %d are free", len(texts.numbers), texts.bytes, len(texts.texts), len(texts.free))
	}
}

// drawSession draws what a session may be when the step that touched it has settled.
func drawSession(x *awake, rng *rand.Rand) {
	word := func() string { return []string{"", "a", "bb", "ein Wort", "\x00", "\x01"}[rng.IntN(6)] }
	at := 1_750_000_000_000 + rng.Int64N(event.DayMs)
	*x = awake{visitor: word(), user: word(), swept: rng.Int64N(300), erased: rng.Int64N(2), stale: rng.IntN(2) == 0,
		inTable: rng.IntN(2) == 0, newVisitor: rng.IntN(2) == 0, newUser: rng.IntN(2) == 0, unlisted: rng.IntN(2) == 0,
		slab: x.slab, place: x.place}
	s := &x.Cur
	*s = state.Session{OpenedAt: at, StartedAt: at - rng.Int64N(5000), EndedAt: at + rng.Int64N(5000), PageViews: rng.Int64N(3),
		Events: 1 + rng.Int64N(1000), Interactive: rng.IntN(2) == 0, Booked: rng.Int64N(1e6) - 1}
	s.Listed = []int32{0, state.ListedForEver, int32(at/event.DayMs + 1 + rng.Int64N(100))}[rng.IntN(3)]
	s.Hour, s.Day = s.StartedAt-s.StartedAt%event.HourMs, s.StartedAt-s.StartedAt%event.DayMs
	if rng.IntN(4) == 0 {
		s.Booked = state.NotBooked
	}
	if rng.IntN(4) == 0 {
		s.Erase()
		return
	}
	if rng.IntN(4) > 0 {
		s.First = &values{sketch.Country: "DE"}
		for d := range s.First {
			if rng.IntN(2) == 0 && d != int(sketch.Page) {
				s.First[d] = word()
			}
		}
	}
	if rng.IntN(3) > 0 {
		pages := []string{"/a", "/b", "/c", "\x02"}
		visit := func() state.PageVisit {
			return state.PageVisit{Page: pages[rng.IntN(len(pages))], At: at + rng.Int64N(1000), Pos: rng.Int64N(1e6)}
		}
		s.Entry, s.Exit = visit(), visit()
		if rng.IntN(2) == 0 {
			s.Open = state.OpenPage{PageVisit: s.Exit, Timing: state.ToNext, TimeMs: 17, Scroll: 51}
		}
		if rng.IntN(4) == 0 {
			s.Open = state.OpenPage{PageVisit: visit(), Timing: state.NotLater}
		}
	}
}
