package seal_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/footfall/footfall/internal/seal"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/testworld"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

const shop = "shop#1"

var (
	keys  = sinks.Keys{}
	tp    = sinks.TP{Topic: 1}
	april = time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC)
	now   = time.Date(2026, 5, 1, 3, 0, 0, 0, time.UTC)
)

// world is a table with what steps of one partition write of a site. It may end, or have something happen, at a request.
type world struct {
	t *testing.T
	sinks.Table
	asked   []string // what was asked of it
	dieAt   int      // after so many requests it answers none; 0: never
	puts    int
	meanWay func(put int) // is called before each put, with its number
}

var errDead = errors.New("killed")

// inWorld runs f in a bubble: sealers rest between days.
func inWorld(t *testing.T, f func(t *testing.T, w *world)) {
	synctest.Test(t, func(t *testing.T) {
		table := testworld.Table(t)
		if _, err := sinks.EnsureSiteEntry(t.Context(), table, keys, shop); err != nil {
			t.Fatal(err)
		}
		f(t, &world{t: t, Table: table})
	})
}

func (w *world) ask(what string) error {
	w.asked = append(w.asked, what)
	if w.dieAt > 0 && len(w.asked) >= w.dieAt {
		return errDead
	}
	return nil
}

func (w *world) Query(ctx context.Context, q sinks.Query) (sinks.Page, error) {
	if err := w.ask("query " + q.PK + " " + q.Prefix + q.From); err != nil {
		return sinks.Page{}, err
	}
	return w.Table.Query(ctx, q)
}

func (w *world) BatchGet(ctx context.Context, g sinks.BatchGet) (sinks.BatchResult, error) {
	if err := w.ask(fmt.Sprint("get ", g.Keys)); err != nil {
		return sinks.BatchResult{}, err
	}
	return w.Table.BatchGet(ctx, g)
}

func (w *world) Put(ctx context.Context, p sinks.Put) (sinks.Result, error) {
	if err := w.ask("put " + p.Item.Key().SK); err != nil {
		return sinks.Result{}, err
	}
	w.puts++
	if f := w.meanWay; f != nil {
		w.meanWay = nil // What happens meanwhile puts, too.
		f(w.puts)
		w.meanWay = f
	}
	return w.Table.Put(ctx, p)
}

// write writes an item whole, as steps would leave it.
func (w *world) write(key sinks.Key, it sinks.Item) {
	w.t.Helper()
	it[sinks.AttrPK], it[sinks.AttrSK] = sinks.Str(key.PK), sinks.Str(key.SK)
	if _, err := w.Table.Put(w.t.Context(), sinks.Put{Item: it}); err != nil {
		w.t.Fatal(err)
	}
}

// step writes what a day has after so many steps: each has brought a visitor and an event.
func (w *world) step(day time.Time, step int) {
	w.t.Helper()
	visitors, breakdown := sketch.NewHour(), sketch.NewBreakdown(5)
	for i := range step {
		visitors.Add(uint64(day.Day()*1000+i) << 32)
		breakdown.Event(sketch.Page, fmt.Sprint("/", i%3), int64(i), sketch.Hit{Visitor: uint64(i)})
	}
	part, err1 := visitors.AppendBinary(nil)
	packed, err2 := sketch.PackBreakdown(breakdown)
	if err := errors.Join(err1, err2); err != nil {
		w.t.Fatal(err)
	}
	hour := day.Add(9 * time.Hour).UnixMilli()
	mark := sinks.AttrMark("stats", tp)
	w.write(keys.HourStats(shop, hour), sinks.Item{sinks.AttrEvents: sinks.Int(int64(step)), mark: sinks.Int(int64(step))})
	w.write(keys.Uniques(shop, hour, tp), sinks.Item{sinks.AttrPart: sinks.Bytes(part)})
	w.write(keys.Breakdown(shop, hour, tp), sinks.Item{sinks.AttrPart: sinks.Bytes(packed)})
	w.write(keys.DayStats(shop, day.UnixMilli()), sinks.Item{sinks.AttrEvents: sinks.Int(int64(step)), mark: sinks.Int(int64(step))})
}

func (w *world) sealer() *seal.Sealer {
	return seal.New(seal.Options{Table: w, After: 2 * time.Hour, Now: func() time.Time { return now }})
}

func (w *world) pass() {
	w.t.Helper()
	if err := w.sealer().Pass(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
}

// sealed is everything that is sealed, by sort key and list.
func (w *world) sealed() map[string]string {
	w.t.Helper()
	all := make(map[string]string)
	for _, pk := range []string{keys.Site(shop), keys.UniquesList(shop), keys.BreakdownList(shop)} {
		page, err := w.Table.Query(w.t.Context(), sinks.Query{PK: pk, Consistent: true})
		if err != nil {
			w.t.Fatal(err)
		}
		for _, it := range page.Items {
			if sk := it.Key().SK; !strings.HasPrefix(sk, "hour#") && !strings.HasPrefix(sk, "STATS#hour#") && !strings.HasPrefix(sk, "STATS#day#") {
				var b strings.Builder
				for _, name := range slices.Sorted(maps.Keys(it)) {
					fmt.Fprintf(&b, "%s %s; ", name, it[name])
				}
				all[pk+" "+sk] = b.String()
			}
		}
	}
	return all
}

// A sealer that is killed at any request, and another that begins anew, leave what one leaves that is not.
func TestKilledSealerIsContinued(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		days := func() {
			for i := range 3 {
				w.step(april.AddDate(0, 0, 7*i), 3+i)
			}
		}
		days()
		w.pass()
		want, requests := w.sealed(), len(w.asked)
		if len(want) != 2*3+3 || requests < 30 {
			t.Fatalf("%d items are sealed in %d requests, want nine", len(want), requests)
		}
		for at := 1; at <= requests; at++ {
			inner := *w
			for key := range want {
				pk, sk, _ := strings.Cut(key, " ")
				if _, err := w.Delete(t.Context(), sinks.Delete{Key: sinks.Key{PK: pk, SK: sk}}); err != nil {
					t.Fatal(err)
				}
			}
			inner.asked, inner.dieAt = nil, at
			_ = inner.sealer().Pass(t.Context()) // It tells that it was killed, or leaves the site out.
			w.pass()
			if have := w.sealed(); !maps.Equal(have, want) {
				t.Fatalf("killed at request %d, %s: %d items, want %d:\n%v\nwant %v", at, inner.asked[at-1], len(have), len(want), have, want)
			}
		}
	})
}

// What is sealed already costs a look: nothing of it is read again.
func TestSealedDaysAreNotReadAgain(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		for i := range 20 {
			w.step(april.AddDate(0, 0, i), 3)
		}
		w.pass()
		w.asked = nil
		w.pass()
		if n := len(w.asked); n != sinks.SiteListShards+2 { // The days and the months of one site.
			t.Errorf("%d requests for nothing to do: %q", n, w.asked)
		}
		w.step(april, 4)
		w.asked = nil
		w.pass()
		if n := len(w.asked); n > 100 {
			t.Errorf("%d requests for one day that has changed", n)
		}
		for _, what := range w.asked {
			if strings.Contains(what, "2026-04-02T") {
				t.Errorf("%s: hours of a day that has not changed", what)
			}
		}
	})
}

// A sealer that is overtaken by steps and by another sealer, between any two of its requests, never takes what they have
// sealed back.
func TestSlowSealerDoesNotGoBack(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.step(april, 3)
		w.pass()
		puts := w.puts
		for at := 1; at <= puts; at++ {
			step := 3 + 10*at
			w.step(april, step) // The slow sealer finds this ...
			w.puts = 0
			w.meanWay = func(put int) { // ... and this happens before one of its puts.
				if put == at {
					w.step(april, step+5)
					w.pass()
				}
			}
			w.pass()
			w.meanWay = nil
			mid := w.sealed()
			w.pass()
			if have := w.sealed(); !maps.Equal(have, mid) {
				t.Errorf("overtaken before put %d: something was left to seal\n%v\nwas\n%v", at, have, mid)
			}
			it, err := w.Table.BatchGet(t.Context(), sinks.BatchGet{Keys: []sinks.Key{keys.MonthUniques(shop, april.UnixMilli())}})
			if err != nil || it.Items[keys.MonthUniques(shop, april.UnixMilli())][sinks.AttrEvents].Int() != int64(step+5) {
				t.Errorf("overtaken before put %d: the month is not that of step %d: %v, %v", at, step+5, it.Items, err)
			}
		}
	})
}

// A day of which hours have expired is summed up in its month, and not sealed.
func TestDayThatHasLostHoursIsNotSealed(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.step(april, 3)
		w.step(april.AddDate(0, 0, 1), 4)
		hour := keys.HourStats(shop, april.Add(9*time.Hour).UnixMilli())
		if _, err := w.Delete(t.Context(), sinks.Delete{Key: hour}); err != nil {
			t.Fatal(err)
		}
		w.pass()
		sealed := w.sealed()
		month := sealed[keys.Site(shop)+" STATS#month#2026-04"]
		if len(sealed) != 3 || !strings.Contains(month, "events 7;") || !strings.Contains(month, `"01~`) || !strings.Contains(month, " 02:") {
			t.Errorf("sealed: %v; want the second day, and a month of 7 events", sealed)
		}
	})
}

// A process that does not own the partition asks nothing; one that does seals within two intervals.
func TestOnlyTheOwnerSeals(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.step(april, 3)
		for _, mine := range []bool{false, true} {
			ctx, stop := context.WithCancel(t.Context())
			done := make(chan struct{})
			s := seal.New(seal.Options{Table: w, Now: func() time.Time { return now }, Mine: func() bool { return mine }})
			go func() {
				s.Run(ctx)
				close(done)
			}()
			<-time.After(2 * time.Hour)
			stop()
			<-done
			if n := len(w.sealed()); mine && n != 5 || !mine && len(w.asked) > 0 {
				t.Errorf("mine %v: %d items are sealed after %d requests", mine, n, len(w.asked))
			}
		}
	})
}

// keep has the stats of a day expire so many days after its end.
func (w *world) keep(day time.Time, days int) {
	w.t.Helper()
	key := keys.DayStats(shop, day.UnixMilli())
	found, err := w.Table.BatchGet(w.t.Context(), sinks.BatchGet{Keys: []sinks.Key{key}, Consistent: true})
	if err != nil {
		w.t.Fatal(err)
	}
	it := found.Items[key]
	it[sinks.AttrTTL] = sinks.Int(day.AddDate(0, 0, 1+days).Unix())
	w.write(key, it)
}

// A month whose days had begun to expire before any of it was sealed is not closed: nobody can tell what it had.
func TestMonthThatHasLostDaysIsNotClosed(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		for i := range 10 {
			w.step(april.AddDate(0, 0, i), 3)
			w.keep(april.AddDate(0, 0, i), 25) // The first five have expired by now.
		}
		w.pass()
		month := w.sealed()[keys.Site(shop)+" STATS#month#2026-04"]
		if !strings.Contains(month, "closed 0;") || strings.Contains(month, "01:") || !strings.Contains(month, `"06:`) {
			t.Errorf("the month is %q, want it open, of the days from the sixth on", month)
		}
	})
}

// Where days are kept for less than a month each is sealed once all the same.
func TestDaysOfShortRetentionAreSealedOnce(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		at := april
		s := seal.New(seal.Options{Table: w, After: 2 * time.Hour, Now: func() time.Time { return at }})
		for i := range 20 {
			w.step(april.AddDate(0, 0, i), 3)
			w.keep(april.AddDate(0, 0, i), 7)
			at = april.AddDate(0, 0, i+1).Add(3 * time.Hour)
			w.asked = nil
			for range 2 {
				if err := s.Pass(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			for n, what := range w.asked {
				if again := slices.Index(w.asked, what); strings.Contains(what, "STATS#hour") &&
					(again < n || !strings.Contains(what, sinks.Day(april.AddDate(0, 0, i).UnixMilli()))) {
					t.Fatalf("after day %d: %s, which is sealed", i+1, what)
				}
			}
		}
	})
}

// A day is cut by what was decided before its first event, whenever the sealer learned of it.
func TestSealerReadsTheRulesBehindTheDay(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.step(april, 3)
		shift := time.Duration(0)
		read := -1
		s := seal.New(seal.Options{Table: w, After: 2 * time.Hour, Now: func() time.Time { return now },
			DaySpan: func(_ string, _ sites.Zone, day int64) (from, to int64) {
				begin := time.UnixMilli(day).Add(shift)
				return begin.UnixMilli(), begin.Add(24 * time.Hour).UnixMilli()
			},
			Refresh: func(context.Context) error {
				shift, read = 6*time.Hour, len(w.asked)
				return nil
			}})
		if err := s.Pass(t.Context()); err != nil {
			t.Fatal(err)
		}
		hours := fmt.Sprint("query ", keys.UniquesOfDay(shop, april.Add(6*time.Hour).UnixMilli()), " ", sinks.UniquesPrefix,
			sinks.Hour(april.Add(6*time.Hour).UnixMilli()))
		if at := slices.Index(w.asked, hours); read < 0 || at < read {
			t.Errorf("the rules were read at request %d, and the hours are not those of the site's day: %q", read, w.asked)
		}
	})
}
