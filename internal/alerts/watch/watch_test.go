package watch

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/alerts"
	"github.com/footfall/footfall/internal/testworld"
	"github.com/footfall/footfall/sinks"
)

const shop = "shop"

// A shopWorld is a table with a site that has 100 page views an hour until they stop, and a clock.
type shopWorld struct {
	t     *testing.T
	table *counted
	now   time.Time
	ends  time.Time // the site is silent from then on
}

// counted is a table that counts requests, and refuses puts of some items.
type counted struct {
	sinks.Table
	mu            sync.Mutex // covers what is below
	reads, writes int
	refuse        func(sinks.Item) bool
}

func (c *counted) Query(ctx context.Context, q sinks.Query) (sinks.Page, error) {
	c.mu.Lock()
	c.reads++
	c.mu.Unlock()
	return c.Table.Query(ctx, q)
}

func (c *counted) BatchGet(ctx context.Context, g sinks.BatchGet) (sinks.BatchResult, error) {
	c.mu.Lock()
	c.reads++
	c.mu.Unlock()
	return c.Table.BatchGet(ctx, g)
}

func (c *counted) Put(ctx context.Context, p sinks.Put) (sinks.Result, error) {
	c.mu.Lock()
	c.writes++
	refuse := c.refuse
	c.mu.Unlock()
	if refuse != nil && refuse(p.Item) {
		return sinks.Result{}, errors.New("no answer")
	}
	return c.Table.Put(ctx, p)
}

func newShop(t *testing.T) *shopWorld {
	t.Helper()
	ends := time.Date(2026, 5, 12, 14, 0, 0, 0, time.UTC)
	w := &shopWorld{t: t, table: &counted{Table: testworld.Table(t)}, now: ends.Add(Grace + time.Minute), ends: ends}
	for _, site := range []string{shop, "aaa"} {
		if _, err := sinks.EnsureSiteEntry(t.Context(), w.table.Table, sinks.Keys{}, site); err != nil {
			t.Fatal(err)
		}
	}
	for at := ends.AddDate(0, 0, -7*alerts.Weeks-3); at.Before(ends); at = at.Add(time.Hour) {
		w.add(sinks.Keys{}.HourStats(shop, at.UnixMilli()), sinks.Attr{Name: "pageViews", Value: sinks.Int(100)},
			sinks.Attr{Name: "events", Value: sinks.Int(120)})
	}
	return w
}

func (w *shopWorld) add(key sinks.Key, add ...sinks.Attr) {
	w.t.Helper()
	if _, err := w.table.Table.Update(w.t.Context(), sinks.Update{Key: key, Add: add, Set: []sinks.Attr{
		{Name: sinks.AttrEntity, Value: sinks.Str(sinks.EntityStats)},
		{Name: sinks.AttrSchema, Value: sinks.Int(sinks.SchemaVersion)}}}); err != nil {
		w.t.Fatal(err)
	}
}

func (w *shopWorld) alert(when, webhook string) {
	w.t.Helper()
	r, err := alerts.Parse(when)
	if err != nil {
		w.t.Fatal(err)
	}
	store := alerts.Store{Table: w.table.Table, Now: time.Now}
	if _, err := store.Create(w.t.Context(), alerts.Alert{Site: shop, ID: when, Rule: r, Webhook: webhook}); err != nil {
		w.t.Fatal(err)
	}
}

func (w *shopWorld) watcher() *Watcher {
	return New(Options{Table: w.table, Mine: func() bool { return true }, Now: func() time.Time { return w.now },
		Complete: func(context.Context, time.Time) (bool, error) { return true, nil }})
}

// pass makes passes at the next hours.
func (w *shopWorld) pass(of *Watcher, hours int) {
	w.t.Helper()
	for range hours {
		if err := of.Pass(w.t.Context()); err != nil {
			w.t.Fatal(err)
		}
		w.now = w.now.Add(time.Hour)
	}
}

func (w *shopWorld) findings() (all []alerts.Finding) {
	w.t.Helper()
	store := alerts.Store{Table: w.table.Table}
	for f, err := range store.Findings(w.t.Context(), shop, 0, alerts.Hour(w.now)+1) {
		if err != nil {
			w.t.Fatal(err)
		}
		all = append(all, f)
	}
	return all
}

func (w *shopWorld) mark() alerts.Mark {
	w.t.Helper()
	_, m, err := (&alerts.Store{Table: w.table.Table}).All(w.t.Context(), func(err error) { w.t.Error(err) })
	if err != nil {
		w.t.Fatal(err)
	}
	return m
}

// An hour is judged once it is over and complete. A fault that lasts is found once a day.
func TestSilenceIsFoundOnceADay(t *testing.T) {
	w := newShop(t)
	w.alert("silence", "")
	of := w.watcher()
	w.pass(of, 1)
	if found := w.findings(); len(found) != 0 {
		t.Errorf("before the silence: %+v", found)
	}
	w.pass(of, 26)
	found := w.findings()
	if len(found) != 2 || found[0].Hour != alerts.Hour(w.ends) || found[1].Hour != found[0].Hour+alerts.QuietHours+1 ||
		found[0].Delivery.State != alerts.NoHook || found[0].Text() != "0, usually 120" {
		t.Errorf("%+v", found)
	}
}

// Two owners at once, one that ends before it has kept the mark, and one that continues find the same, once.
func TestOwnersFindTheSameOnce(t *testing.T) {
	w := newShop(t)
	w.alert("pageViews drops", "https://hooks.example/")
	first, zombie := w.watcher(), w.watcher()
	w.pass(first, 1)
	w.table.refuse = func(it sinks.Item) bool { return it.Key() == sinks.AlertKey("", "judged") }
	if err := first.Pass(t.Context()); err == nil {
		t.Error("the mark was kept")
	}
	w.table.refuse = nil
	w.pass(zombie, 2)
	next := w.watcher()
	w.pass(next, 1)
	if found := w.findings(); len(found) != 1 || found[0].Delivery.State != alerts.Pending {
		t.Errorf("%+v, want one that is to be sent", found)
	}
	if len(next.sender.queue) != 1 || next.sender.queue[0].MessageID() != first.sender.queue[0].MessageID() {
		t.Errorf("the next owner sends %d findings, want the same one", len(next.sender.queue))
	}
}

// A table without alerts costs a read an hour, and no write.
func TestNoAlertsCostAReadAnHour(t *testing.T) {
	w := newShop(t)
	of := w.watcher()
	for range 10 {
		w.pass(of, 1)
		if err := of.Pass(t.Context()); err != nil { // Nothing is due, so it asks for nothing.
			t.Fatal(err)
		}
		w.now = w.now.Add(-30 * time.Minute)
		if err := of.Pass(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.now = w.now.Add(30 * time.Minute)
	}
	if w.table.writes != 0 || w.table.reads > 11 {
		t.Errorf("%d reads and %d writes", w.table.reads, w.table.writes)
	}
}

// After days without an owner the last hours are judged, and the mark says which were left out.
func TestCatchUpIsBounded(t *testing.T) {
	w := newShop(t)
	w.alert("silence", "")
	w.pass(w.watcher(), 1)
	w.now = w.now.Add(70 * time.Hour)
	w.pass(w.watcher(), 1)
	found := w.findings()
	if len(found) != 1 || found[0].Hour != alerts.Hour(w.now)-2-MaxCatchUp+1 {
		t.Errorf("%+v", found)
	}
	if m := w.mark(); m.Skipped != "2026-05-12T14:00:00Z to 2026-05-14T13:00:00Z" || m.Hour != alerts.Hour(w.now)-2 {
		t.Errorf("%+v at %v", m, w.now)
	}
}

// A clock that was days ahead does not keep hours from being judged afterwards; one that goes back judges nothing again.
func TestClocksThatJump(t *testing.T) {
	w := newShop(t)
	w.alert("events > 1000000", "")
	of := w.watcher()
	w.pass(of, 1)
	was := w.mark().Hour
	w.now = w.now.Add(100 * 24 * time.Hour)
	w.pass(of, 1)
	w.now = w.now.Add(-100 * 24 * time.Hour)
	w.pass(of, 1)
	if m := w.mark(); m.Hour != was+2 {
		t.Errorf("after a jump ahead: %d, want %d", m.Hour, was+2)
	}
	w.now = w.now.Add(-5 * time.Hour)
	w.pass(of, 1)
	if m := w.mark(); m.Hour != was+2 {
		t.Errorf("after a jump back: %d, want %d", m.Hour, was+2)
	}
}

// What cannot be read of one site does not keep others from being judged, nor their next hours.
func TestSitesAreJudgedApart(t *testing.T) {
	w := newShop(t)
	w.alert("silence", "")
	w.now = w.now.Add(time.Hour)
	broken := alerts.Alert{Site: "aaa", ID: "x", Rule: alerts.Rule{Subject: alerts.Subject{Figure: "events"}, Stops: true}}
	if _, err := (&alerts.Store{Table: w.table.Table, Now: time.Now}).Create(t.Context(), broken); err != nil {
		t.Fatal(err)
	}
	pk, prefix := sinks.Findings("aaa")
	bad := sinks.Item{sinks.AttrPK: sinks.Str(pk), sinks.AttrSK: sinks.Str(prefix + sinks.Hour(w.now.Add(-5*time.Hour).UnixMilli()) + "#x")}
	if _, err := w.table.Table.Put(t.Context(), sinks.Put{Item: bad}); err != nil {
		t.Fatal(err)
	}
	of := w.watcher()
	of.queued = true
	for range patience {
		if err := of.Pass(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if found := w.findings(); len(found) != 1 {
		t.Errorf("%+v", found)
	}
	if m := w.mark(); m.Hour != alerts.Hour(w.now)-1 {
		t.Errorf("the mark is %+v at %v", m, w.now)
	}
}

// Hours that are not complete wait.
func TestIncompleteHoursWait(t *testing.T) {
	w := newShop(t)
	w.alert("silence", "")
	w.now = w.now.Add(time.Hour)
	of, complete := w.watcher(), false
	var asked []string
	of.Complete = func(_ context.Context, before time.Time) (bool, error) {
		asked = append(asked, before.Format("15:04"))
		return complete, nil
	}
	w.pass(of, 1)
	if found := w.findings(); len(found) != 0 {
		t.Errorf("%+v", found)
	}
	w.now = w.now.Add(-time.Hour)
	complete = true
	w.pass(of, 1)
	if found := w.findings(); len(found) != 1 {
		t.Errorf("%+v", found)
	}
	if !slices.Equal(asked, []string{"15:05", "15:05"}) {
		t.Error(strings.Join(asked, " "))
	}
}
