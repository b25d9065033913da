package serve

import (
	"html"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/testworld"
	"github.com/footfall/footfall/sinks"
)

// Goals of a range of days that is not over are compared with as much of the earlier range as its totals are.
func TestGoalsAreComparedAsTotalsAre(t *testing.T) {
	table := testworld.Table(t)
	keys := sinks.Keys{}
	if _, err := sinks.EnsureSiteEntry(t.Context(), table, keys, "shop"); err != nil {
		t.Fatal(err)
	}
	put := func(key sinks.Key, it sinks.Item) {
		it[sinks.AttrPK], it[sinks.AttrSK] = sinks.Str(key.PK), sinks.Str(key.SK)
		if _, err := table.Put(t.Context(), sinks.Put{Item: it}); err != nil {
			t.Fatal(err)
		}
	}
	for _, id := range []string{"bought", "asked"} {
		g := sites.Goal{ID: id, N: map[string]uint64{"bought": 1, "asked": 2}[id], DurationMs: 1}
		put(keys.Goal("shop", id), sinks.Item{sinks.AttrSiteID: sinks.Str("shop"), sinks.AttrGoal: sinks.Str(id),
			sinks.AttrGoalNumber: sinks.Int(int64(g.N)), sinks.AttrName: sinks.Str(id), sinks.AttrRev: sinks.Int(1),
			sinks.AttrDefinition: sinks.Str(g.String())})
	}
	counted := func(n, asked int64) sinks.Item {
		return sinks.Item{sinks.AttrEvents: sinks.Int(20), sinks.AttrSessions: sinks.Int(20), sinks.AttrConversions: sinks.Int(n + asked),
			"g1": sinks.Int(n), "g2": sinks.Int(asked)}
	}
	today := now.Truncate(24 * time.Hour)
	for _, c := range []struct {
		day   int
		hours map[int]int64 // conversions by hour
		asked int64
	}{{-30, map[int]int64{0: 1}, 0}, {-7, map[int]int64{10: 4, 20: 6}, 0}, {0, map[int]int64{10: 5}, 1}} {
		sum, day := int64(0), today.AddDate(0, 0, c.day)
		for hour, n := range c.hours {
			put(keys.HourStats("shop", day.Add(time.Duration(hour)*time.Hour).UnixMilli()), counted(n, c.asked))
			sum += n
		}
		put(keys.DayStats("shop", day.UnixMilli()), counted(sum, c.asked))
	}
	r, text := ask(t, handler(t, table), "/sites/shop?from=-6d", "Accept", "text/html")
	text = html.UnescapeString(text)
	_, goals, _ := strings.Cut(text, `id="goals"`)
	goals, _, _ = strings.Cut(goals, "</section>")
	if r.Code != http.StatusOK || !strings.Contains(text, "<small>from 4</small>") || !strings.Contains(goals, `"better">+25 %<`) ||
		!strings.Contains(goals, `"better">new<`) {
		t.Errorf("conversions of 4 until the same hour, then 5: %d: %s; want +25 %%, and the other goal new", r.Code, goals)
	}
}
