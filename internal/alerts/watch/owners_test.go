package watch

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/footfall/footfall/internal/alerts"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/sinks"
)

// An owner that does not know yet that it is none keeps what another one has found and sent as it is, and queues nothing of it.
func TestAZombieChangesNothing(t *testing.T) {
	r, at := receive(t, nil)
	w := newShop(t)
	w.alert("silence", at)
	before := w.findings()
	owner, zombie := w.signing(), w.watcher()
	w.pass(owner, 1)
	pending := w.findings()[0]
	owner.sender.send(t.Context())
	hour := alerts.Hour(w.ends)
	of, _, err := owner.store.All(t.Context(), func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	if err := zombie.judgeSite(t.Context(), shop, of, hour); err != nil {
		t.Fatal(err)
	}
	failed := alerts.Delivery{State: alerts.Pending, Attempts: 1, Error: "no answer"}
	if err := zombie.store.Delivered(t.Context(), pending, failed); err != nil {
		t.Fatal(err)
	}
	if d := w.delivery(); len(before) != 0 || d.State != alerts.Sent || len(zombie.sender.queue) != 0 || r.ids[pending.MessageID()] != 1 {
		t.Errorf("%+v, sent %v, %d queued by the zombie", d, r.ids, len(zombie.sender.queue))
	}
}

// A process that stops to own partition 0 forgets what it has queued. Once it is the owner again, it takes what others have left.
func TestOwnersThatComeBackStartAfresh(t *testing.T) {
	status := http.StatusBadGateway
	r, at := receive(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
	w := newShop(t)
	w.alert("silence", at)
	first, second := w.signing(), w.watcher()
	second.sender.Key = first.sender.Key
	w.pass(first, 1)
	first.sender.send(t.Context())
	first.forget()
	status = http.StatusNoContent
	w.pass(second, 1)
	second.sender.send(t.Context())
	w.pass(first, 1)
	first.sender.send(t.Context())
	if d := w.delivery(); d.State != alerts.Sent || r.ids[r.last.ID] != 2 {
		t.Errorf("%+v, sent %v; want it refused once and accepted once", d, r.ids)
	}
	first.forget()
	w.now = w.now.Add(alerts.QuietHours * time.Hour)
	w.pass(second, 1) // It finds, and ends before it sends.
	w.pass(first, 1)
	first.sender.send(t.Context())
	if found := w.findings(); len(found) != 2 || found[1].Delivery.State != alerts.Sent || len(r.ids) != 2 {
		t.Errorf("%+v, sent %v; want what the second has left", found, r.ids)
	}
}

// An alert that fires keeps itself quiet, and no other of its site.
func TestAlertsOfASiteAreApart(t *testing.T) {
	w := newShop(t)
	w.alert("silence", "")
	w.now = w.now.Add(time.Hour)
	of := w.watcher()
	w.pass(of, 1)
	w.alert("pageViews stops", "")
	w.pass(of, 3)
	if found := w.findings(); len(found) != 2 || found[0].Alert != "silence" || found[1].Alert != "pageViews stops" ||
		found[1].Hour != found[0].Hour+1 {
		t.Errorf("%+v, want one of each", found)
	}
}

// All alerts of a site are judged by one generation, though another becomes live after the first.
func TestAlertsOfAnHourAreOfOneGeneration(t *testing.T) { synctest.Test(t, testOneGeneration) }

func testOneGeneration(t *testing.T) {
	w := newShop(t)
	if _, err := sinks.EnsureTableSettings(t.Context(), w.table.Table, sinks.Keys{}, nil); err != nil {
		t.Fatal(err)
	}
	w.alert("silence", "")
	w.alert("pageViews stops", "")
	rebuilt := sinks.KeysOfGeneration(2)
	for at := w.ends.AddDate(0, 0, -7*alerts.Weeks-3); at.Before(w.now); at = at.Add(time.Hour) {
		w.add(rebuilt.HourStats(shop, at.UnixMilli()), sinks.Attr{Name: "events", Value: sinks.Int(120)},
			sinks.Attr{Name: "pageViews", Value: sinks.Int(100)})
	}
	w.table.refuse = func(it sinks.Item) bool {
		if _, prefix := sinks.Findings(shop); strings.HasPrefix(it.Key().SK, prefix) {
			if _, err := w.table.Table.Update(t.Context(), sinks.Update{Key: sinks.Keys{}.TableSettings(), Set: []sinks.Attr{
				{Name: sinks.AttrGeneration, Value: sinks.Int(2)}, {Name: sinks.AttrGenerations, Value: sinks.Int(2)}}}); err != nil {
				t.Error(err)
			}
			time.Sleep(time.Minute) // Of the bubble. A reader takes the live generation from memory for less.
		}
		return false
	}
	of := w.watcher()
	w.now = w.now.Add(time.Hour)
	w.pass(of, 1)
	if found := w.findings(); len(found) != 2 {
		t.Errorf("%+v, want one of each alert", found)
	}
}

// Where clocks differ from UTC by half an hour, an hour is judged once it is over, and tried in no other case.
func TestHoursThatBeginWithinOthersAreOver(t *testing.T) {
	w := newShop(t)
	rules := &sites.Rules{Zones: []sites.Zone{{Name: "Asia/Kolkata"}}}
	if err := sites.Publish(t.Context(), w.table.Table, sinks.Keys{}, sites.Revision{Rev: 1, Site: shop, Rules: rules}); err != nil {
		t.Fatal(err)
	}
	for at := w.ends.AddDate(0, 0, -7*alerts.Weeks-3); !at.After(w.ends); at = at.Add(time.Hour) { // The last one begins at half past.
		w.add(sinks.Keys{}.HourStats(shop, at.Add(-30*time.Minute).UnixMilli()), sinks.Attr{Name: "events", Value: sinks.Int(120)})
	}
	w.alert("silence", "")
	of := w.watcher()
	w.now = w.now.Add(time.Hour) // It is 15:06. The hour from 14:30 on has no events yet.
	w.pass(of, 1)
	if found := w.findings(); len(found) != 0 {
		t.Errorf("%+v before the hour was over", found)
	}
	r, err := alerts.Parse("silence")
	if err != nil {
		t.Fatal(err)
	}
	now := w.now.Add(-time.Hour)
	a, err := of.counts.Try(t.Context(), shop, r, w.ends.AddDate(0, 0, -1), time.Time{}, now)
	if err != nil || len(a.Findings) != 0 {
		t.Errorf("tried at %v: %+v, %v", now, a.Findings, err)
	}
	w.pass(of, 1)
	found := w.findings()
	if len(found) != 1 || found[0].Hour != alerts.Hour(w.ends) ||
		!found[0].Shown().Start.Equal(w.ends.Truncate(time.Hour).Add(time.Hour/2)) {
		t.Errorf("%+v, want one of the hour from half past two on", found)
	}
}

// A goal is judged by its conversions, unless it was deleted.
func TestGoalsAreJudgedUntilTheyAreDeleted(t *testing.T) {
	for _, deleted := range []int64{0, 1} {
		w := newShop(t)
		goal := sites.Goal{ID: "bought", N: 7, On: sites.Pattern{On: sites.OnEvent, Type: "purchase"}}
		key := sinks.Keys{}.Goal(shop, goal.ID)
		it := sinks.Item{sinks.AttrPK: sinks.Str(key.PK), sinks.AttrSK: sinks.Str(key.SK), sinks.AttrSiteID: sinks.Str(shop),
			sinks.AttrGoal: sinks.Str(goal.ID), sinks.AttrGoalNumber: sinks.Int(int64(goal.N)), sinks.AttrRev: sinks.Int(1),
			sinks.AttrDefinition: sinks.Str(goal.String()), sinks.AttrDeleted: sinks.Int(deleted)}
		if _, err := w.table.Table.Put(t.Context(), sinks.Put{Item: it}); err != nil {
			t.Fatal(err)
		}
		for at := w.ends.AddDate(0, 0, -7*alerts.Weeks-3); at.Before(w.ends); at = at.Add(time.Hour) {
			w.add(sinks.Keys{}.HourStats(shop, at.UnixMilli()), sinks.Attr{Name: sinks.AttrGoalCount(goal.N), Value: sinks.Int(100)},
				sinks.Attr{Name: sinks.AttrConversions, Value: sinks.Int(100)})
		}
		w.alert("goal bought stops", "")
		w.pass(w.watcher(), 1)
		w.pass(w.watcher(), 3)
		if found := w.findings(); len(found) != 1-int(deleted) || len(found) > 0 && found[0].Hour != alerts.Hour(w.ends) {
			t.Errorf("deleted %d: %+v, want one of the first hour without conversions, and of a deleted goal none", deleted, found)
		}
	}
}
