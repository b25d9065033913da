package verify_test

import (
	"testing"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/sinks"
)

// TestWhatASiteSwitchesIsCompared: flags of foreign events, and what is not kept of a site.
func TestWhatASiteSwitchesIsCompared(t *testing.T) {
	inWorld(t, 1, func(t *testing.T, w *world) {
		d := sites.Definition{ID: plainSite, Domains: []string{"Shop.example."}, ExcludedPaths: []string{"/admin/*"},
			ExcludedTypes: []string{"asset"}}
		if err := sites.Create(t.Context(), w.table, sinks.Keys{}, d, w.start); err != nil {
			t.Fatal(err)
		}
		off := sites.Changes{Recent: new(false), VisitorIndex: new(false)}
		if _, err := (sites.Decision{Table: w.table, Site: plainSite, Now: w.start}).Update(t.Context(), off); err != nil {
			t.Fatal(err)
		}
		w.produce(record{0, w.event(plainSite, "page_view", 0, "visitorId", "v1", "sessionId", "s1", "url", "https://www.shop.example:8443/a")},
			record{0, w.event(plainSite, "page_view", 0, "visitorId", "v1", "sessionId", "s1", "url", "https://copy.example/a")},
			record{0, w.event(plainSite, "page_view", 0, "visitorId", "v1", "sessionId", "s1", "url", "https://copy.example/admin/")},
			record{0, w.event(plainSite, "asset", 0, "visitorId", "v2", "sessionId", "s2", "url", "https://shop.example/a.css")})
		w.pipeline()
		want(t, "as it was written", w.verify(nil), 0)
		foreign, excluded := 0, 0
		for key, it := range w.snapshot() {
			switch it[sinks.AttrEntity].Str() {
			case sinks.EntityEvent:
				was := it[sinks.AttrForeign].Int()
				foreign += int(was)
				w.set(key, with(it, sinks.AttrForeign, []sinks.Value{sinks.Int(1), {}}[was]))
				onlyAt(t, "another flag", w.verify(nil), key, sinks.AttrForeign)
				was = it[sinks.AttrExcluded].Int()
				excluded += int(was)
				w.set(key, with(it, sinks.AttrExcluded, []sinks.Value{sinks.Int(1), {}}[was]))
				onlyAt(t, "another flag", w.verify(nil), key, sinks.AttrExcluded)
			case sinks.EntitySession:
				if it[sinks.AttrSessionID].Str() == "s2" {
					t.Error("a session of excluded events alone")
				}
			case sinks.EntityRecent, sinks.EntityVisitorSessions:
				t.Errorf("lists of sessions %v, which are off", it)
			case sinks.EntityStats:
				w.set(key, with(it, sinks.AttrForeignEvents, sinks.Int(2)))
				onlyAt(t, "another sum", w.verify(nil), key, sinks.AttrForeignEvents)
				w.set(key, with(it, sinks.AttrExcludedEvents, sinks.Int(3)))
				onlyAt(t, "another sum", w.verify(nil), key, sinks.AttrExcludedEvents)
			}
			w.set(key, it)
		}
		if foreign != 2 || excluded != 2 {
			t.Errorf("%d foreign events, %d excluded ones, want 2 and 2", foreign, excluded)
		}
	})
}
