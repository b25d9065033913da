package transition

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/pipeline/state"
)

// TestFloodBeginsWithTheEventThatPassesTheRate goes through a session's events, each by its second of event time.
func TestFloodBeginsWithTheEventThatPassesTheRate(t *testing.T) {
	for _, c := range []struct {
		name    string
		rate    int64
		seconds []int64
		bots    string // x: a bot's
	}{
		{"as many as the rate in each minute are none", 2, []int64{60, 119, 120, 121, 180}, "....."},
		{"the one that passes it is the first", 2, []int64{60, 61, 62, 63}, "..xx"},
		{"all of that minute and of later ones are", 2, []int64{60, 61, 62, 7200, 61}, "..xxx"},
		{"those of earlier minutes are not", 2, []int64{60, 61, 62, 5, 7, 63}, "..x..x"},
		{"unless they pass the rate too: the flood begins earlier then", 1, []int64{120, 121, 60, 122, 61, 5, 62}, ".x.xx.x"},
		{"a minute ends with its last millisecond", 1, []int64{60, 120, 180}, "..."},
		{"minutes that come in turn are counted each", 2, []int64{120, 60, 61, 121, 62, 122, 63}, "....xxx"},
		{"the latest first", 2, []int64{182, 181, 180, 122, 121, 120, 62, 61, 60}, "..x..x..x"},
		{"a flood that becomes known late", 2, []int64{60, 120, 180, 181, 61, 240, 62, 241, 59}, "......xx."},
		{"the first minute of all time is one like others", 1, []int64{0, 1}, ".x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var s state.Session
			var got strings.Builder
			for i, second := range c.seconds {
				e := &event.Event{Timestamp: second * 1000}
				if Flood(&s.Flood, e.Timestamp, c.rate) {
					got.WriteByte('x')
				} else {
					got.WriteByte('.')
					AddEvent(&s, e, int64(i), "", true)
				}
			}
			if got.String() != c.bots {
				t.Errorf("bots %s, want %s", &got, c.bots)
			}
			if want := int64(strings.Count(c.bots, ".")); s.Events != want {
				t.Errorf("the session has %d events, want %d", s.Events, want)
			}
		})
	}
}

// TestOrderDecidesOnlyUpToTheRate shuffles sessions of as many minutes as are counted. In any order the flood begins with the same
// minute, all events before it are a person's, and of each minute from then on at most the rate, of the first one exactly.
func TestOrderDecidesOnlyUpToTheRate(t *testing.T) {
	for seed := range uint64(300) {
		dice := rand.New(rand.NewPCG(seed, 14))
		rate := 1 + dice.Int64N(6)
		minutes := make([]int64, 1+dice.IntN(state.FloodMinutes)) // hours apart, or next to one another
		for i, at := range dice.Perm(len(minutes)) {
			minutes[i] = 1000 + int64(at)*(1+int64(seed%2)*90)
		}
		var seconds []int64
		counts := make(map[int64]int64)
		from := int64(-1) // Of the log without an order.
		for _, m := range minutes {
			counts[m] = 1 + dice.Int64N(2*rate)
			if counts[m] > rate && (from < 0 || m < from) {
				from = m
			}
			for range counts[m] {
				seconds = append(seconds, 60*m+dice.Int64N(60))
			}
		}
		for order := range 5 {
			switch order {
			case 0:
				slices.Sort(seconds)
			case 1:
				slices.Reverse(seconds)
			default:
				dice.Shuffle(len(seconds), func(i, j int) { seconds[i], seconds[j] = seconds[j], seconds[i] })
			}
			judgeFlood(t, fmt.Sprintf("seed %d, order %d, rate %d", seed, order, rate), seconds, counts, from, rate)
		}
	}
}

// judgeFlood floods with a session's events, and compares with what the counts of its minutes say.
func judgeFlood(t *testing.T, name string, seconds []int64, counts map[int64]int64, from, rate int64) {
	t.Helper()
	var f state.Flood
	people := make(map[int64]int64)
	for _, second := range seconds {
		if !Flood(&f, 1000*second, rate) {
			people[second/60]++
		}
	}
	if f.Known != (from >= 0) || f.Known && int64(f.From) != from {
		t.Errorf("%s: flooded %t from minute %d on, want %d", name, f.Known, f.From, from)
	}
	for m, n := range counts {
		switch {
		case from < 0 || m < from:
			if people[m] != n {
				t.Errorf("%s: %d events of minute %d are a person's, want all %d", name, people[m], m, n)
			}
		case people[m] > min(n, rate), m == from && people[m] != rate:
			t.Errorf("%s: %d events of minute %d are a person's, of %d", name, people[m], m, n)
		}
	}
}

// A seventeenth minute takes the place of the one that had its last event earliest in the log, whatever their times are.
func TestMinuteOfLongAgoInTheLogIsForgotten(t *testing.T) {
	var f state.Flood
	const rate = 2
	visit := func(minutes ...int64) (bots int) {
		for _, m := range minutes {
			if Flood(&f, m*event.MinuteMs, rate) {
				bots++
			}
		}
		return bots
	}
	for m := range int64(state.FloodMinutes) {
		visit(100+m, 100+m)
	}
	visit(101, 5) // The first begins the flood at once, so that all later minutes are forgotten, and not those before.
	if want := (state.Flood{Known: true, From: 101, Last: 101, Minutes: [16]uint32{5, 100}, Events: [16]uint16{1, 2}}); f != want {
		t.Errorf("%+v, want %+v", f, want)
	}
	f = state.Flood{}
	for m := range int64(state.FloodMinutes) {
		visit(100 + m)
	}
	visit(100) // It is the latest again, and its count is 2.
	visit(5)
	if n := visit(101, 101); n != 0 {
		t.Error("a minute that was forgotten still counts")
	}
	if n := visit(100); n != 1 {
		t.Error("a minute whose last event is not long ago in the log does not count")
	}
}

// A rate that is lowered between two steps takes no event of an earlier minute for one that passes it.
func TestLoweredRateWaitsForTheNextEventOfTheMinute(t *testing.T) {
	f := state.Flood{Minutes: [16]uint32{2}, Events: [16]uint16{5}}
	if Flood(&f, event.MinuteMs, 3) || f.Known {
		t.Error("an event of the minute before passes the rate")
	}
	if !Flood(&f, 2*event.MinuteMs, 3) ||
		f != (state.Flood{Known: true, From: 2, Last: 2, Minutes: [16]uint32{1}, Events: [16]uint16{1}}) {
		t.Errorf("the next event of the minute does not pass the rate: %+v", f)
	}
}

// A session's item is kept from its end on; one that floods, from the last minute in which a bot's event came.
func TestFloodedSessionIsKeptAsLongAsItFloods(t *testing.T) {
	s := state.Session{Events: 1, EndedAt: 200_000}
	for _, c := range []struct{ at, kept int64 }{{200_000, 200_000}, {201_000, 200_000}, {260_000, 240_000}, {250_000, 240_000},
		{100_000, 240_000}, {900_000, 900_000}} {
		Flood(&s.Flood, c.at, 1)
		if got := LastAt(&s); got != c.kept {
			t.Errorf("after an event at %d ms it is kept from %d on, want %d", c.at, got, c.kept)
		}
	}
}
