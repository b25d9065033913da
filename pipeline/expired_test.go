package pipeline_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/footfall/footfall/sinks"
)

// A session continues after its item has expired, while its owner still has it in memory. The item is whole again, whether or not the
// store has deleted it since.
func TestSessionThatContinuesAfterItExpiredIsWhole(t *testing.T) {
	t.Parallel()
	for _, deleted := range []bool{false, true} {
		t.Run(fmt.Sprint("deleted ", deleted), func(t *testing.T) {
			inWorld(t, 1, func(t *testing.T, w *world) {
				o := w.Options()
				o.Settings.Retention.SessionDays = 1
				if !deleted { // Hide that this table can be swept.
					o.Table = struct{ sinks.Table }{w.Table}
				}
				run := w.Start(o)
				visit := func(n int) {
					now := time.Now().Add(5*time.Minute - 24*time.Hour)
					w.Produce(record{Key: "k", At: now, Value: mustJSON(map[string]any{
						"siteId": "s", "type": "page_view", "timestamp": now.UnixMilli(), "visitorId": "v", "userId": "u", "sessionId": "long",
						"id": fmt.Sprint(n), "url": fmt.Sprint("/", n), "browser": "Firefox"})})
					w.Settled()
				}
				visit(1)
				w.Pass(10 * time.Minute)
				key := sinks.Keys{}.Session("s", "long", sinks.TP{Topic: 1}, sinks.DefaultShards)
				if it := w.Item(key); (it == nil) != deleted {
					t.Fatalf("item %v: %v", key, it)
				}
				visit(2)
				visit(3)
				run.Drain()
				r := w.Agrees(o)
				if it := shownOf(w.Item(key)); it[sinks.AttrEvents].Int() != 3 {
					t.Errorf("the session's item: %v", it)
				}
				if r.Compared["session"] != 1 {
					t.Errorf("compared %v, left out %v at %v", r.Compared, r.LeftOut, time.Now())
				}
			})
		})
	}
}
