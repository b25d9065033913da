package state

import (
	"math"
	"testing"

	"github.com/footfall/footfall/pipeline/event"
)

func TestSessionReadsBackAsItWasWritten(t *testing.T) {
	visit := PageVisit{"/a", 61_000, 4}
	for _, s := range []Session{
		{},
		{OpenedAt: 61_000, StartedAt: 60_000, EndedAt: 62_000, Events: 3, Booked: NotBooked},
		{OpenedAt: 61_000, StartedAt: 61_000, EndedAt: 61_000, Events: 1, PageViews: 1, Interactive: true, Entry: visit, Exit: visit,
			Flood: Flood{Minutes: [16]uint32{1}, Events: [16]uint16{1}}},
		{OpenedAt: 1 << 47, StartedAt: 1 << 46, EndedAt: 1 << 47, Events: 1 << 40, Flood: fullFlood()},
		{OpenedAt: 61_000, StartedAt: 61_000, EndedAt: 61_000, Events: 9, Booked: 7, Entry: visit, Exit: visit,
			Flood: Flood{Known: true, From: 5, Last: 7}},
		{OpenedAt: 61_000, StartedAt: 61_000, EndedAt: 61_000, Events: 9, Booked: 7,
			Flood: Flood{Known: true, From: 5, Last: 5, Minutes: [16]uint32{0, 4}, Events: [16]uint16{3, 300}}},
		{OpenedAt: 61_000, StartedAt: 61_000, EndedAt: 61_000, Events: 2, Booked: 7, Entry: visit, Exit: visit, Reached: goals(MaxGoalNumber, 1,
			300)},
		{OpenedAt: 61_000, StartedAt: 61_000, EndedAt: 61_000, Events: 2, PageViews: 1, Booked: NotBooked, Erased: true, Reached: goals(2)},
	} {
		b := s.AppendBinary(nil, s.Entry.Page, "")
		got, err := DecodeSession(b, s.Entry.Page, "")
		if err != nil || got != s || len(b) > MaxStateBytes {
			t.Errorf("%+v reads back from %x as %+v, %v", s, b, got, err)
		}
		for n := range b {
			if n == 1 {
				continue // The version alone: a session that was not seen.
			}
			if got, err := DecodeSession(b[:n], s.Entry.Page, ""); err == nil {
				t.Errorf("%d of the %d bytes of %+v read as %+v", n, len(b), s, got)
			}
		}
	}
}

// fullFlood has as many minutes as there can be, as far apart and with as many events as they can be.
func fullFlood() Flood {
	f := Flood{Known: true, From: math.MaxUint32, Last: math.MaxUint32}
	for i := range f.Minutes {
		f.Minutes[i], f.Events[i] = uint32(i), MaxFloodEvents
		if i%2 == 0 {
			f.Minutes[i] = math.MaxUint32 - 1 - uint32(i)
		}
	}
	return f
}

// A state says each thing in one way: minutes without events, twice, or at or after the flood, are no state's.
func TestFloodThatNoSessionHasIsRefused(t *testing.T) {
	for name, f := range map[string]Flood{
		"a minute twice":                   {Minutes: [16]uint32{3, 3}, Events: [16]uint16{1, 1}},
		"a minute of the flood":            {Known: true, From: 3, Last: 3, Minutes: [16]uint32{3}, Events: [16]uint16{1}},
		"its last minute before its first": {Known: true, From: 3, Last: 2},
	} {
		s := Session{OpenedAt: 61_000, StartedAt: 61_000, EndedAt: 61_000, Events: 1, Flood: f}
		if got, err := DecodeSession(s.AppendBinary(nil, "", ""), "", ""); err == nil {
			t.Errorf("%s reads as %+v", name, got)
		}
	}
}

func TestSessionKeepsItsBuckets(t *testing.T) {
	for _, shift := range []int64{0, 30 * event.MinuteMs, -45 * event.MinuteMs, 1} {
		for _, days := range []int64{-1, 0, 1} {
			s := Session{OpenedAt: 1_778_594_400_000, StartedAt: 1_778_594_399_000, EndedAt: 1_778_594_400_000, Events: 1}
			s.Hour, s.Day = s.StartedAt-s.StartedAt%event.HourMs+shift, s.StartedAt-s.StartedAt%event.DayMs+days*event.DayMs
			got, err := DecodeSession(s.AppendBinary(nil, "", ""), "", "")
			if err != nil || got != s {
				t.Errorf("%+v came back as %+v, %v", s, got, err)
			}
		}
	}
}

// FuzzFlood decodes what may be no session's state. The flood of one is the same again after it is written.
func FuzzFlood(f *testing.F) {
	for _, flood := range []Flood{{}, fullFlood(), {Known: true, From: 5, Last: 9, Minutes: [16]uint32{4, 1}, Events: [16]uint16{300, 1}}} {
		s := Session{OpenedAt: 61_000, StartedAt: 61_000, EndedAt: 62_000, Events: 2, Booked: 7, Flood: flood}
		f.Add(s.AppendBinary(nil, "", ""))
	}
	f.Add([]byte{sessionVersion, flagMinutes, 0, 0, 0, 0, 2, 0, FloodMinutes + 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := DecodeSession(b, "/in", "/out")
		if err != nil {
			if s != (Session{}) {
				t.Errorf("%x is no state, and yields %+v", b, s)
			}
			return
		}
		if again, err := DecodeSession(s.AppendBinary(nil, "/in", "/out"), "/in", "/out"); err != nil || again.Flood != s.Flood {
			t.Errorf("%x: %+v reads back as %+v, %v", b, s, again, err)
		}
	})
}
