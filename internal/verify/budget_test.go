package verify_test

import (
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/sinks"
)

// ration gives a site a budget of events a second.
func (w *world) ration(id string, budget int64) {
	w.t.Helper()
	decision := sites.Decision{Table: w.table, Site: id, Now: w.start}
	if _, err := decision.Update(w.t.Context(), sites.Changes{EventsPerSecond: &budget}); err != nil {
		w.t.Fatal(err)
	}
}

// throng publishes events of one minute, each of a session and a visitor of its own.
func (w *world) throng(id string, from, to int) {
	records := make([]record, 0, to-from)
	for i := from; i < to; i++ {
		who := fmt.Sprint("throng", i)
		records = append(records, record{0, w.event(id, "page_view", 10*time.Second, "visitorId", who, "sessionId", who, "url", "/")})
	}
	w.produce(records...)
}

// TestBudgetIsRecounted: a site has a budget of one event a second, and two steps have more events than that in a minute each. Events
// beyond the budget are in no session, and every attribute that depends on them is compared.
func TestBudgetIsRecounted(t *testing.T) {
	inWorld(t, 1, func(t *testing.T, w *world) {
		w.create("busy")
		w.ration("busy", 1)
		for i := range 2 {
			w.throng("busy", 80*i, 80*(i+1))
			w.pipeline()
		}
		want(t, "undamaged", w.verify(nil), 0)
		items, keys, tp := w.snapshot(), sinks.Keys{}, sinks.TP{Topic: 1}
		day, spent := items[keys.DayStats("busy", w.start.UnixMilli())], items[keys.Budget("busy", tp)]
		if over, sessions := day[sinks.AttrOverBudgetEvents].Int(), day[sinks.AttrSessions].Int(); over != 40 || sessions != 120 {
			t.Fatalf("%d events are over the budget and %d sessions within it, want 40 and 120", over, sessions)
		}
		for it, names := range map[*sinks.Item][]string{&day: {sinks.AttrOverBudgetEvents},
			&spent: {sinks.AttrMinute, sinks.AttrSpent, sinks.AttrPrevMinute, sinks.AttrPrevSpent, sinks.AttrEntity, sinks.AttrSchema}} {
			for _, name := range names {
				for how, bad := range wrong(t, name, (*it)[name]) {
					w.set(it.Key(), with(*it, name, bad))
					onlyAt(t, fmt.Sprintf("%s %s", name, how), w.verify(nil), it.Key(), name)
				}
			}
			w.set(it.Key(), *it)
		}
		w.set(spent.Key(), nil)
		onlyAt(t, "deleted", w.verify(nil), spent.Key(), "(item)")
		w.set(spent.Key(), spent)
		for _, key := range []sinks.Key{keys.Budget("busy", sinks.TP{Topic: 1, Partition: 7}), {PK: keys.Site("busy"), SK: sinks.BudgetPrefix +
			"all"}} {
			it := maps.Clone(spent)
			it[sinks.AttrSK] = sinks.Str(key.SK)
			w.set(key, it)
			onlyAt(t, "surplus", w.verify(nil), key, "(item)")
			w.set(key, nil)
		}
		want(t, "put back", w.verify(nil), 0)
	})
}

// TestBudgetIsOfTheStepsRules: a budget that is given later holds for what the steps after it count.
func TestBudgetIsOfTheStepsRules(t *testing.T) {
	inWorld(t, 1, func(t *testing.T, w *world) {
		w.create("busy")
		w.throng("busy", 0, 80)
		w.pipeline()
		for i, budget := range []int64{1, 0, 2} {
			w.ration("busy", budget)
			w.throng("busy", 80+150*i, 230+150*i)
			w.pipeline()
		}
		r := w.verify(nil)
		want(t, "budgets that change", r, 0)
		day := w.snapshot()[sinks.Keys{}.DayStats("busy", w.start.UnixMilli())]
		if over := day[sinks.AttrOverBudgetEvents].Int(); over != 90+30 {
			t.Errorf("%d events are over the budget, want 120", over)
		}
	})
}
