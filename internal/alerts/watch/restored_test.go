package watch

import (
	"testing"
	"time"

	"github.com/footfall/footfall/internal/alerts"
	"github.com/footfall/footfall/sinks"
)

// kept are the items of alerts, marks and findings.
func (w *shopWorld) kept() (all []sinks.Item) {
	w.t.Helper()
	for _, pk := range []string{sinks.AlertsPK, sinks.FindingsPK} {
		for it, err := range sinks.Items(w.t.Context(), w.table.Table, sinks.Query{PK: pk, Consistent: true}) {
			if err != nil {
				w.t.Fatal(err)
			}
			all = append(all, it)
		}
	}
	return all
}

// restore makes the table hold these alone.
func (w *shopWorld) restore(items []sinks.Item) {
	w.t.Helper()
	for _, it := range w.kept() {
		if _, err := w.table.Table.Delete(w.t.Context(), sinks.Delete{Key: it.Key()}); err != nil {
			w.t.Fatal(err)
		}
	}
	for _, it := range items {
		if _, err := w.table.Table.Put(w.t.Context(), sinks.Put{Item: it}); err != nil {
			w.t.Fatal(err)
		}
	}
}

// A table that is restored from a copy judges the hours since again, and sends what it finds with the id that it had. What the copy has as
// sent is not sent again.
func TestRestoredTableFindsTheSameAgain(t *testing.T) {
	r, at := receive(t, nil)
	w := newShop(t)
	w.alert("silence", at)
	before := w.kept()
	first := w.signing()
	w.pass(first, 1)
	first.sender.send(t.Context())
	sent := r.last.ID
	after := w.kept()
	w.restore(before)
	again := w.watcher()
	again.sender.Key = first.sender.Key
	w.now = w.now.Add(-time.Hour) // It is as late as it was.
	w.pass(again, 1)
	again.sender.send(t.Context())
	if found := w.findings(); len(found) != 1 || found[0].MessageID() != sent || r.ids[sent] != 2 || len(r.ids) != 1 {
		t.Errorf("restored before the finding: %+v, sent %v", found, r.ids)
	}
	w.restore(after)
	third := w.watcher()
	third.sender.Key = first.sender.Key
	w.pass(third, 1)
	third.sender.send(t.Context())
	if found := w.findings(); len(found) != 1 || found[0].Delivery.State != alerts.Sent || r.ids[sent] != 2 || len(r.ids) != 1 {
		t.Errorf("restored after it was sent: %+v, sent %v", found, r.ids)
	}
}

// A generation of items that a rebuild has made live has the findings of the former one: they are not found or sent again. Its own figures
// are judged by.
func TestRebuildKeepsFindings(t *testing.T) {
	r, at := receive(t, nil)
	w := newShop(t)
	w.alert("silence", at)
	of := w.signing()
	w.pass(of, 1)
	of.sender.send(t.Context())
	if _, err := sinks.EnsureTableSettings(t.Context(), w.table.Table, sinks.Keys{}, nil); err != nil {
		t.Fatal(err)
	}
	rebuilt := sinks.KeysOfGeneration(2)
	for at := w.ends.AddDate(0, 0, -7*alerts.Weeks-3); at.Before(w.now.Add(48 * time.Hour)); at = at.Add(time.Hour) {
		w.add(rebuilt.HourStats(shop, at.UnixMilli()), sinks.Attr{Name: "events", Value: sinks.Int(120)})
	}
	if _, err := w.table.Table.Update(t.Context(), sinks.Update{Key: sinks.Keys{}.TableSettings(), Set: []sinks.Attr{
		{Name: sinks.AttrGeneration, Value: sinks.Int(2)}, {Name: sinks.AttrGenerations, Value: sinks.Int(2)}}}); err != nil {
		t.Fatal(err)
	}
	next := w.watcher()
	next.sender.Key = of.sender.Key
	w.pass(next, 30)
	next.sender.send(t.Context())
	if found := w.findings(); len(found) != 1 || len(r.ids) != 1 || r.ids[found[0].MessageID()] != 1 {
		t.Errorf("%+v, sent %v, want the former finding alone: the live generation has no silence", found, r.ids)
	}
}
