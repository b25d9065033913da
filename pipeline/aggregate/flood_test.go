package aggregate

import (
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
		{"all that come later are, in whatever minute", 2, []int64{60, 61, 62, 7200, 5}, "..xxx"},
		{"a minute ends with its last millisecond", 1, []int64{60, 120, 180}, "..."},
		{"an event of an earlier minute counts in neither", 2, []int64{120, 60, 61, 62, 121, 63, 122}, "......x"},
		{"a later minute begins anew, and the one before does not come back", 2, []int64{60, 61, 120, 62, 63, 121}, "......"},
		{"the first minute of all time is one like others", 1, []int64{0, 1}, ".x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var s state.Session
			var got strings.Builder
			for i, second := range c.seconds {
				e := &event.Event{Timestamp: second * 1000}
				if flood(&s, e.Timestamp, c.rate) {
					got.WriteByte('x')
				} else {
					got.WriteByte('.')
					addToSession(&s, e, int64(i), "", true)
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

// A rate that is lowered between two steps takes no event of an earlier minute for one that passes it.
func TestLoweredRateWaitsForTheNextEventOfTheMinute(t *testing.T) {
	s := state.Session{Events: 5, Minute: 2, InMinute: 5}
	if flood(&s, event.MinuteMs, 3) || s.Flooded {
		t.Error("an event of the minute before passes the rate")
	}
	if !flood(&s, 2*event.MinuteMs, 3) || s != (state.Session{Events: 5, Minute: 2, Flooded: true}) {
		t.Errorf("the next event of the minute does not pass the rate: %+v", s)
	}
}

// A session's item is kept from its end on; one that floods, from the last minute in which a bot's event came.
func TestFloodedSessionIsKeptAsLongAsItFloods(t *testing.T) {
	s := state.Session{Events: 1, EndedAt: 200_000}
	for _, c := range []struct{ at, kept int64 }{{200_000, 200_000}, {201_000, 200_000}, {260_000, 240_000}, {250_000, 240_000},
		{100_000, 240_000}, {900_000, 900_000}} {
		flood(&s, c.at, 1)
		if got := lastAt(&s); got != c.kept {
			t.Errorf("after an event at %d ms it is kept from %d on, want %d", c.at, got, c.kept)
		}
	}
}

// Bots' events, too, fold without an allocation: the lists are asked about what they were asked lately.
