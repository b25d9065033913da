package watch

import (
	"context"
	"errors"
	"slices"
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

	counting counting
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
	for _, site := range []string{shop, "aaa", "other"} {
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
	return New(Options{Table: w.table, Mine: func() bool { return true }, Now: func() time.Time { return w.now }, Topic: &w.counting})
}

// A counting is which partitions are not counted, and which have counted events of a site.
type counting struct {
	late   []int32
	marked map[string][]int32
	asked  []string // until when records were to be counted
}

func tps(partitions []int32) (all []sinks.TP) {
	for _, p := range partitions {
		all = append(all, sinks.TP{Topic: 1, Partition: p})
	}
	return all
}

func (c *counting) Uncounted(_ context.Context, before time.Time) ([]sinks.TP, error) {
	c.asked = append(c.asked, before.Format("15:04"))
	return tps(c.late), nil
}

func (c *counting) Marked(_ context.Context, site string, _ [][2]int64) (map[sinks.TP]bool, error) {
	marked := make(map[sinks.TP]bool)
	for _, tp := range tps(c.marked[site]) {
		marked[tp] = true
	}
	return marked, nil
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

// mark is that of a site.
func (w *shopWorld) mark(site string) alerts.Mark {
	w.t.Helper()
	m, err := (&alerts.Store{Table: w.table.Table}).Mark(w.t.Context(), site)
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
	want := alerts.Span{From: alerts.Hour(w.ends), To: alerts.Hour(w.ends) + 47, Why: alerts.TooLate}
	if m := w.mark(shop); !slices.Equal(m.Skipped, []alerts.Span{want}) || m.Hour != alerts.Hour(w.now)-2 {
		t.Errorf("%+v at %v, want %+v left out", m, w.now, want)
	}
}

// A clock that was days ahead does not keep hours from being judged afterwards; one that goes back judges nothing again.
func TestClocksThatJump(t *testing.T) {
	w := newShop(t)
	w.alert("events > 1000000", "")
	of := w.watcher()
	w.pass(of, 1)
	was := w.mark(shop).Hour
	w.now = w.now.Add(100 * 24 * time.Hour)
	w.pass(of, 1)
	w.now = w.now.Add(-100 * 24 * time.Hour)
	w.pass(of, 1)
	if m := w.mark(shop); m.Hour != was+2 {
		t.Errorf("after a jump ahead: %d, want %d", m.Hour, was+2)
	}
	w.now = w.now.Add(-5 * time.Hour)
	w.pass(of, 1)
	if m := w.mark(shop); m.Hour != was+2 {
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
	for range patience {
		if err := of.Pass(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if found := w.findings(); len(found) != 1 {
		t.Errorf("%+v", found)
	}
	hour := alerts.Hour(w.now) - 1
	want := []alerts.Span{{From: hour, To: hour + 1, Why: alerts.Unreadable}}
	if m := w.mark("aaa"); m.Hour != hour || !slices.Equal(m.Skipped, want) {
		t.Errorf("the mark of the site is %+v, want %+v left out", m, want)
	}
	if m := w.mark(shop); m.Hour != hour || m.Skipped != nil {
		t.Errorf("the mark of the other is %+v at %v", m, w.now)
	}
}

// Records that are published and not counted yet hold up all sites for some minutes, and those that they may concern for longer.
func TestIncompleteHoursWait(t *testing.T) {
	w := newShop(t)
	w.alert("silence", "")
	w.now = w.now.Add(time.Hour)
	of := w.watcher()
	w.counting.late, w.counting.marked = []int32{1}, map[string][]int32{shop: {2}}
	w.pass(of, 1)
	if found := w.findings(); len(found) != 0 {
		t.Errorf("at once: %+v", found)
	}
	w.now = w.now.Add(patienceForAll - time.Hour)
	w.pass(of, 1)
	if found := w.findings(); len(found) != 1 {
		t.Errorf("after minutes: %+v", found)
	}
	if !slices.Equal(w.counting.asked, []string{"15:05", "15:05"}) {
		t.Error(w.counting.asked)
	}
}

// A partition that is not counted keeps the sites alone from being judged that have events on it. Their hours are judged in order once it
// is counted, also by another process, and a site is told apart by its mark.
func TestParkedPartitionHoldsUpItsSites(t *testing.T) {
	w := newShop(t)
	w.alert("silence", "")
	other := alerts.Alert{Site: "other", ID: "few", Rule: alerts.Rule{Subject: alerts.Subject{Figure: "events"}, Bound: 1, Hours: 1}}
	store := alerts.Store{Table: w.table.Table, Now: time.Now}
	if _, err := store.Create(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	of := w.watcher()
	w.pass(of, 1)
	w.now = w.now.Add(patienceForAll)
	w.counting.late, w.counting.marked = []int32{1, 3}, map[string][]int32{shop: {0, 3}, "other": {2}}
	w.pass(of, 5)
	if found := w.findings(); len(found) != 0 {
		t.Errorf("%+v was found while a partition is not counted", found)
	}
	if m := w.mark(shop); m.Hour != alerts.Hour(w.ends)-1 || !slices.Equal(m.Waiting, []int32{3}) || of.waits != 1 {
		t.Errorf("the site that waits: %+v, want it to wait for partition 3 since %v", m, w.ends)
	}
	if m := w.mark("other"); m.Hour != alerts.Hour(w.now)-2 || m.Waiting != nil {
		t.Errorf("the other: %+v at %v", m, w.now)
	}
	w.counting.late = []int32{1}
	next := w.watcher()
	w.pass(next, 1)
	if found := w.findings(); len(found) != 1 || found[0].Hour != alerts.Hour(w.ends) {
		t.Errorf("%+v, want the first silent hour", found)
	}
	if m := w.mark(shop); m.Hour != alerts.Hour(w.now)-2 || m.Waiting != nil || m.Skipped != nil || next.waits != 0 {
		t.Errorf("the site that waited: %+v at %v", m, w.now)
	}
}

// Hours of a site that waited for longer than a day are left out, and its mark says which. A site that is on no partition known waits for
// all.
func TestSitesThatWaitedForLongCatchUp(t *testing.T) {
	w := newShop(t)
	w.alert("silence", "")
	of := w.watcher()
	w.pass(of, 1)
	w.now = w.now.Add(patienceForAll)
	w.counting.late = []int32{7}
	w.pass(of, 40)
	if m := w.mark(shop); m.Hour != alerts.Hour(w.ends)-1 || !slices.Equal(m.Waiting, []int32{7}) || m.Skipped != nil {
		t.Errorf("%+v", m)
	}
	w.counting.late = nil
	w.pass(of, 1)
	first := alerts.Hour(w.now) - 2 - MaxCatchUp + 1
	want := []alerts.Span{{From: alerts.Hour(w.ends), To: first, Why: alerts.TooLate}}
	if m := w.mark(shop); !slices.Equal(m.Skipped, want) || m.Waiting != nil || m.Hour != alerts.Hour(w.now)-2 {
		t.Errorf("%+v, want %+v left out", m, want)
	}
	if found := w.findings(); len(found) != 1 || found[0].Hour != first {
		t.Errorf("%+v, want one at %d", found, first)
	}
}
