package checkpoint

import (
	"math"
	"testing"
	"time"

	"github.com/footfall/footfall/pipeline/event"
)

func TestJudge(t *testing.T) {
	const record = int64(1_778_594_587_250)
	late, early := (48 * 3_600_000), (10 * 60_000)
	off, dated := DefaultSettings(), DefaultSettings()
	off.LateMs = -1
	dated.NotAfter = record
	cases := []struct {
		name     string
		settings Settings
		event    int64
		want     event.Reason
	}{
		{"at the record's time", DefaultSettings(), record, event.Accepted},
		{"as late as can be", DefaultSettings(), record - int64(late), event.Accepted},
		{"a millisecond too late", DefaultSettings(), record - int64(late) - 1, event.TooLate},
		{"as early as can be", DefaultSettings(), record + int64(early), event.Accepted},
		{"a millisecond too early", DefaultSettings(), record + int64(early) + 1, event.TooEarly},
		{"never too late", off, event.EarliestEvent, event.Accepted},
		{"never too late, but seconds for milliseconds", off, record / 1000, event.TooLate},
		{"the end of 1970", off, event.EarliestEvent - 1, event.TooLate},
		{"never too late, yet too early", off, record + int64(early) + 1, event.TooEarly},
		{"as far ahead as is believed", dated, record, event.Accepted},
	}
	for _, c := range cases {
		if got := c.settings.Judge(&event.Event{Timestamp: c.event}, record); got != c.want {
			t.Errorf("%s: Judge = %q, want %q", c.name, got, c.want)
		}
	}
	for name, at := range map[string]int64{"a millisecond beyond": record + 1, "2250": time.Date(2250, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli(),
		"the last that Kafka takes": math.MaxInt64} {
		if got := dated.Judge(&event.Event{Timestamp: record}, at); got != event.BadRecordTime {
			t.Errorf("a record dated %s: Judge = %q, want %q", name, got, event.BadRecordTime)
		}
	}
	seconds := record / 1000
	if got := off.Judge(&event.Event{Timestamp: seconds}, seconds); got != event.TooLate {
		t.Errorf("record and event dated in seconds: Judge = %q, want %q", got, event.TooLate)
	}
}
