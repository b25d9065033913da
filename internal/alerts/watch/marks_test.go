package watch

import (
	"slices"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/alerts"
	"github.com/footfall/footfall/sinks"
)

// An alert is not judged by hours before it: what is kept of former alerts is removed, of the table and of a site that waited.
func TestFormerAlertsLeaveNoMark(t *testing.T) {
	for name, others := range map[string]bool{"no others": false, "others": true} {
		w := newShop(t)
		store := alerts.Store{Table: w.table.Table, Now: time.Now}
		w.alert("silence", "")
		if others {
			few := alerts.Alert{Site: "aaa", ID: "few", Rule: alerts.Rule{Subject: alerts.Subject{Figure: "events"}, Bound: 1, Hours: 1}}
			if _, err := store.Create(t.Context(), few); err != nil {
				t.Fatal(err)
			}
		}
		of := w.watcher()
		w.pass(of, 1)
		w.now = w.now.Add(patienceForAll)
		w.counting.late = []int32{1}
		w.counting.marked = map[string][]int32{"aaa": {2}}
		w.pass(of, 1)
		if m := w.mark(shop); m.Waiting == nil {
			t.Fatalf("%s: %+v, want it to wait", name, m)
		}
		if err := alerts.Delete(t.Context(), w.table.Table, shop, "silence"); err != nil {
			t.Fatal(err)
		}
		w.counting.late = nil
		w.pass(of, 70)
		w.alert("silence", "")
		w.pass(of, 1)
		last := alerts.Hour(w.now) - 2
		if found := w.findings(); len(found) != 1 || found[0].Hour != last {
			t.Errorf("%s: %+v, want the last hour alone", name, found)
		}
		if m := w.mark(shop); m.Skipped != nil || m.Waiting != nil || m.Hour != last {
			t.Errorf("%s: %+v, want nothing but the hour %d", name, m, last)
		}
	}
}

// What cannot be read of a site while a partition is not counted does not keep others from being judged, or from waiting.
func TestSitesWaitApart(t *testing.T) {
	w := newShop(t)
	w.alert("silence", "")
	few := alerts.Alert{Site: "aaa", ID: "few", Rule: alerts.Rule{Subject: alerts.Subject{Figure: "events"}, Bound: 1, Hours: 1}}
	if _, err := (&alerts.Store{Table: w.table.Table, Now: time.Now}).Create(t.Context(), few); err != nil {
		t.Fatal(err)
	}
	metadata := sinks.Keys{}.Metadata("aaa")
	damaged := sinks.Item{sinks.AttrPK: sinks.Str(metadata.PK), sinks.AttrSK: sinks.Str(metadata.SK),
		sinks.AttrEntity: sinks.Str(sinks.EntitySite), sinks.AttrRules: sinks.Str("{")}
	if _, err := w.table.Table.Put(t.Context(), sinks.Put{Item: damaged}); err != nil {
		t.Fatal(err)
	}
	of := w.watcher()
	w.now = w.now.Add(time.Hour + patienceForAll)
	w.counting.late, w.counting.marked = []int32{1}, map[string][]int32{shop: {2}}
	for range patience {
		if err := of.Pass(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	hour := alerts.Hour(w.now) - 1
	if found := w.findings(); len(found) != 1 {
		t.Errorf("%+v", found)
	}
	if m := w.mark("aaa"); !slices.Equal(m.Skipped, []alerts.Span{{From: hour, To: hour + 1, Why: alerts.Unreadable}}) {
		t.Errorf("the site that cannot be read: %+v", m)
	}
}

// Of many partitions that are not counted, a mark names the first.
func TestMarksNameFewPartitions(t *testing.T) {
	w := newShop(t)
	w.alert("silence", "")
	of := w.watcher()
	w.now = w.now.Add(patienceForAll)
	for p := range int32(10_000) {
		w.counting.late = append(w.counting.late, p)
	}
	w.pass(of, 2)
	if m := w.mark(shop); !slices.Equal(m.Waiting, w.counting.late[:alerts.MaxWaiting]) {
		t.Errorf("waits for %d partitions, want the first %d", len(m.Waiting), alerts.MaxWaiting)
	}
}

// Where an hour is given up a day after a part of the sites was judged in it, all are judged in the next.
func TestSitesAreJudgedInEachHour(t *testing.T) {
	w := newShop(t)
	w.alert("silence", "")
	few := alerts.Alert{Site: "aaa", ID: "few", Rule: alerts.Rule{Subject: alerts.Subject{Figure: "events"}, Bound: 1, Hours: 1}}
	if _, err := (&alerts.Store{Table: w.table.Table, Now: time.Now}).Create(t.Context(), few); err != nil {
		t.Fatal(err)
	}
	of := w.watcher()
	w.pass(of, 1)
	of.done[shop] = alerts.Hour(w.ends) // As a pass leaves it that cannot read "aaa".
	w.now = w.now.Add(29 * time.Hour)
	w.pass(of, 1)
	if found, want := w.findings(), alerts.Hour(w.now)-2-MaxCatchUp+1; len(found) != 1 || found[0].Hour != want {
		t.Errorf("%+v, want one of the hour %d", found, want)
	}
}

// A site whose id differs by a space at its end has a mark of its own.
func TestMarksAreApart(t *testing.T) {
	w := newShop(t)
	w.alert("silence", "")
	store := alerts.Store{Table: w.table.Table, Now: time.Now}
	sites := []string{"", " ", shop, shop + " ", " " + shop}
	for i, site := range sites {
		if site != "" {
			a := alerts.Alert{Site: site, ID: "x", Rule: alerts.Rule{Subject: alerts.Subject{Figure: "events"}, Stops: true}}
			if _, err := w.table.Table.Put(t.Context(), sinks.Put{Item: a.Item()}); err != nil {
				t.Fatal(err)
			}
		}
		if err := store.PutMark(t.Context(), site, alerts.Mark{Hour: int64(i) + 1, Waiting: []int32{1}}); err != nil {
			t.Fatal(err)
		}
	}
	_, marks, err := store.All(t.Context(), func(err error) { t.Error(err) })
	for i, site := range sites {
		if marks[site].Hour != int64(i)+1 || err != nil {
			t.Errorf("the mark of site %q: %+v, %v", site, marks[site], err)
		}
	}
}
