package verify_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/seal"
	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/sinks"
)

// seal seals the days and months that go on.
func (w *world) seal() {
	w.t.Helper()
	if err := seal.New(seal.Options{Table: w.table, After: -40 * 24 * time.Hour}).Pass(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
}

// sealedKeys are the sealed items of a site in the month and on the day on which its clock begins.
func (w *world) sealedKeys(site string) map[string]sinks.Key {
	keys := sinks.Keys{}
	day := w.start.Truncate(24 * time.Hour).UnixMilli()
	month := sinks.MonthOf(day)
	return map[string]sinks.Key{
		"month stats": keys.MonthStats(site, month), "sealed uniques of a day": keys.DayUniques(site, day),
		"sealed uniques of a month": keys.MonthUniques(site, month), "sealed breakdown of a day": keys.DayBreakdown(site, day),
		"sealed breakdown of a month": keys.MonthBreakdown(site, month),
	}
}

// outOfDate is how many sealed items a report says are out of date.
func outOfDate(r finding.Report) (n int64) {
	for reason, left := range r.LeftOut {
		if strings.HasPrefix(reason, "sealed before") {
			n += left
		}
	}
	return n
}

func TestEverySealedAttributeIsCompared(t *testing.T) {
	slow.Unraced(t) // One recount after the other, by the goroutines of every test here.
	inWorld(t, 2, func(t *testing.T, w *world) {
		w.filled()
		w.seal()
		r := w.verify(nil)
		want(t, "sealed", r, 0)
		var all []damage
		for kind, key := range w.sealedKeys(plainSite) {
			if r.Compared[kind] == 0 || outOfDate(r) > 0 {
				t.Fatalf("compared %v, left out %v", r.Compared, r.LeftOut)
			}
			it := w.snapshot()[key]
			for _, name := range append(slices.Collect(maps.Keys(it)), "stranger") {
				switch name {
				case sinks.AttrPK, sinks.AttrSK, sinks.AttrDays, sinks.AttrMarks: // The last two say what the rest is compared with.
					continue
				}
				value := it[name]
				if name == "stranger" {
					value = sinks.Int(0)
				}
				for how, bad := range wrong(t, name, value) {
					absent := how == "removed" && (name == "stranger" || value.Kind() == sinks.Number && value.Int() == 0)
					if absent || !slices.Contains([]string{"removed", "one more", "another text", "with a stranger", "an exit more"}, how) {
						continue
					}
					all = append(all, damaged(fmt.Sprintf("%s, %s %s", kind, name, how), it, name, bad))
				}
			}
		}
		if len(all) < 40 {
			t.Errorf("only %d changes are tried", len(all))
		}
		w.eachIsNamed(all)
	})
}

// A day that has changed leaves what was sealed of it, and of its month, out of date: no difference, whatever it holds.
func TestSealedItemsOutOfDateAreLeftOut(t *testing.T) {
	inWorld(t, 2, func(t *testing.T, w *world) {
		w.first()
		w.pipeline()
		w.seal()
		before := w.verify(nil)
		want(t, "sealed", before, 0)
		w.second()
		w.pipeline()
		for kind, key := range w.sealedKeys(plainSite) {
			it := maps.Clone(w.snapshot()[key])
			it[sinks.AttrEvents], it[sinks.AttrHours] = sinks.Int(1<<40), sinks.Int(1<<40)
			w.set(key, it)
			if it == nil {
				t.Fatalf("there is no %s", kind)
			}
		}
		r := w.verify(nil)
		want(t, "sealed before the second step", r, 0)
		if outOfDate(r) < 5 {
			t.Errorf("%d sealed items are out of date, want five at least: %v", outOfDate(r), r.LeftOut)
		}
		w.seal()
		after := w.verify(nil)
		want(t, "sealed again", after, 0)
		if outOfDate(after) > 0 || after.Compared["sealed uniques of a month"] < before.Compared["sealed uniques of a month"] {
			t.Errorf("compared %v, left out %v; before the second step %v", after.Compared, after.LeftOut, before.Compared)
		}
		// Marks that a day never had, and days that it does not name.
		for kind, attr := range map[string]string{"sealed uniques of a day": sinks.AttrMarks, "month stats": sinks.AttrDays} {
			key := w.sealedKeys(plainSite)[kind]
			it := w.snapshot()[key]
			w.set(key, with(it, attr, sinks.Str("nonsense")))
			code := 0
			if attr == sinks.AttrDays {
				code = finding.ExitDifferent
			}
			want(t, kind+" of nonsense", w.verify(nil), code)
			w.set(key, it)
		}
	})
}
