package verify_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/verified"
	"github.com/footfall/footfall/internal/verify/scope"
	"github.com/footfall/footfall/sinks"
)

// sealedMonths are what is said of the closed months of plainSite from the world's beginning on, without the log.
func (w *world) sealedMonths() []verified.Month {
	w.t.Helper()
	all, err := verified.CheckSealed(w.t.Context(), w.table, sinks.Keys{}, plainSite, w.start, time.Time{})
	if err != nil {
		w.t.Fatal(err)
	}
	return all
}

// TestChangedSealedItemIsFoundWithoutTheLog: once a recount has bound a month, each change of any of its items is found in the table alone.
func TestChangedSealedItemIsFoundWithoutTheLog(t *testing.T) {
	inWorld(t, 2, func(t *testing.T, w *world) {
		w.filled()
		w.seal()
		if all := w.sealedMonths(); len(all) != 1 || all[0].VerifiedAt != nil || len(all[0].Unequal) > 0 {
			t.Fatalf("before a recount: %+v, want one closed month", all)
		}
		equal := new(verified.Sealed)
		report := w.verify(func(o *scope.Options) { o.Site, o.Agreed = plainSite, equal.Take })
		want(t, "sealed", report, 0)
		result := report.Result(plainSite)
		if result.Bound = equal.Bind(sinks.Keys{}, plainSite, report.StartedAt); len(result.Bound.Months) != 2 {
			t.Fatalf("bound %+v, want two months", result.Bound)
		}
		if err := verified.Write(t.Context(), w.table, sinks.Keys{}, result); err != nil {
			t.Fatal(err)
		}
		all := w.sealedMonths()
		if len(all) != 1 || all[0].VerifiedAt == nil || len(all[0].Changed)+len(all[0].Unequal) > 0 || all[0].DaysExpired {
			t.Fatalf("after a recount: %+v, want one unchanged month", all)
		}
		keys := w.sealedKeys(plainSite)
		keys["day stats"] = sinks.Keys{}.DayStats(plainSite, w.start.Truncate(24*time.Hour).UnixMilli())
		parts := map[string]verified.Part{"day stats": verified.DayStats, "sealed uniques of a day": verified.DayVisitors,
			"sealed breakdown of a day": verified.DayBreakdowns}
		for kind, key := range keys {
			it := w.snapshot()[key]
			for name := range it {
				if name == sinks.AttrPK || name == sinks.AttrSK || name == sinks.AttrDays {
					continue
				}
				for how, bad := range wrong(t, name, it[name]) {
					if how != "one more" && how != "another text" && how != "removed" {
						continue
					}
					w.set(key, with(it, name, bad))
					part := parts[kind]
					if part == "" {
						part = verified.OfMonth
					}
					if got := w.sealedMonths(); len(got) != 1 || !slices.Equal(got[0].Changed, []verified.Part{part}) {
						t.Errorf("%s, %s %s: %+v, want that %s have changed", kind, name, how, got, part)
					}
				}
			}
			w.set(key, it)
		}
		it := maps.Clone(w.snapshot()[keys["month stats"]])
		w.set(keys["month stats"], with(it, sinks.AttrDays, sinks.Str("no days")))
		if got := w.sealedMonths(); len(got) != 1 || len(got[0].Changed) != 1 || len(got[0].Unequal) != 1 ||
			!strings.Contains(got[0].Unequal[0], sinks.AttrDays) || got[0].VerifiedAt == nil {
			t.Errorf("days that cannot be read: %+v", got)
		}
		// A month is not what its days add up to.
		it[sinks.AttrEvents] = sinks.Int(it[sinks.AttrEvents].Int() + 1)
		w.set(keys["month stats"], it)
		if got := w.sealedMonths(); len(got) != 1 || len(got[0].Unequal) != 1 || !strings.HasPrefix(got[0].Unequal[0], sinks.AttrEvents) {
			t.Errorf("an event more in the month: %+v", got)
		}
		w.set(keys["month stats"], nil)
		if got := w.sealedMonths(); len(got) != 1 || len(got[0].Changed) != 1 {
			t.Errorf("without the month: %+v", got)
		}
	})
}

// TestMonthThatDiffersIsNotBound: a recount binds a month only if it has compared every item of it, and found it equal.
func TestMonthThatDiffersIsNotBound(t *testing.T) {
	inWorld(t, 2, func(t *testing.T, w *world) {
		w.filled()
		w.seal()
		month := w.start.Format("2006-01")
		bound := func() bool {
			equal := new(verified.Sealed)
			w.verify(func(o *scope.Options) { o.Site, o.Agreed = plainSite, equal.Take })
			_, ok := equal.Bind(sinks.Keys{}, plainSite, w.start).Months[month]
			return ok
		}
		if !bound() {
			t.Error("a month that equals the recount is not bound")
		}
		for kind, key := range w.sealedKeys(plainSite) {
			it := w.snapshot()[key]
			w.set(key, with(it, "stranger", sinks.Int(1)))
			if bound() {
				t.Errorf("the month is bound although its %s differs", kind)
			}
			w.set(key, nil)
			if bound() {
				t.Errorf("the month is bound without its %s", kind)
			}
			w.set(key, it)
		}
	})
}
