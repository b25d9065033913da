package answers_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/seal"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
)

// TestDaysAreSealedByTheSitesClocks: the sealed days of a site with a zone hold the hours of its own days, and readers use them.
func TestDaysAreSealedByTheSitesClocks(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		w.Decide("s", &sites.Rules{Zones: []sites.Zone{{Name: "Asia/Kolkata"}}}) // 5:30 ahead of UTC
		o := w.Options()
		o.Settings.LateMs = -1
		evening := bubbleStart.Add(-6 * time.Hour) // 1999-12-31T18:00Z: 23:30 of the same date
		w.Folded(o, []record{clickAt("a", evening), clickAt("b", evening.Add(30*time.Minute)),
			clickAt("c", evening.Add(23*time.Hour+59*time.Minute))})
		log, err := sites.ReadLog(t.Context(), w.Table, sinks.Keys{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		// From 1999-12-31 to 2000-01-02, midnight in Kolkata.
		from, to := bubbleStart.Add(-29*time.Hour-30*time.Minute), bubbleStart.Add(18*time.Hour+30*time.Minute)
		sealedDaysAnswer(t, w, from, to, seal.Options{Table: w.Table, After: -72 * time.Hour, DaySpan: log.DaySpan},
			map[time.Time]int64{bubbleStart.AddDate(0, 0, -1): 1, bubbleStart: 2})
		w.Exact(o)
	})
}

// TestDayThatAZoneLengthenedIsSealedWhole: the 47 hours of the day on which a site goes from Auckland to Honolulu are one sealed day.
func TestDayThatAZoneLengthenedIsSealedWhole(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		change := bubbleStart.Add(10 * time.Hour) // midnight in Honolulu, 23:00 of the same date in Auckland
		w.Decide("s", &sites.Rules{Zones: []sites.Zone{{Name: "Pacific/Auckland"}, {From: change.UnixMilli(), Name: "Pacific/Honolulu"}}})
		o := w.Options()
		o.Settings.LateMs = -1
		from, to := bubbleStart.Add(-13*time.Hour), change.Add(24*time.Hour)
		w.Folded(o, []record{clickAt("a", from.Add(-time.Millisecond)), clickAt("b", from), clickAt("c", change.Add(-time.Minute)),
			clickAt("d", change), clickAt("e", to.Add(-time.Minute)), clickAt("f", to)})
		log, err := sites.ReadLog(t.Context(), w.Table, sinks.Keys{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		sealedDaysAnswer(t, w, from, to, seal.Options{Table: w.Table, After: -96 * time.Hour, DaySpan: log.DaySpan},
			map[time.Time]int64{bubbleStart.AddDate(0, 0, -1): 1, bubbleStart: 4, bubbleStart.AddDate(0, 0, 1): 1})
		w.Exact(o)
	})
}

// sealedDaysAnswer seals, and fails the test unless each day has its number of hours, with an event each, and sealed days answer as their
// hours did.
func sealedDaysAnswer(t *testing.T, w *world, from, to time.Time, o seal.Options, days map[time.Time]int64) {
	t.Helper()
	ask := func(table sinks.Table) string {
		a, err := query.New(table, time.Now).Uniques(t.Context(),
			query.UniquesParams{Site: "s", Consistent: true, From: from, To: to})
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("%+v", a)
	}
	before := ask(w.Table)
	if err := seal.New(o).Pass(t.Context()); err != nil {
		t.Fatal(err)
	}
	for day, hours := range days {
		it := w.Item(sinks.Keys{}.DayUniques("s", day.UnixMilli()))
		if it[sinks.AttrHours].Int() != hours || it[sinks.AttrEvents].Int() != hours {
			t.Errorf("%s is sealed as %v, want %d hours of an event each", day.Format(time.DateOnly), it, hours)
		}
	}
	hidden := &hourless{Table: w.Table}
	if after := ask(hidden); after != before || hidden.asked > 0 {
		t.Errorf("sealed days answer %s and ask for hours %d times; hours answered %s", after, hidden.asked, before)
	}
}

// hourless counts the queries for hours of visitors.
type hourless struct {
	sinks.Table
	asked int
}

func (h *hourless) Query(ctx context.Context, q sinks.Query) (sinks.Page, error) {
	if strings.HasPrefix(q.From, sinks.UniquesPrefix) {
		h.asked++
	}
	return h.Table.Query(ctx, q)
}
