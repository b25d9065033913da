package sites_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/entered"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/testenv"
	"github.com/footfall/footfall/internal/testworld"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/dynamo"
	"github.com/footfall/footfall/sinks/retry"
)

func TestMain(m *testing.M) { testenv.Main(m) }

const shopID = "shop#1"

var suite = []struct {
	name string
	test func(*testing.T, *sites.FunnelStore)
}{
	{"CreatedFunnelsAreThere", testCreate},
	{"UpdateIsOfTheVersionThatWasRead", testUpdate},
	{"WhoIsSecondIsTold", testRace},
	{"DeletedFunnelsAreGone", testDelete},
	{"FunnelsThatAreNotThere", testNotFound},
	{"SitesNeverMeet", testSites},
}

func TestSQLite(t *testing.T) {
	for _, s := range suite {
		t.Run(s.name, func(t *testing.T) {
			table := testworld.Table(t)
			s.test(t, storeOn(t, table))
		})
	}
}

// Each test has a table of its own within the table.
func TestRealDynamoDB(t *testing.T) {
	testenv.SetAWS(t)
	client, err := dynamo.Connect(t.Context(), dynamo.ConnectOptions{AttemptTimeout: testenv.AttemptTimeout})
	if err != nil {
		t.Fatal(err)
	}
	table := dynamo.New(client, testenv.UniqueName(t))
	if err := table.Create(t.Context(), sinks.Shape{}); err != nil {
		t.Fatal(err)
	}
	retried := retry.Policy{Within: testenv.AttemptTimeout}.Reads(table)
	for _, s := range suite {
		t.Run(s.name, func(t *testing.T) { s.test(t, storeOn(t, testworld.Apart(retried, s.name))) })
	}
}

func storeOn(t *testing.T, table sinks.Table) *sites.FunnelStore {
	t.Helper()
	if _, err := sinks.EnsureSiteEntry(t.Context(), table, sinks.Keys{}, shopID); err != nil {
		t.Fatal(err)
	}
	return &sites.FunnelStore{Table: table, By: "me", Now: func() time.Time { return now }}
}

// another is the same table as another editor changes it, a minute later.
func another(s *sites.FunnelStore) *sites.FunnelStore {
	other := *s
	other.By, other.Now = "another editor", func() time.Time { return now.Add(time.Minute) }
	return &other
}

func checkout() sites.Funnel {
	return sites.Funnel{ID: "checkout", Name: "Checkout", Window: time.Hour, Steps: []sites.Pattern{
		{On: sites.OnPage, How: sites.MatchPrefix, Text: "/shopID/"}, {On: sites.OnEvent, Type: "purchase", Name: "order"}}}
}

// held reads a funnel, and fails the test if it is not there.
func held(t *testing.T, s *sites.FunnelStore, site, id string) sites.StoredFunnel {
	t.Helper()
	key := sinks.Keys{}.Funnel(site, id)
	r, err := s.Table.BatchGet(t.Context(), sinks.BatchGet{Keys: []sinks.Key{key}, Consistent: true})
	if err != nil || r.Items[key] == nil {
		t.Fatalf("funnel %s of site %s: %v, %v", id, site, r.Items, err)
	}
	got, err := sites.ReadFunnel(r.Items[key])
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func says(t *testing.T, what string, err error, texts ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("%s: no error", what)
		return
	}
	for _, text := range texts {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("%s: %q, want also %q", what, err, text)
		}
	}
}

func testCreate(t *testing.T, s *sites.FunnelStore) {
	d := checkout()
	made, err := s.Create(t.Context(), shopID, d)
	if err != nil || made.Version != 1 || made.ChangedBy != "me" || !made.CreatedAt.Equal(now) || made.Site != shopID {
		t.Fatalf("Create = %+v, %v", made, err)
	}
	if got := held(t, s, shopID, "checkout"); got.Version != 1 || got.Window != d.Window || got.Name != d.Name ||
		sites.SpellFunnelSteps(got.Steps) != "page-prefix:/shopID/ > event:purchase name:order" || got.Strict {
		t.Errorf("it holds %+v, want %+v", got, d)
	}
	again, err := another(s).Create(t.Context(), shopID, d)
	if err != nil || again.ChangedBy != "me" {
		t.Errorf("Create again = %+v, %v; want it as it is", again, err)
	}
	d.Window, d.Strict = time.Minute, true
	_, err = another(s).Create(t.Context(), shopID, d)
	says(t, "Create with other values", err, "version 1, made by me at 2026-05-12T14:35:20Z", "window is 1h0m0s, not 1m0s",
		"strict is false, not true", "funnel update")
	if got := held(t, s, shopID, "checkout"); got.Window != time.Hour {
		t.Errorf("a conflict has changed the window to %v", got.Window)
	}
}

func testUpdate(t *testing.T, s *sites.FunnelStore) {
	if _, err := s.Create(t.Context(), shopID, checkout()); err != nil {
		t.Fatal(err)
	}
	rename := func(to string) func(*sites.Funnel) { return func(d *sites.Funnel) { d.Name = to } }
	for i, to := range []string{"B", "C"} {
		got, err := another(s).Update(t.Context(), shopID, "checkout", int64(i+1), rename(to))
		if err != nil || got.Version != int64(i+2) || got.Name != to || got.ChangedBy != "another editor" || !got.CreatedAt.Equal(now) {
			t.Fatalf("Update = %+v, %v; want version %d", got, err, i+2)
		}
	}
	_, err := s.Update(t.Context(), shopID, "checkout", 2, rename("D"))
	says(t, "Update of a version that is gone", err, "in version 3, made by another editor at 2026-05-12T14:36:20Z, and not in version 2",
		"funnel show")
	if got, err := s.Update(t.Context(), shopID, "checkout", 2, rename("C")); err != nil || got.Version != 3 {
		t.Errorf("Update to what holds = %+v, %v; want no conflict and version 3", got, err)
	}
	if got, err := s.Update(t.Context(), shopID, "checkout", 0, rename("E")); err != nil || got.Version != 4 {
		t.Errorf("Update of any version = %+v, %v", got, err)
	}
	_, err = s.Update(t.Context(), shopID, "checkout", 0, func(d *sites.Funnel) { d.Steps = d.Steps[:1] })
	says(t, "Update to what cannot be", err, "1 steps: a funnel has 2 to 10")
	if got := held(t, s, shopID, "checkout"); got.Name != "E" || got.Version != 4 || len(got.Steps) != 2 {
		t.Errorf("it holds %+v, want E in version 4", got)
	}
}

// between lets something happen before a write.
type between struct {
	sinks.Table
	before func()
}

func (b *between) Put(ctx context.Context, p sinks.Put) (sinks.Result, error) {
	b.before()
	return b.Table.Put(ctx, p)
}

func (b *between) Delete(ctx context.Context, d sinks.Delete) (sinks.Result, error) {
	b.before()
	return b.Table.Delete(ctx, d)
}

func testRace(t *testing.T, s *sites.FunnelStore) {
	if _, err := s.Create(t.Context(), shopID, checkout()); err != nil {
		t.Fatal(err)
	}
	faster := another(s)
	slow := *s
	change := func() {
		if _, err := faster.Update(t.Context(), shopID, "checkout", 0, func(d *sites.Funnel) { d.Window += time.Minute }); err != nil {
			t.Error(err)
		}
	}
	slow.Table = &between{s.Table, change}
	_, err := slow.Update(t.Context(), shopID, "checkout", 0, func(d *sites.Funnel) { d.Strict = true })
	says(t, "Update by who is second", err, "in version 2, made by another editor", "and not in version 1")
	_, err = slow.Delete(t.Context(), shopID, "checkout", 2)
	says(t, "Delete by who is second", err, "in version 3, made by another editor", "and not in version 2")
	slow.Table = &between{s.Table, func() {
		if _, err := faster.Delete(t.Context(), shopID, "checkout", 0); err != nil {
			t.Error(err)
		}
		if _, err := faster.Create(t.Context(), shopID, checkout()); err != nil {
			t.Error(err)
		}
		for range 2 { // To the version that was read.
			change()
		}
	}}
	_, err = slow.Update(t.Context(), shopID, "checkout", 3, func(d *sites.Funnel) { d.Strict = true })
	says(t, "Update of a funnel that was created again", err, "version 3, made by another editor")
	if got := held(t, s, shopID, "checkout"); got.Strict {
		t.Error("who was second has changed a funnel that was created again")
	}
	slow.Table = &between{s.Table, func() {
		if _, err := faster.Delete(t.Context(), shopID, "checkout", 0); err != nil {
			t.Error(err)
		}
	}}
	_, err = slow.Update(t.Context(), shopID, "checkout", 0, func(d *sites.Funnel) { d.Strict = true })
	says(t, "Update of a funnel that was deleted since", err, "has no funnel", "deleted since")
}

func testDelete(t *testing.T, s *sites.FunnelStore) {
	if _, err := s.Create(t.Context(), shopID, checkout()); err != nil {
		t.Fatal(err)
	}
	_, err := s.Delete(t.Context(), shopID, "checkout", 7)
	says(t, "Delete of another version", err, "in version 1", "and not in version 7")
	if got, err := s.Delete(t.Context(), shopID, "checkout", 1); err != nil || got.Name != "Checkout" {
		t.Fatalf("Delete = %+v, %v", got, err)
	}
	_, err = s.Delete(t.Context(), shopID, "checkout", 0)
	says(t, "Delete again", err, `site "shop#1" has no funnel "checkout"`)
	if got, err := s.Create(t.Context(), shopID, checkout()); err != nil || got.Version != 1 {
		t.Errorf("Create after Delete = %+v, %v; want version 1", got, err)
	}
}

func testNotFound(t *testing.T, s *sites.FunnelStore) {
	_, err := s.Update(t.Context(), shopID, "none", 0, func(*sites.Funnel) {})
	if _, not := errors.AsType[*entered.UnknownError](err); !not {
		t.Errorf("Update of none = %v, want that it is not found", err)
	}
	says(t, "Update of none", err, "funnel list")
	_, err = s.Create(t.Context(), "nowhere", checkout())
	says(t, "Create at a site that nobody knows", err, `site "nowhere" is not known`, "site create")
	_, err = s.Update(t.Context(), "", "none", 0, func(*sites.Funnel) {})
	says(t, "a site without id", err, "site's id is empty")
	_, err = s.Delete(t.Context(), shopID, "a b", 0)
	says(t, "an id that cannot be", err, `funnel "a b"`)
}

func testSites(t *testing.T, s *sites.FunnelStore) {
	const other = "shop"
	if _, err := sinks.EnsureSiteEntry(t.Context(), s.Table, sinks.Keys{}, other); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Create(t.Context(), shopID, checkout()); err != nil {
		t.Fatal(err)
	}
	d := checkout()
	d.Name = "Other"
	if _, err := s.Create(t.Context(), other, d); err != nil {
		t.Fatalf("a funnel of another site is in the way: %v", err)
	}
	if _, err := s.Delete(t.Context(), other, "checkout", 0); err != nil {
		t.Fatal(err)
	}
	if got := held(t, s, shopID, "checkout"); got.Name != "Checkout" {
		t.Errorf("it holds %+v", got)
	}
}

func TestValidateNamesEveryFault(t *testing.T) {
	d := checkout()
	d.ID, d.Name, d.Window = "-x", strings.Repeat("n", 257), 1500*time.Microsecond
	d.Steps = append(d.Steps, sites.Pattern{On: "page"})
	says(t, "a bad funnel", d.Validate(), `funnel "-x"`, "257 bytes: shorten it to 256",
		"window 1.5ms: give whole milliseconds from 1s to 2160h0m0s", `step 3: how ""`)
	d = checkout()
	d.Steps = make([]sites.Pattern, 11)
	says(t, "too many steps", d.Validate(), "11 steps: a funnel has 2 to 10")
	for _, id := range []string{"", "a#b", "ä", strings.Repeat("a", 65), ".a"} {
		if entered.CheckID("funnel", id) == nil {
			t.Errorf("id %q is taken", id)
		}
	}
	for _, id := range []string{"a", "A.b-c_9", "0", strings.Repeat("a", 64)} {
		if err := entered.CheckID("funnel", id); err != nil {
			t.Errorf("id %q: %v", id, err)
		}
	}
}

// TestItemOfANewerReleaseIsRefused: a pattern that this release does not know must not be left out of a report.
func TestItemOfANewerReleaseIsRefused(t *testing.T) {
	it := sinks.Item{sinks.AttrFunnelID: sinks.Str("f"), sinks.AttrWindowMs: sinks.Int(60_000),
		sinks.AttrSteps: sinks.Str(`[{"on":"page","how":"glob","text":"/a"},{"on":"event","type":"b"}]`)}
	_, err := sites.ReadFunnel(it)
	says(t, "a comparison of a newer release", err, `step 1: how "glob"`, "newer release")
	it[sinks.AttrSteps] = sinks.Str(`[{"on":"event","type":"a"},{"on":"event","type":"b","not":true}]`)
	_, err = sites.ReadFunnel(it)
	says(t, "a field of a newer release", err, `unknown field "not"`, "newer release")
	it[sinks.AttrSteps] = sinks.Str("steps")
	_, err = sites.ReadFunnel(it)
	says(t, "steps that are no JSON", err, "steps of a funnel")
}
