package verify_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/internal/verify/scope"
)

// TestWhatTwoPartitionsSeeIsCounted: of sessions and new visitors whose events lie in several partitions, each is counted once.
func TestWhatTwoPartitionsSeeIsCounted(t *testing.T) {
	inWorld(t, 3, func(t *testing.T, w *world) {
		w.create(plainSite)
		w.countNew(plainSite)
		for p, sessions := range [][]string{{"a", "b", "c"}, {"b", "c", "d"}, {"c", "e"}} {
			for i, session := range sessions {
				e := w.event(plainSite, "page_view", 0, "sessionId", session, "visitorId", "of "+session, "id", fmt.Sprint(p, "-", i))
				w.produce(record{int32(p), e})
			}
		}
		w.produce(record{1, w.event("other", "page_view", 0, "sessionId", "a", "visitorId", "v", "id", "o")})
		w.pipeline()
		r := w.verify(nil)
		if want := []finding.Divided{{Site: plainSite, Sessions: 2, Visitors: 2}}; r.ExitCode() != 0 || !slices.Equal(r.Divided, want) {
			t.Errorf("exit code %d, divided %+v, want %+v", r.ExitCode(), r.Divided, want)
		}
		if r := w.verify(func(o *scope.Options) { o.Site = "other" }); len(r.Divided) > 0 {
			t.Errorf("of another site: %+v", r.Divided)
		}
	})
}
