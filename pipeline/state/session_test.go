package state

import (
	"testing"

	"github.com/footfall/footfall/pipeline/event"
)

func TestSessionReadsBackAsItWasWritten(t *testing.T) {
	visit := PageVisit{"/a", 61_000, 4}
	for _, s := range []Session{
		{},
		{OpenedAt: 61_000, StartedAt: 60_000, EndedAt: 62_000, Events: 3, Booked: NotBooked},
		{OpenedAt: 61_000, StartedAt: 61_000, EndedAt: 61_000, Events: 1, PageViews: 1, Interactive: true, Entry: visit, Exit: visit,
			Minute: 1, InMinute: 1},
		{OpenedAt: 1 << 47, StartedAt: 1 << 46, EndedAt: 1 << 47, Events: 1 << 40, Minute: 1 << 31, InMinute: 1 << 30},
		{OpenedAt: 61_000, StartedAt: 61_000, EndedAt: 61_000, Events: 9, Booked: 7, Entry: visit, Exit: visit, Minute: 5, Flooded: true},
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
