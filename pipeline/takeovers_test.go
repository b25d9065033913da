package pipeline_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// TestCommitsNameTakeovers: the group's commits name the takeovers of the last day, and the flushes that they did again.
func TestCommitsNameTakeovers(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		g := &gate{Table: w.Table, match: func(k sinks.Key) bool { return strings.HasPrefix(k.SK, "STATS#") }, answer: throttled}
		o := w.With(g, 0)
		took := func(want ...string) {
			t.Helper()
			var got []string
			for _, one := range checkpoint.ReadTakeovers(w.committed()[0].Metadata) {
				got = append(got, fmt.Sprintf("%d%v", one.Epoch, one.Repeats))
				if one.Owner == "" || time.Since(one.At) > 25*time.Hour {
					t.Errorf("takeover %+v at %v", one, time.Now())
				}
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("takeovers %v in %q, want %v", got, w.committed()[0].Metadata, want)
			}
		}
		first := w.Start(o)
		w.Produce(events(0, 20)...)
		w.Settled()
		first.Drain()
		took("1[]")
		second := w.Start(o)
		w.Produce(events(0, 20)...)
		w.Settled()
		g.shut.Store(true)
		w.Produce(events(0, 20)...)
		w.Pass(30 * time.Second)
		second.Stop() // Its drain is cut short, and its flush stays open.
		<-second.Done
		g.shut.Store(false)
		third := w.Start(o)
		w.Settled()
		w.Pass(2 * time.Second)
		took("1[]", "2[]", "3[stats]")
		w.Pass(25 * time.Hour)
		w.Produce(events(0, 1)...)
		w.Settled()
		third.Drain()
		took()
	})
}
