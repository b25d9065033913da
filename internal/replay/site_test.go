package replay_test

import (
	"fmt"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/replay"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/sinks"
)

// visit publishes an event of each site to partition 0.
func (w *world) visit(sites ...string) {
	w.t.Helper()
	for _, id := range sites {
		r := &kgo.Record{Topic: topic, Key: []byte(id), Timestamp: start, Value: fmt.Appendf(nil,
			`{"siteId":%q,"type":"page_view","timestamp":%d,"visitorId":"v"}`, id, start.UnixMilli())}
		if err := w.client.ProduceSync(w.t.Context(), r).FirstErr(); err != nil {
			w.t.Fatal(err)
		}
	}
}

// TestRecordsOfASiteThatIsCreatedLaterAreReplayed: what was rejected since nobody had created its site, or since it was deleted,
// counts once it is there again.
func TestRecordsOfASiteThatIsCreatedLaterAreReplayed(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		must(w.admin.DeleteTopics(t.Context(), failed))(t)
		unknown := func(o *replay.Options) { o.Reasons = []event.Reason{event.UnknownSite} }
		s := checkpoint.DefaultSettings()
		s.Sites = checkpoint.SitesRegistered
		w.visit("a", "b", "a")
		w.leave(s) // Its entries stay, and so do those of the step.
		w.fold(s)
		if have := w.totals(); have.Counted != 0 || have.Rejected[event.UnknownSite] != 3 {
			t.Fatalf("totals %+v, want 3 rejected", have)
		}
		if err := sites.Create(t.Context(), w.table, sinks.Keys{}, sites.Definition{ID: "a"}, start); err != nil {
			t.Fatal(err)
		}
		if sum := w.replay(unknown); sum.Published != 3 {
			t.Errorf("summary %+v, want 3 published", sum)
		}
		w.fold(s)
		if have := w.totals(); have.Counted != 2 || have.Rejected[event.UnknownSite] != 4 {
			t.Errorf("totals %+v, want 2 counted, and b rejected again", have)
		}
		if err := (sites.Decision{Table: w.table, Site: "a", Now: start}).Delete(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.Sites = checkpoint.SitesAny
		w.visit("a", "c")
		w.fold(s)
		if have := w.totals(); have.Counted != 3 || have.Rejected[event.UnknownSite] != 5 {
			t.Errorf("totals %+v, want that of the deleted site rejected", have)
		}
		if err := sites.Create(t.Context(), w.table, sinks.Keys{}, sites.Definition{ID: "a"}, start); err != nil {
			t.Fatal(err)
		}
		if sum := w.replay(unknown); sum.Published != 1 {
			t.Errorf("summary %+v, want one published", sum)
		}
		w.fold(s)
		if have := w.totals(); have.Counted != 4 {
			t.Errorf("totals %+v, want 4 counted", have)
		}
		w.verified()
	})
}

// TestRecordsOfSitesThatAnotherStepAdmittedAreNotReplayed: a process finds one new site too many and is killed before it has
// begun the step; another admits the site. What a step itself rejected is published.
func TestRecordsOfSitesThatAnotherStepAdmittedAreNotReplayed(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		must(w.admin.DeleteTopics(t.Context(), failed))(t)
		bounded := func(n int64) checkpoint.Settings {
			s := checkpoint.DefaultSettings()
			s.NewSites = n
			return s
		}
		w.visit("a", "b", "a", "b")
		w.leave(bounded(1))
		w.fold(bounded(2))
		if sum := w.replay(nil); sum.Published != 0 || sum.Skipped[replay.Counted][event.TooManySites] != 2 {
			t.Errorf("summary %+v, want 2 counted after all", sum)
		}
		w.visit("c", "a")
		w.fold(bounded(2)) // It is one too many in this hour, and none in the next.
		w.visit("c")
		w.fold(bounded(3))
		if have := w.totals(); have.Counted != 6 || have.Rejected[event.TooManySites] != 1 {
			t.Errorf("totals %+v, want 6 counted and one rejected", have)
		}
		for i, published := range []int64{1, 0} {
			if sum := w.replay(nil); sum.Published != published {
				t.Errorf("run %d: summary %+v, want %d published", i, sum, published)
			}
		}
		w.fold(bounded(3))
		if have := w.totals(); have.Counted != 7 || have.Rejected[event.TooManySites] != 1 {
			t.Errorf("totals %+v, want 7 counted", have)
		}
		w.verified()
	})
}
