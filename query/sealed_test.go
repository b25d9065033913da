package query_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/footfall/footfall/internal/seal"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// unsealed is a table without its sealed items. It adds up what reads consume.
type unsealed struct {
	sinks.Table
	hide  bool
	units float64
}

func isSealed(k sinks.Key) bool {
	return strings.HasPrefix(k.SK, "day#") || strings.HasPrefix(k.SK, "month#") || strings.HasPrefix(k.SK, sinks.MonthStatsPrefix)
}

func (u *unsealed) Query(ctx context.Context, q sinks.Query) (sinks.Page, error) {
	page, err := u.Table.Query(ctx, q)
	u.units += page.Units
	if u.hide {
		page.Items = slices.DeleteFunc(page.Items, func(it sinks.Item) bool { return isSealed(it.Key()) })
	}
	return page, err
}

func (u *unsealed) BatchGet(ctx context.Context, g sinks.BatchGet) (sinks.BatchResult, error) {
	r, err := u.Table.BatchGet(ctx, g)
	u.units += r.Units
	if u.hide {
		maps.DeleteFunc(r.Items, func(k sinks.Key, _ sinks.Item) bool { return isSealed(k) })
	}
	return r, err
}

// date is a day of 2026.
func date(month time.Month, day int) time.Time {
	return time.Date(2026, month, day, 0, 0, 0, 0, time.UTC)
}

// sealable is a site of some weeks before now: not every day has anything; some days have two hours, seen by two partitions.
// Hours are kept for so many days.
type sealable struct {
	*world
	kept  int
	steps map[time.Time]int64 // of days
	hours map[time.Time]map[int]int64
	want  map[string]string // what hours and days answer; nil: they have changed
}

func (s *sealable) fill(from, to time.Time) {
	s.site(shop, 16)
	s.steps, s.hours = make(map[time.Time]int64), make(map[time.Time]map[int]int64)
	for day := from; day.Before(to); day = day.AddDate(0, 0, 1) {
		if day.Day()%9 != 4 {
			s.add(day, 5)
		}
		if day.Day()%3 == 0 {
			s.add(day, 20)
		}
	}
}

// add has something happen in an hour of a day, anew each time: another step of both partitions.
func (s *sealable) add(day time.Time, hour int) {
	s.want = nil
	s.steps[day]++
	step, n := s.steps[day], day.YearDay()
	start := day.Add(time.Duration(hour) * time.Hour)
	ttl := start.Add(time.Hour).AddDate(0, 0, s.kept)
	s.hour(shop, start, ttl, 20*step, 50*step, 6*step, map[sinks.TP]sinks.Value{tp0: small(n, n+5), tp1: small(hour, hour+16)})
	s.part(shop, start, ttl, tp1, small(hour, hour+20+3*n+int(step)))
	for i, tp := range []sinks.TP{tp0, tp1} {
		s.breakdown(shop, start, ttl, tp, 3, func(b *sketch.Breakdown) {
			for e := range 20 * int(step) {
				hit := sketch.Hit{Visitor: uint64(n*e) << 40, PageView: true}
				b.Event(sketch.Channel, "Direct", int64(e), hit)
				if e%5 > 0 {
					b.Event(sketch.Page, fmt.Sprintf("/%d", (n+i+e*e)%7), int64(e), hit)
				}
			}
		})
	}
	if s.hours[day] == nil {
		s.hours[day] = make(map[int]int64)
	}
	s.hours[day][hour] = step
	all := int64(0)
	for _, n := range s.hours[day] {
		all += n
	}
	it := figures(20*all, 50*all, 6*all)
	it[sinks.AttrMark("stats", tp0)], it[sinks.AttrMark("stats", tp1)] = sinks.Int(step), sinks.Int(step+7)
	s.put(s.keys.DayStats(shop, day.UnixMilli()), day.AddDate(0, 0, 731), it)
}

// seal makes a pass at an instant, and another for the sites that it gave up: a request may fail on its way.
func (s *sealable) seal(at time.Time) {
	s.t.Helper()
	m := seal.NewMetrics(prometheus.NewRegistry())
	sealer := seal.New(seal.Options{Table: s.table, Keys: s.keys, After: 2 * time.Hour, Now: func() time.Time { return at }, Metrics: m})
	for failed := -1.0; failed != 0; {
		before := counted(s.t, m.Failed)
		if err := sealer.Pass(s.t.Context()); err != nil {
			s.t.Fatal(err)
		}
		if failed = counted(s.t, m.Failed) - before; counted(s.t, m.Failed) > 5 {
			s.t.Fatal("the site cannot be sealed")
		}
	}
}

func counted(t testing.TB, c prometheus.Counter) float64 {
	t.Helper()
	var m dto.Metric
	if err := c.Write(&m); err != nil {
		t.Fatal(err)
	}
	return m.GetCounter().GetValue()
}

// count returns how many sealed items there are.
func (s *sealable) count() (n int) {
	s.t.Helper()
	for _, pk := range []string{s.keys.Site(shop), s.keys.UniquesList(shop), s.keys.BreakdownList(shop)} {
		for it, err := range sinks.Items(s.t.Context(), s.table, sinks.Query{PK: pk, Consistent: true}) {
			if err != nil {
				s.t.Fatal(err)
			}
			if isSealed(it.Key()) {
				n++
			}
		}
	}
	return n
}

// asked is a question of stats.
type asked struct {
	by   query.By
	zone string
	desc bool
}

// sealedRanges are those that questions are asked of: a whole month, a part of one, and more than there is.
var sealedRanges = []struct {
	from, to time.Time
	stats    []asked
}{
	{date(4, 1), date(5, 1), []asked{{query.Day, "UTC", false}, {query.Month, "UTC", false}}},
	{date(4, 3).Add(7 * time.Hour), date(4, 9).Add(11 * time.Hour), []asked{{query.Day, "UTC", true}}},
	{date(1, 1), date(5, 20), []asked{{query.Week, "UTC", false}, {query.Month, "UTC", true}, {query.Year, "UTC", false},
		{query.Month, "Europe/Berlin", false}}},
}

// answers asks a reader what sealed items may answer.
func answers(t *testing.T, r *query.Reader, consistent bool) map[string]string {
	t.Helper()
	all := make(map[string]string)
	for _, span := range sealedRanges {
		name := span.from.Format("01-02T15") + " to " + span.to.Format("01-02T15")
		u := must[query.UniquesAnswer](t)(r.Uniques(t.Context(), query.UniquesParams{Site: shop, From: span.from, To: span.to,
			Consistent: consistent}))
		u.ExpiredOmitted = 0 // It is of what was read.
		all["uniques "+name] = compact(t, u)
		top := must[query.TopAnswer](t)(r.Top(t.Context(), query.TopParams{Site: shop, Dimension: "page", From: span.from, To: span.to,
			Consistent: consistent}))
		top.ExpiredOmitted = 0
		all["top "+name] = compact(t, top)
		for _, q := range span.stats {
			zone := must[*time.Location](t)(time.LoadLocation(q.zone))
			a := must[query.StatsAnswer](t)(r.Stats(t.Context(), query.StatsParams{Site: shop, From: span.from, To: span.to, By: q.by, Zone: zone,
				Consistent: consistent, Paging: query.Paging{Desc: q.desc, Limit: 1000}}))
			a.ExpiredOmitted, a.InProgress = 0, false
			for i := range a.Buckets {
				a.Buckets[i].InProgress, a.Buckets[i].Partial = false, false // They depend on the time of the question.
			}
			all[fmt.Sprint("stats by ", q.by, " ", q.zone, " ", name)] = compact(t, a)
		}
	}
	return all
}

// same wants the answers of the world's reader to be those of one that finds no sealed items and nothing expired; where
// hours have expired only those whose ranges are whole days of UTC.
func (s *sealable) same(t *testing.T, text string, consistent, expired bool) {
	t.Helper()
	if s.want == nil {
		always := func() time.Time { return date(1, 1) }
		s.want = answers(t, query.NewOf(&unsealed{Table: s.table, hide: true}, s.keys, always), true)
	}
	have := answers(t, s.Reader, consistent)
	for _, q := range slices.Sorted(maps.Keys(s.want)) {
		if expired && (strings.Contains(q, "Berlin") || strings.Contains(q, "T07 ")) {
			continue
		}
		if have[q] != s.want[q] {
			t.Errorf("%s: %s\n got %.600s\nwant %.600s", text, q, have[q], s.want[q])
			return
		}
	}
}

func testSealed(t *testing.T, w *world) {
	s := &sealable{world: w, kept: 365}
	s.fill(date(3, 28), date(5, 12))
	s.seal(date(4, 11).Add(3 * time.Hour))
	s.same(t, "some days are sealed", true, false)
	s.seal(now)
	// 40 days have anything; two items each, three months with three each where they are closed, May with one.
	if n := s.count(); n != 2*40+2*3+1 {
		t.Errorf("%d sealed items, want 87", n)
	}
	s.same(t, "all is sealed", false, false)
	s.add(date(4, 9), 20)
	s.add(date(3, 30), 5)
	s.add(date(4, 4), 5) // A day that had nothing.
	s.same(t, "two days have changed and one has come", true, false)
	s.seal(now)
	if n := s.count(); n != 2*41+2*3+1 {
		t.Errorf("%d sealed items, want 89", n)
	}
	s.same(t, "all is sealed again", true, false)
}

// When hours, and at last days, have expired, what was sealed of them answers as they would.
func testSealedSourcesExpire(t *testing.T, w *world) {
	s := &sealable{world: w, kept: 20}
	s.fill(date(4, 1), date(5, 12))
	s.seal(date(4, 15))
	s.seal(date(5, 1).Add(3 * time.Hour))
	s.seal(now)
	s.same(t, "hours have expired", false, true)
	before := answers(t, s.Reader, true)
	for day := date(4, 1); day.Before(date(5, 1)); day = day.AddDate(0, 0, 1) {
		at := day.UnixMilli()
		for _, key := range []sinks.Key{s.keys.DayStats(shop, at), s.keys.DayUniques(shop, at), s.keys.DayBreakdown(shop, at)} {
			if _, err := w.table.Delete(t.Context(), sinks.Delete{Key: key}); err != nil {
				t.Fatal(err)
			}
		}
	}
	s.seal(now)
	after := answers(t, s.Reader, true)
	for _, q := range []string{"uniques 04-01T00 to 05-01T00", "top 04-01T00 to 05-01T00", "stats by month UTC 04-01T00 to 05-01T00"} {
		if after[q] == "" || after[q] != before[q] {
			t.Errorf("days have expired: %s\n got %.600s\nwant %.600s", q, after[q], before[q])
		}
	}
}

// A late event of a day some of whose hours have expired does not take from it what was sealed.
func testSealedLateAfterExpiry(t *testing.T, w *world) {
	s := &sealable{world: w, kept: 20}
	s.fill(date(4, 1), date(4, 20))
	s.seal(date(4, 20).Add(3 * time.Hour))
	ask := func() (query.UniquesAnswer, query.TopAnswer) {
		p := query.UniquesParams{Site: shop, From: date(4, 2), To: date(4, 4)}
		return must[query.UniquesAnswer](t)(w.Uniques(t.Context(), p)),
			must[query.TopAnswer](t)(w.Top(t.Context(), query.TopParams{Site: shop, Dimension: "page", From: p.From, To: p.To}))
	}
	uniques, top := ask()
	// Its hours were not written: they have expired.
	it := figures(70, 170, 20)
	it[sinks.AttrMark("stats", tp0)], it[sinks.AttrMark("stats", tp1)] = sinks.Int(9), sinks.Int(9)
	w.put(w.keys.DayStats(shop, date(4, 3).UnixMilli()), date(4, 3).AddDate(0, 0, 731), it)
	for _, text := range []string{"before a pass", "after it"} {
		u, v := ask()
		if v.NotBrokenDown != top.NotBrokenDown+20 {
			t.Errorf("%s: %d events in no breakdown, want the 20 late ones and the %d before", text, v.NotBrokenDown, top.NotBrokenDown)
		}
		v.NotBrokenDown = top.NotBrokenDown
		if u.UniqueVisitors < 100 || compact(t, u) != compact(t, uniques) || compact(t, v) != compact(t, top) {
			t.Errorf("%s: %s and %s, want %s and %s", text, compact(t, u), compact(t, v), compact(t, uniques), compact(t, top))
		}
		s.seal(now)
	}
}

// A late event of a sealed month some of whose days have expired adds to the month's sums what can still be told, and takes
// nothing from them. Its visitors are those that were sealed.
func testSealedLateAfterDaysExpired(t *testing.T, w *world) {
	s := &sealable{world: w, kept: 365}
	s.fill(date(4, 1), date(5, 12))
	s.seal(now)
	april := func() query.Bucket {
		t.Helper()
		a := must[query.StatsAnswer](t)(w.Stats(t.Context(), query.StatsParams{Site: shop, From: date(4, 1), To: date(5, 1), By: query.Month}))
		if len(a.Buckets) != 1 || a.Totals.Events != a.Buckets[0].Events || a.Incomplete != a.Buckets[0].Incomplete {
			t.Fatalf("April: %s", compact(t, a))
		}
		return a.Buckets[0]
	}
	whole := april()
	for _, key := range []sinks.Key{s.keys.DayStats(shop, date(4, 1).UnixMilli()),
		s.keys.HourStats(shop, date(4, 1).Add(5*time.Hour).UnixMilli())} {
		if _, err := w.table.Delete(t.Context(), sinks.Delete{Key: key}); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name       string
		late       func()
		events     int64 // more than before
		incomplete bool
	}{
		{"a day has expired", func() {}, 0, false},
		{"a day that had nothing has come", func() { s.add(date(4, 4), 5) }, 50, false},
		{"and another", func() { s.add(date(4, 13), 5) }, 100, false},
		{"a sealed day has changed, nobody can tell by how much", func() { s.add(date(4, 9), 20) }, 100, true},
	} {
		c.late()
		for _, text := range []string{c.name, c.name + ", after a pass"} {
			b := april()
			if b.Events-whole.Events != c.events || b.Incomplete != c.incomplete || *b.UniqueVisitors != *whole.UniqueVisitors {
				t.Errorf("%s: %d events of %d visitors, incomplete: %v; want %d of %d, %v", text, b.Events, *b.UniqueVisitors, b.Incomplete,
					whole.Events+c.events, *whole.UniqueVisitors, c.incomplete)
			}
			s.seal(now)
		}
	}
}

// A month whose visitors nobody could seal has its sums still when days of it expire.
func testSealedSumsOutliveDays(t *testing.T, w *world) {
	s := &sealable{world: w, kept: 20}
	s.fill(date(4, 1), date(5, 12))
	s.seal(now)
	april := query.StatsParams{Site: shop, From: date(4, 1), To: date(5, 1), By: query.Month}
	want := must[query.StatsAnswer](t)(w.Stats(t.Context(), april)).Totals
	for _, day := range []int{1, 2, 30} {
		if _, err := w.table.Delete(t.Context(), sinks.Delete{Key: s.keys.DayStats(shop, date(4, day).UnixMilli())}); err != nil {
			t.Fatal(err)
		}
		a := must[query.StatsAnswer](t)(w.Stats(t.Context(), april))
		if want.UniqueVisitors != nil || compact(t, a.Totals) != compact(t, want) || a.Incomplete || a.Buckets[0].Incomplete {
			t.Errorf("without April %d: %s, want totals of %s", day, compact(t, a), compact(t, want))
		}
	}
}

// TestSealingSavesReads: what sealing saves, in read units: 30 days of visitors and a month of pages.
func TestSealingSavesReads(t *testing.T) {
	w := newWorld(t)
	s := &sealable{world: w, kept: 365}
	s.site(shop, 16)
	s.steps, s.hours = make(map[time.Time]int64), make(map[time.Time]map[int]int64)
	for day := date(4, 1); day.Before(date(5, 1)); day = day.AddDate(0, 0, 1) {
		for hour := range 4 {
			s.add(day, 5*hour)
		}
	}
	cost := func(hide bool, ask func(*query.Reader)) float64 {
		table := &unsealed{Table: w.table, hide: hide}
		ask(query.NewOf(table, w.keys, func() time.Time { return now }))
		return table.units
	}
	s.seal(now)
	for name, ask := range map[string]func(*query.Reader){
		"uniques of 30 days": func(r *query.Reader) {
			must[query.UniquesAnswer](t)(r.Uniques(t.Context(), query.UniquesParams{Site: shop, From: date(4, 1), To: date(5, 1)}))
		},
		"top pages of a month": func(r *query.Reader) {
			must[query.TopAnswer](t)(r.Top(t.Context(), query.TopParams{Site: shop, Dimension: "page", From: date(4, 1), To: date(5, 1)}))
		},
	} {
		before, after := cost(true, ask), cost(false, ask)
		t.Logf("%s: %g read units without sealing, %g with", name, before, after)
		if after*2 > before {
			t.Errorf("%s: %g read units without sealing, %g with: want less than half", name, before, after)
		}
	}
}
