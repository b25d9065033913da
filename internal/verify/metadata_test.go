package verify_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/verify/scope"
	"github.com/footfall/footfall/sinks"
)

// create creates a site that has every attribute that metadata can have.
func (w *world) create(id string) {
	w.t.Helper()
	d := sites.Definition{ID: id, Name: "Shop", Domains: []string{"shop.example", "www.shop.example"}, Owner: "acme", Shards: 3,
		Days: map[string]int64{sinks.AttrRawDays: 7}, UserAgents: []string{"acme-probe"}}
	if err := sites.Create(w.t.Context(), w.table, sinks.Keys{}, d, w.start); err != nil {
		w.t.Fatal(err)
	}
}

// decide creates a site about which everything was decided that metadata repeat in plain attributes.
func (w *world) decide(id string) {
	w.t.Helper()
	err := sites.Create(w.t.Context(), w.table, sinks.Keys{}, sites.Definition{ID: id, Domains: []string{"d.example"}, Zone: "Europe/Berlin",
		Days: map[string]int64{sinks.AttrRawDays: 7, sinks.AttrSessionDays: 8, sinks.AttrHourDays: 9, sinks.AttrDayDays: sites.Never}}, w.start)
	d := sites.Decision{Table: w.table, Site: id, Now: w.start}
	if err == nil {
		_, err = d.Update(w.t.Context(), sites.Changes{Zone: "Europe/Paris"})
	}
	if err == nil {
		_, err = d.Update(w.t.Context(), sites.Changes{Shards: 5})
	}
	for _, goal := range []string{"first", "second"} {
		if err == nil {
			err = d.CreateGoal(w.t.Context(), sites.Goal{ID: goal, DurationMs: 20_000})
		}
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// rename changes the name of a site.
func (w *world) rename(id, name string) {
	w.t.Helper()
	if _, err := (sites.Decision{Table: w.table, Site: id, Now: w.start}).Update(w.t.Context(), sites.Changes{Name: &name}); err != nil {
		w.t.Fatal(err)
	}
}

// append appends a revision that nobody has published yet.
func (w *world) append(id, name string) sites.Revision {
	w.t.Helper()
	log, err := sites.ReadLog(w.t.Context(), w.table.Table, sinks.Keys{}, nil)
	if err == nil {
		log, err = sites.AppendLog(w.t.Context(), w.table.Table, sinks.Keys{}, log, sites.Revision{At: w.start.UnixMilli(), Site: id,
			Rules: &sites.Rules{Name: name}})
	}
	if err != nil {
		w.t.Fatal(err)
	}
	history := log.History(id)
	return history[len(history)-1]
}

// publish writes the views of a revision.
func (w *world) publish(c sites.Revision) {
	if err := sites.Publish(w.t.Context(), w.table, sinks.Keys{}, c); err != nil {
		w.t.Error(err)
	}
}

// checkMetadata wants that what the table says of a created site is compared with the last revision of its rules.
func (w *world) checkMetadata() {
	t := w.t
	t.Helper()
	keys := sinks.Keys{}
	metadata := keys.Metadata(plainSite)
	r := w.verify(nil)
	want(t, "created sites", r, 0)
	if r.Compared["metadata"] != 2 {
		t.Errorf("compared %v, want the metadata of two sites", r.Compared)
	}
	old := w.snapshot()[metadata]
	w.rename(plainSite, "New")
	want(t, "a changed site", w.verify(nil), 0)
	last := w.snapshot()
	w.set(metadata, old)
	onlyAt(t, "metadata of the revision before", w.verify(nil), metadata, sinks.AttrRev)
	w.set(metadata, nil)
	onlyAt(t, "metadata deleted", w.verify(nil), metadata, "(item)")
	w.set(metadata, last[metadata])

	created := keys.SiteEntry("created") // It has no events.
	w.set(created, nil)
	onlyAt(t, "an entry of the list of sites deleted", w.verify(nil), created, "(item)")
	w.set(created, last[created])

	stray := maps.Clone(last[metadata])
	key := keys.Metadata(oddSite)
	stray[sinks.AttrPK], stray[sinks.AttrSiteID] = sinks.Str(key.PK), sinks.Str(oddSite)
	w.set(key, stray)
	onlyAt(t, "metadata of a site without rules", w.verify(nil), key, "(item)")
	w.set(key, nil)

	revision := keys.Rules(3) // The change of the name, which no step was folded under.
	w.set(revision, nil)
	onlyAt(t, "a revision deleted", w.verify(nil), metadata, sinks.AttrRev)
	w.set(revision, last[revision])
	want(t, "all put back", w.verify(nil), 0)
}

func TestMetadataFollowsFromTheRules(t *testing.T) {
	inWorld(t, 2, func(t *testing.T, w *world) {
		w.create(plainSite)
		w.create("created")
		w.filled()
		w.checkMetadata()
	})
}

func TestEveryAttributeOfMetadataIsCompared(t *testing.T) {
	slow.Unraced(t) // One recount after the other, by the goroutines of every test here.
	inWorld(t, 1, func(t *testing.T, w *world) {
		w.create(plainSite)
		w.decide("decided")
		w.first0()
		w.pipeline()
		plain := w.snapshot()[sinks.Keys{}.Metadata("decided")]
		if plain[sinks.AttrTimeZone].Str() != "Europe/Paris" || plain[sinks.AttrTimeZoneFrom].Int() <= w.start.UnixMilli() ||
			plain[sinks.AttrShards].Int() != 5 || plain[sinks.AttrShardsFrom].Int() <= w.start.UnixMilli() ||
			plain[sinks.AttrDayDays].Int() != -1 || !slices.Equal(plain[sinks.AttrGoals].Strings(), []string{"1 first", "2 second"}) {
			t.Errorf("metadata repeat %v", plain)
		}
		w.eachIsNamed(append(w.metadataDamages(plainSite, 25), w.metadataDamages("decided", 40)...))
	})
}

// metadataDamages change each attribute of a site's metadata, in so many ways at least.
func (w *world) metadataDamages(site string, least int) (all []damage) {
	t, key := w.t, sinks.Keys{}.Metadata(site)
	t.Helper()
	it := w.snapshot()[key]
	for _, name := range append(slices.Collect(maps.Keys(it)), "stranger") {
		if name == sinks.AttrPK || name == sinks.AttrSK {
			continue
		}
		value := it[name]
		if name == "stranger" {
			value = sinks.Int(0)
		}
		for how, bad := range wrong(t, name, value) {
			if name == "stranger" && how == "removed" || how == "of another kind" {
				continue
			}
			all = append(all, damaged(fmt.Sprintf("%s %s %s", site, name, how), it, name, bad))
		}
	}
	if len(all) < least {
		t.Errorf("%s: only %d changes are tried", site, len(all))
	}
	return all
}

// Revisions are appended at each of verify's calls to the table, and published while verify waits for them. The metadata may
// be behind, or ahead of what verify has read, and there may be none yet. One site has another revision before the first
// is published.
func TestSiteThatChangesDuringTheRead(t *testing.T) {
	inWorld(t, 1, func(t *testing.T, w *world) {
		w.create(plainSite)
		w.first0()
		w.pipeline()
		calls := &moving{Table: w.table.Table}
		w.verify(func(o *scope.Options) { o.Table = calls })
		for after := range spread(t, calls.calls, 3, 12) {
			published := make(chan struct{})
			change := &moving{Table: w.table.Table, after: after, happen: func() {
				w.append(plainSite, fmt.Sprint("first", after))
				fresh := w.append(fmt.Sprint("new", after), "New")
				go func() {
					defer close(published)
					<-time.After(4 * time.Second)
					w.publish(fresh)
					second := w.append(plainSite, fmt.Sprint("second", after))
					<-time.After(4 * time.Second)
					w.publish(second)
				}()
			}}
			wantEqual(t, "revisions in pieces", w.verify(func(o *scope.Options) { o.Table = change }))
			<-published

			whole := &moving{Table: w.table.Table, after: after, happen: func() { w.rename(plainSite, fmt.Sprint("whole", after)) }}
			wantEqual(t, "a revision at once", w.verify(func(o *scope.Options) { o.Table = whole }))
			if t.Failed() {
				t.Fatalf("at call %d", after)
			}
		}
	})
}

// A worker that meets a site whose creation was cut short appends a revision without rules. There is nothing to publish.
func TestRevisionWithoutRulesNeedsNoMetadata(t *testing.T) {
	inWorld(t, 1, func(t *testing.T, w *world) {
		keys := sinks.Keys{}
		if claimed, err := sinks.ClaimSite(t.Context(), w.table, keys, plainSite, w.start); err != nil || !claimed {
			t.Fatal(claimed, err)
		}
		w.first0()
		w.pipeline()
		if it := w.snapshot()[keys.Rules(1)]; it == nil {
			t.Fatal("the worker has appended no revision")
		}
		want(t, "a revision without rules", w.verify(nil), 0)
		w.publish(w.append(plainSite, "Shop"))
		r := w.verify(nil)
		want(t, "one with rules after it", r, 0)
		if r.Compared["metadata"] != 1 {
			t.Errorf("compared %v, want the metadata", r.Compared)
		}
		w.set(keys.Metadata(plainSite), nil)
		onlyAt(t, "its metadata deleted", w.verify(nil), keys.Metadata(plainSite), "(item)")
	})
}

// Who has appended a revision may have ended before he published it.
func TestRevisionThatNobodyPublishesIsDifferent(t *testing.T) {
	inWorld(t, 1, func(t *testing.T, w *world) {
		w.create(plainSite)
		w.first0()
		w.pipeline()
		c := w.append(plainSite, "lost")
		onlyAt(t, "never published", w.verify(nil), sinks.Keys{}.Metadata(plainSite), sinks.AttrName)
		w.publish(c)
		want(t, "published", w.verify(nil), 0)
	})
}
