package serve

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/footfall/footfall/internal/testworld"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// Yesterday's figures of 5,000 sites take at most 20,000 read units: 4 a site, of 1,000 events and 360 visitors, with all its hours.
func TestYesterdayOfManySitesIsCheap(t *testing.T) {
	const sites, most = 100, 4
	table, tp := testworld.Table(t), sinks.TP{Topic: 1}
	yesterday := now.Truncate(24*time.Hour).AddDate(0, 0, -1)
	put := func(key sinks.Key, it sinks.Item) {
		it[sinks.AttrPK], it[sinks.AttrSK] = sinks.Str(key.PK), sinks.Str(key.SK)
		it[sinks.AttrMark("stats", tp)], it[sinks.AttrEntity] = sinks.Int(1234567), sinks.Str(sinks.EntityStats)
		it[sinks.AttrTTL] = sinks.Int(now.AddDate(0, 3, 0).Unix())
		for _, name := range []string{sinks.AttrPageViews, sinks.AttrSessions, sinks.AttrBounces, sinks.AttrEngaged} {
			it[name] = sinks.Int(14)
		}
		it[sinks.AttrDurationMs] = sinks.Int(1234567)
		if _, err := table.Put(t.Context(), sinks.Put{Item: it}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range sites {
		site := fmt.Sprintf("site-%04d.example", i)
		if _, err := sinks.EnsureSiteEntry(t.Context(), table, sinks.Keys{}, site); err != nil {
			t.Fatal(err)
		}
		for h := range 24 {
			visitors := sketch.NewHour()
			for v := range 15 {
				visitors.Add(xxhash.Sum64String(fmt.Sprint(i, h, v)))
			}
			part, err := visitors.AppendBinary(nil)
			if err != nil {
				t.Fatal(err)
			}
			put(sinks.Keys{}.HourStats(site, yesterday.Add(time.Duration(h)*time.Hour).UnixMilli()),
				sinks.Item{sinks.AttrEvents: sinks.Int(42), sinks.AttrUniques(tp): sinks.Bytes(part)})
		}
		put(sinks.Keys{}.DayStats(site, yesterday.UnixMilli()), sinks.Item{sinks.AttrEvents: sinks.Int(24 * 42)})
	}
	r, text := ask(t, handler(t, table), base+"/stats?sites=*&by=day&period=yesterday&format=ndjson")
	wants(t, "yesterday", r, text, http.StatusOK, `"uniqueVisitors":360`)
	units, err := strconv.ParseFloat(r.Header().Get("Footfall-Read-Units"), 64)
	if rows := strings.Count(text, "\n"); rows != sites || err != nil || units > most*sites {
		t.Errorf("%d rows for %g read units (%v), want %d for %d at most", rows, units, err, sites, most*sites)
	}
	t.Logf("%g read units for %d sites: %g for 5,000", units, sites, units*5000/sites)
}
