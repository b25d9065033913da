package state

import (
	"math"
	"testing"

	"github.com/footfall/footfall/pipeline/event"
)

func TestSessionReadsBackAsItWasWritten(t *testing.T) {
	visit := PageVisit{"/a", 61_000, 4}
	base := Session{OpenedAt: 61_500, Booked: 3, Entry: visit, First: &Values{2: "shop.example", 3: "Referral", 15: "signup"}}
	for _, s := range []Session{
		{},
		{OpenedAt: 61_000, StartedAt: 60_000, EndedAt: 62_000, Events: 3, Booked: NotBooked},
		{OpenedAt: 61_000, StartedAt: 61_000, EndedAt: 61_000, Events: 1, PageViews: 1, Interactive: true, Entry: visit, Exit: visit,
			Flood: Flood{Minutes: [16]uint32{1}, Events: [16]uint16{1}}, First: base.First},
		{OpenedAt: 61_000, StartedAt: 60_000, EndedAt: 62_000, Events: 3, Entry: visit, Exit: visit,
			First: &Values{2: "other.example", 3: "Referral", 6: "spring", 15: ""}},
		{OpenedAt: 61_000, StartedAt: 60_000, EndedAt: 62_000, Events: 3, First: &Values{3: "Direct"}},
		{OpenedAt: 1 << 47, StartedAt: 1 << 46, EndedAt: 1 << 47, Events: 1 << 40, Flood: fullFlood()},
		{OpenedAt: 61_000, StartedAt: 61_000, EndedAt: 61_000, Events: 9, Booked: 7, Entry: visit, Exit: visit,
			Flood: Flood{Known: true, From: 5, Last: 7}},
		{OpenedAt: 61_000, StartedAt: 61_000, EndedAt: 61_000, Events: 9, Booked: 7,
			Flood: Flood{Known: true, From: 5, Last: 5, Minutes: [16]uint32{0, 4}, Events: [16]uint16{3, 300}}},
		{OpenedAt: 61_000, StartedAt: 61_000, EndedAt: 61_000, Events: 2, Booked: 7, Entry: visit, Exit: visit, Reached: goals(MaxGoalNumber, 1,
			300), Worth: -1_500_000},
		{OpenedAt: 61_000, StartedAt: 61_000, EndedAt: 62_000, Events: 2, PageViews: 2, Entry: visit, Exit: PageVisit{"/c", 62_000, 9}},
		{OpenedAt: 61_000, StartedAt: 60_000, EndedAt: 62_000, Events: 3, Entry: visit, Exit: visit, Open: OpenPage{PageVisit: visit}},
		{OpenedAt: 61_000, StartedAt: 60_000, EndedAt: 62_000, Events: 3, Entry: visit, Exit: visit, First: base.First,
			Open: OpenPage{PageVisit{"/b", 62_000, 5}, 30 * event.MinuteMs, 1_800_000, ToNext, 101}},
		{OpenedAt: 61_000, StartedAt: 61_000, EndedAt: 61_000, Events: 2, PageViews: 1, Booked: NotBooked, Erased: true, Reached: goals(2)},
	} {
		for _, base := range []*Session{{}, &base} {
			b := s.AppendBinary(nil, base)
			got, err := DecodeSession(b, base)
			if err != nil || !got.Equal(s) || len(b) > MaxStateBytes {
				t.Errorf("%+v reads back from %x as %+v, %v", s, b, got, err)
			}
			for n := range b {
				if n == 1 {
					continue // The version alone: a session that was not seen.
				}
				if got, err := DecodeSession(b[:n], base); err == nil {
					t.Errorf("%d of the %d bytes of %+v read as %+v", n, len(b), s, got)
				}
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
		if got, err := DecodeSession(s.AppendBinary(nil, &Session{}), &Session{}); err == nil {
			t.Errorf("%s reads as %+v", name, got)
		}
	}
}

func TestSessionKeepsItsBuckets(t *testing.T) {
	for _, shift := range []int64{0, 30 * event.MinuteMs, -45 * event.MinuteMs, 1} {
		for _, days := range []int64{-1, 0, 1} {
			s := Session{OpenedAt: 1_778_594_400_000, StartedAt: 1_778_594_399_000, EndedAt: 1_778_594_400_000, Events: 1}
			s.Hour, s.Day = s.StartedAt-s.StartedAt%event.HourMs+shift, s.StartedAt-s.StartedAt%event.DayMs+days*event.DayMs
			got, err := DecodeSession(s.AppendBinary(nil, &Session{}), &Session{})
			if err != nil || !got.Equal(s) {
				t.Errorf("%+v came back as %+v, %v", s, got, err)
			}
		}
	}
}

// FuzzFlood decodes what may be no session's state. The flood of one is the same again after it is written.
func FuzzFlood(f *testing.F) {
	for _, flood := range []Flood{{}, fullFlood(), {Known: true, From: 5, Last: 9, Minutes: [16]uint32{4, 1}, Events: [16]uint16{300, 1}}} {
		s := Session{OpenedAt: 61_000, StartedAt: 61_000, EndedAt: 62_000, Events: 2, Booked: 7, Flood: flood}
		f.Add(s.AppendBinary(nil, &Session{}))
	}
	f.Add([]byte{sessionVersion, flagMinutes, 0, 0, 0, 0, 2, 0, FloodMinutes + 1})
	base := &Session{Entry: PageVisit{Page: "/in"}, First: &Values{3: "Direct"}}
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := DecodeSession(b, base)
		if err != nil {
			if !s.Equal(Session{}) {
				t.Errorf("%x is no state, and yields %+v", b, s)
			}
			return
		}
		if again, err := DecodeSession(s.AppendBinary(nil, base), base); err != nil || !again.Equal(s) {
			t.Errorf("%x: %+v reads back as %+v, %v", b, s, again, err)
		}
	})
}

// TestOpenPageTakesOneByte: where the last page view in the log is the latest, too, as in most sessions.
func TestOpenPageTakesOneByte(t *testing.T) {
	visit := PageVisit{"/a", 7_261_000, 4}
	s := Session{OpenedAt: 61_000, Events: 3, Entry: visit, Exit: visit}
	without := len(s.AppendBinary(nil, &Session{}))
	s.Open.PageVisit = visit
	if n := len(s.AppendBinary(nil, &Session{})) - without; n != 1 {
		t.Errorf("an open page takes %d bytes", n)
	}
	b := s.AppendBinary(nil, &Session{})
	for _, bad := range [][]byte{{openElsewhere, 0, 8, 0}, {openShift, 0}, {openScroll, 0}, {32}, {openShift, 0x80, 0x80, 0x80, 0x80, 0x10}} {
		if got, err := DecodeSession(append(b[:len(b)-1:len(b)-1], bad...), &Session{}); err == nil {
			t.Errorf("%x reads as %+v", bad, got.Open)
		}
	}
}

// TestStateBeforeIsADifference: what a state shares with the one after it, its values among that, takes no bytes.
func TestStateBeforeIsADifference(t *testing.T) {
	cur := Session{OpenedAt: 1_778_594_400_000, StartedAt: 1_778_594_400_000, EndedAt: 1_778_594_460_000, PageViews: 2, Events: 2,
		Booked: 123_456_789, Entry: PageVisit{"/a", 1_778_594_400_000, 123_456_789}, Exit: PageVisit{"/b", 1_778_594_460_000, 123_456_799},
		Hour: 1_778_594_400_000, Day: 1_778_544_000_000, First: &Values{2: "shop.example", 3: "Referral", 9: "NL"}}
	prev := cur
	prev.EndedAt, prev.PageViews, prev.Events, prev.Exit = prev.StartedAt, 1, 1, prev.Entry
	same := prev.AppendBinary(nil, &cur)
	if len(same) != 14 { // Version, flags, six numbers, and two visits of three bytes each.
		t.Errorf("the state before takes %d bytes: %x", len(same), same)
	}
	prev.First = &Values{2: "shop.example", 3: "Direct"}
	other := prev.AppendBinary(nil, &cur)
	if more := len(other) - len(same); more != 2+1+1 { // Which differ; a word; one that is not there.
		t.Errorf("two other values take %d bytes", more)
	}
	for _, bad := range [][]byte{{0}, {1 << 1, 2, 'x'}, {0x80, 0x80, 4, 2, 'x'}, {1 << 2, 4, 'x'}, {1 << 2, 127}} {
		b := append(same[:len(same):len(same)], bad...) // None, a page, a 17th, cut, a word that is none.
		b[1] |= flagValues
		if got, err := DecodeSession(b, &cur); err == nil {
			t.Errorf("%x after a state reads as %+v", bad, got.First)
		}
		b[1] &^= flagValues
	}
	if got, err := DecodeSession(same, &Session{}); err == nil {
		t.Errorf("without the state after it, it reads as %+v", got)
	}
	if prev.Erase(); prev.First != nil {
		t.Error("an erased session keeps what its earliest event says")
	}
}

// TestValuesOfMostSessionsAreWords: each is written as a number of one byte.
func TestValuesOfMostSessionsAreWords(t *testing.T) {
	if len(words) > 64 {
		t.Errorf("%d words do not fit one byte", len(words))
	}
	for n, word := range words {
		s := Session{Events: 1, First: &Values{12: word}}
		b := s.AppendBinary(nil, &Session{})
		got, err := DecodeSession(b, &Session{})
		if err != nil || !got.Equal(s) || b[len(b)-1] != byte(n)<<1|1 {
			t.Errorf("%q reads back from %x as %+v, %v", word, b, got, err)
		}
	}
}
