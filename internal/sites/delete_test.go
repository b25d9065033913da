package sites_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
)

func TestDeletedSiteComesBackAsItWasCut(t *testing.T) {
	table := newTable(t)
	d := sites.Definition{ID: "s", Name: "Shop", Owner: "acme", Zone: "Europe/Berlin", Shards: 4, Days: map[string]int64{sinks.AttrRawDays: 7}}
	if err := sites.Create(t.Context(), table, keys, d, now); err != nil {
		t.Fatal(err)
	}
	for i := range 2 { // The second changes nothing.
		if err := decisionAt(table, now.Add(time.Duration(1+i)*time.Hour)).Delete(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if s := show(t, table, "s").Site; s.DeletedAt == nil || !s.DeletedAt.Equal(now.Add(time.Hour)) || s.Revision != 2 || s.Name != "Shop" {
		t.Errorf("site %+v, want it deleted an hour later, in revision 2", s)
	}
	if _, err := decision(table, "s").Update(t.Context(), sites.Changes{Name: new("x")}); err == nil || !strings.Contains(err.Error(),
		"was deleted at 2026-05-12T15:35:20Z") {
		t.Errorf("Update of a deleted site = %v", err)
	}
	again := sites.Definition{ID: "s", Name: "Kiosk", Zone: "Asia/Kolkata"}
	if _, conflict := errors.AsType[*sites.ConflictError](sites.Create(t.Context(), table, keys, again, now)); !conflict {
		t.Error("a deleted site came back with another zone, by which its hours were not cut")
	}
	again.Zone = ""
	if err := sites.Create(t.Context(), table, keys, again, now.Add(2*time.Hour)); err != nil {
		t.Fatal(err)
	}
	s := show(t, table, "s").Site
	if s.DeletedAt != nil || s.Revision != 3 || s.Name != "Kiosk" || s.Owner != "" || s.Zone != "Europe/Berlin" || s.Shards != 4 ||
		*s.Retention.RawDays != 7 ||
		!s.CreatedAt.Equal(now.Add(2*time.Hour)) {
		t.Errorf("site %+v, want it there again, cut as before", s)
	}
	log, err := sites.ReadLog(t.Context(), table, keys, nil)
	if err != nil {
		t.Fatal(err)
	}
	for rev, want := range []sites.Standing{sites.Unregistered, sites.Registered, sites.Deleted, sites.Registered} {
		if have := log.At(int64(rev)).Standing("s"); have != want {
			t.Errorf("as of revision %d the standing is %d, want %d", rev, have, want)
		}
	}
	if c := log.History("s")[0]; !c.Always || log.At(0).Site("s").String() != c.Rules.String() {
		t.Errorf("revision %+v, want one that holds always, also where the site is not registered yet", c)
	}
}

func TestSiteThatNobodyCreatedMayBeDeleted(t *testing.T) {
	table := newTable(t)
	if err := decision(table, "s").Delete(t.Context()); err == nil || !strings.Contains(err.Error(), "is not known") {
		t.Errorf("Delete of a site that nobody knows = %v", err)
	}
	if _, err := sinks.EnsureSiteEntry(t.Context(), table, keys, "s"); err != nil {
		t.Fatal(err)
	}
	if err := ifRevision(table, new(int64(0))).Delete(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s := show(t, table, "s").Site; s.DeletedAt == nil || s.Revision != 1 {
		t.Errorf("site %+v, want it deleted", s)
	}
}

func TestChangeOfAnotherRevisionIsRefused(t *testing.T) {
	table := newTable(t)
	if err := sites.Create(t.Context(), table, keys, sites.Definition{ID: "other"}, now); err != nil {
		t.Fatal(err)
	}
	if err := sites.Create(t.Context(), table, keys, sites.Definition{ID: "s"}, now); err != nil {
		t.Fatal(err)
	}
	change := func(revision int64, name string) error {
		_, err := ifRevision(table, &revision).Update(t.Context(), sites.Changes{Name: &name})
		return err
	}
	if err := change(2, "A"); err != nil {
		t.Errorf("Update behind revision 2 = %v", err)
	}
	for what, err := range map[string]error{"Update": change(2, "B"), "Delete": ifRevision(table, new(int64(2))).Delete(t.Context())} {
		if e, ok := errors.AsType[*sites.RevisionError](err); !ok || e.Have != 3 || e.Want != 2 || !strings.Contains(err.Error(),
			"has revision 3, not 2") {
			t.Errorf("%s behind revision 2 = %v, want a refusal that names both", what, err)
		}
	}
	if s := show(t, table, "s").Site; s.Name != "A" || s.DeletedAt != nil {
		t.Errorf("site %+v, want nothing changed by who was refused", s)
	}
	if err := ifRevision(table, new(int64(3))).Delete(t.Context()); err != nil {
		t.Errorf("Delete behind revision 3 = %v", err)
	}
}

func TestSwitchesStayAsTheyWere(t *testing.T) {
	table := newTable(t)
	if err := sites.Create(t.Context(), table, keys, sites.Definition{ID: "s"}, now); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		change sites.Changes
		want   []bool // realtime, recent, visitors
	}{
		{sites.Changes{Realtime: new(false)}, []bool{false, true, true}},
		{sites.Changes{Recent: new(false), VisitorIndex: new(false)}, []bool{false, false, false}},
		{sites.Changes{Name: new("S"), VisitorIndex: new(true)}, []bool{false, false, true}},
		{sites.Changes{Realtime: new(true), Recent: new(true)}, []bool{true, true, true}},
	} {
		if _, err := decision(table, "s").Update(t.Context(), c.change); err != nil {
			t.Fatal(err)
		}
		if s := show(t, table, "s").Site; !slices.Equal([]bool{s.Realtime, s.Recent, s.VisitorIndex}, c.want) {
			t.Errorf("%+v: site %+v, want %v", c.change, s, c.want)
		}
	}
	list, err := query.NewOf(table, keys, time.Now).Sites(t.Context(), query.SitesParams{})
	if err != nil || len(list.Sites) != 1 {
		t.Errorf("sites %+v, %v", list, err)
	}
}
