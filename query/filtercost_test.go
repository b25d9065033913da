package query_test

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/footfall/footfall/internal/pack"
	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/testworld"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
)

// rawUnits sums up the read units of queries for raw events.
type rawUnits struct {
	sinks.Table

	mu    sync.Mutex // covers units
	units float64
}

func (r *rawUnits) Query(ctx context.Context, q sinks.Query) (sinks.Page, error) {
	page, err := r.Table.Query(ctx, q)
	if strings.HasPrefix(q.From, sinks.EventPrefix) || strings.HasPrefix(q.From, sinks.PackPrefix) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.units += page.Units
	}
	return page, err
}

// spent returns the units since the last call.
func (r *rawUnits) spent() float64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	units := r.units
	r.units = 0
	return units
}

// A crowd is raw events of a site over some days: how many, how they are written, and when they come.
type crowd struct {
	name         string
	events       int
	packed       func(day int) bool
	rate         func(hour float64) float64 // of the time of events within the days, in hours, 0 to 1
	days, shards int
}

// flush is how long the events are of that one flush packs.
const flush = 5 * time.Minute

// gather writes the events, with the stats of their hours, and returns the first day.
func (w *world) gather(c crowd) (first time.Time) {
	w.t.Helper()
	first = at(0).AddDate(0, 0, -c.days)
	w.site(shop, c.shards)
	dice := rand.New(rand.NewPCG(7, uint64(c.events)))
	hours, packs := make(map[time.Time]int64), make(map[time.Time]*pack.Builder)
	for n := 0; n < c.events; {
		since := time.Duration(dice.Float64() * float64(c.days) * float64(24*time.Hour))
		if dice.Float64() >= c.rate(since.Hours()) {
			continue
		}
		at := first.Add(since).Truncate(time.Millisecond)
		n++
		hours[at.Truncate(time.Hour)]++
		visitor := fmt.Sprintf("visitor-%05d", dice.IntN(3000))
		it := sinks.Item{"visitorId": sinks.Str(visitor), "sessionId": sinks.Str(visitor + at.Format("2006010215")),
			"url":      sinks.Str(fmt.Sprintf("https://shop.example/page/%d?at=%d", dice.IntN(200), dice.IntN(1000))),
			"referrer": sinks.Str(strings.Repeat("r", dice.IntN(120))), "country": sinks.Str([]string{"DE", "FR", "IN"}[dice.IntN(3)])}
		shard := sinks.ShardOf(it["sessionId"].Str(), c.shards)
		if !c.packed(int(since.Hours()) / 24) {
			w.raw(shop, shard, at, time.Time{}, n, it)
			continue
		}
		e := &pack.Event{RecordTime: at.UnixMilli() + 40, Offset: int64(n)}
		if err := e.ID.SetTime(ulid.Timestamp(at)); err != nil {
			w.t.Fatal(err)
		}
		for i := range 8 {
			e.ID[6+i] = byte(n >> (8 * i))
		}
		for i, name := range pack.Names {
			if it[name].Kind() != sinks.None {
				e.Texts[i] = []byte(it[name].Str())
			}
		}
		e.Texts[0] = []byte("page_view")
		in := at.Truncate(flush)
		if packs[in] == nil {
			packs[in] = new(pack.Builder)
		}
		packs[in].Add(shop, shard, -1, e)
	}
	step := int64(0)
	for _, in := range slices.SortedFunc(maps.Keys(packs), time.Time.Compare) {
		step++
		for it := range packs[in].Items(pack.Place{Topic: "events", TP: tp0, Step: step}) {
			if _, err := w.table.Put(w.t.Context(), sinks.Put{Item: it}); err != nil {
				w.t.Fatal(err)
			}
		}
		w.mark(shop, false, true)
	}
	for hour, events := range hours {
		w.hour(shop, hour, future, events, events, 0, nil)
	}
	return first
}

func evenly(float64) float64 { return 1 }

// byDay is busy in the afternoon, and quiet at night.
func byDay(hour float64) float64 {
	return 0.05 + 0.95*math.Pow(math.Sin(math.Pi*math.Mod(hour, 24)/24), 2)
}

// growing has ten times as much at the end as at the beginning of four days.
func growing(hour float64) float64 { return 0.1 + 0.9*hour/96 }

// What filters cost is said before within 20 % of what they then cost, as the table counts it; figures and any number of lists are read
// at once, for what one of them costs.
func TestFiltersSayTheirCostBefore(t *testing.T) {
	slow.Unraced(t)
	t.Parallel()
	packed, items := func(int) bool { return true }, func(int) bool { return false }
	switched := func(day int) bool { return day >= 2 }
	for _, c := range []crowd{
		{"packed", 20_000, packed, evenly, 1, 16},
		{"packed, by day", 10_000, packed, byDay, 2, 16},
		{"packed, growing", 10_000, packed, growing, 4, 64},
		{"items", 5_000, items, evenly, 2, 16},
		{"items, by day", 5_000, items, byDay, 4, 16},
		{"items, growing", 5_000, items, growing, 4, 64},
		{"items, later packed", 8_000, switched, evenly, 4, 16},
		{"few", 200, packed, byDay, 2, 16},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !slices.Contains([]string{"packed, by day", "items, later packed", "few"}, c.name) {
				slow.Test(t)
			}
			table := &rawUnits{Table: testworld.Table(t)}
			w := worldOn(t, table, sinks.Keys{})
			if slow.Fewer(t) {
				c.events /= 2
			}
			first := w.gather(c)
			for _, hours := range [][2]int{{0, 24 * c.days}, {6 * c.days, 18 * c.days}, {6, 9}} {
				p := query.FilteredListsParams{FilteredStatsParams: query.FilteredStatsParams{Site: shop,
					From: first.Add(time.Duration(hours[0]) * time.Hour), To: first.Add(time.Duration(hours[1]) * time.Hour),
					FilterParams: query.FilterParams{Where: must[[]query.Condition](t)(query.ParseConditions([]string{"country!=DE"})),
						Exact: true}}}
				for _, d := range []string{"page", "referrer", "channel", "country", "region", "city", "device", "browser", "os", "event", "type"} {
					p.Lists = append(p.Lists, query.TopList{Dimension: d})
				}
				table.spent()
				a := must[query.FilteredListsAnswer](t)(w.FilteredLists(t.Context(), p))
				cost, spent := a.Stats.Filter.Cost, table.spent()
				if cost.ReadUnits != spent || cost.EventsRead == 0 {
					t.Errorf("hours %v: it says %g read units of %d events, and the table %g", hours, cost.ReadUnits, cost.EventsRead, spent)
				}
				if off := cost.ReadUnitsEstimated/spent - 1; math.Abs(off) > 0.2 {
					t.Errorf("hours %v: %g read units were told before, and %g spent: %+.0f %%", hours, cost.ReadUnitsEstimated, spent, 100*off)
				}
				t.Logf("hours %v: %d of %d events, %g of %g read units", hours, cost.EventsEstimated, cost.EventsRead, cost.ReadUnitsEstimated, spent)
				must[query.FilteredStatsAnswer](t)(w.FilteredStats(t.Context(), p.FilteredStatsParams))
				if alone := table.spent(); alone != spent {
					t.Errorf("hours %v: %d lists cost %g read units with the figures, which cost %g alone", hours, len(p.Lists), spent, alone)
				}
			}
		})
	}
}
