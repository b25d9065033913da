package checkpoint

import (
	"strings"
	"testing"
	"time"
)

func TestTakeoversFitInACommit(t *testing.T) {
	now := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	var list Takeovers
	for epoch := range int64(100) {
		list = list.With(Takeover{At: now, Epoch: epoch, Owner: strings.Repeat("host", 20), Repeats: []string{LaneStats}})
	}
	list = list.With(list[50:]...) // None is there twice.
	text := list.Metadata("stats=1", now)
	got := ReadTakeovers(text)
	if len(got) < 10 || got[len(got)-1].Epoch != 99 || got[0].Epoch != int64(100-len(got)) || len(text) > 4096 ||
		!strings.HasPrefix(text, "stats=1 ") {
		t.Errorf("%d takeovers in %d bytes, from %v", len(got), len(text), got)
	}
	if text := list.Metadata("stats=1", now.Add(25*time.Hour)); text != "stats=1" {
		t.Errorf("a day later: %q", text)
	}
	mixed := Takeovers{{Epoch: -1 << 63, At: now}, {Epoch: 1, At: now.Add(-25 * time.Hour)}}.With(Takeover{Epoch: 2, At: now})
	if got := mixed.Recent(now); len(mixed) != 3 || len(got) != 2 || got[0].Epoch != -1<<63 || got[1].Epoch != 2 {
		t.Errorf("recent of %v: %v", mixed, got)
	}
	for _, other := range []string{"", "stats=1 realtime=2", "a takeovers=b"} {
		if got := ReadTakeovers(other); got != nil {
			t.Errorf("%q has takeovers %v", other, got)
		}
	}
}
