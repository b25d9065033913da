package sites_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
)

// counted gives a site an hour, as its first step does.
func counted(t *testing.T, table sinks.Table, id string) {
	t.Helper()
	key := keys.HourStats(id, now.Truncate(time.Hour).UnixMilli())
	_, err := sinks.EnsureSiteEntry(t.Context(), table, keys, id)
	if err == nil {
		_, err = table.Put(t.Context(), sinks.Put{Item: sinks.Item{sinks.AttrPK: sinks.Str(key.PK), sinks.AttrSK: sinks.Str(key.SK)}})
	}
	if err != nil {
		t.Fatal(err)
	}
}

func instant(t *testing.T, s string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, s)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// TestChangesHoldFromWhereTheyMay is about a site with events; it is 2026-05-12T14:35:20Z.
func TestChangesHoldFromWhereTheyMay(t *testing.T) {
	for _, c := range []struct {
		name     string
		zone     string // until then, from the beginning
		change   sites.Changes
		from     string // asked for; "": none
		wants    string // from when it holds then
		says     string // or the error
		proposes string
	}{
		{name: "the next midnight but one", zone: "Europe/Berlin", change: sites.Changes{Zone: "Europe/Paris"}, wants: "2026-05-14T22:00:00Z"},
		{name: "a common midnight", zone: "Europe/Berlin", change: sites.Changes{Zone: "Europe/Paris"}, from: "2026-06-01T22:00:00Z",
			wants: "2026-06-01T22:00:00Z"},
		{name: "less than two days ahead", zone: "Europe/Berlin", change: sites.Changes{Zone: "Europe/Paris"}, from: "2026-05-13T22:00:00Z",
			says: "less than two days ahead", proposes: "2026-05-14T22:00:00Z"},
		{name: "no midnight in the old zone", zone: "Europe/London", change: sites.Changes{Zone: "Asia/Kolkata"}, from: "2026-06-01T18:30:00Z",
			wants: "2026-06-01T18:30:00Z"},
		{name: "no midnight in the new zone", zone: "Europe/London", change: sites.Changes{Zone: "Africa/Lagos"}, from: "2026-11-02T00:00:00Z",
			says: "no day begins then in Africa/Lagos", proposes: "2026-11-02T23:00:00Z"},
		{name: "by half an hour", zone: "UTC", change: sites.Changes{Zone: "Asia/Kolkata"}, wants: "2026-05-14T18:30:00Z"},
		{name: "a date would come twice", zone: "Pacific/Kiritimati", change: sites.Changes{Zone: "Pacific/Honolulu"},
			wants: "2026-05-15T10:00:00Z"},
		{name: "a date is left out", zone: "Pacific/Honolulu", change: sites.Changes{Zone: "Pacific/Kiritimati"}, wants: "2026-05-15T10:00:00Z"},
		{name: "the next day of UTC", change: sites.Changes{Shards: 4}, wants: "2026-05-14T00:00:00Z"},
		{name: "a day", change: sites.Changes{Shards: 4}, from: "2026-06-01T00:00:00Z", wants: "2026-06-01T00:00:00Z"},
		{name: "no day", change: sites.Changes{Shards: 4}, from: "2026-06-01T01:00:00Z", says: "a day of UTC must begin then",
			proposes: "2026-06-02T00:00:00Z"},
		{name: "too soon", change: sites.Changes{Shards: 4}, from: "2026-05-13T00:00:00Z", says: "less than 24 hours ahead",
			proposes: "2026-05-14T00:00:00Z"},
		{name: "no day, too soon", change: sites.Changes{Shards: 4}, from: "2026-05-12T15:00:00Z", says: "a day of UTC must begin then",
			proposes: "2026-05-14T00:00:00Z"},
		{name: "long ago", change: sites.Changes{Shards: 4}, from: "2020-01-01T00:00:00Z", says: "less than 24 hours ahead",
			proposes: "2026-05-14T00:00:00Z"},
		{name: "both, from no day", zone: "UTC", change: sites.Changes{Zone: "Africa/Abidjan", Shards: 4}, from: "2026-06-01T01:00:00Z",
			says: "the zone and the number of shards cannot change", proposes: "2026-06-02T00:00:00Z"},
		{name: "both, from a day of UTC that no zone has", zone: "UTC", change: sites.Changes{Zone: "Europe/London", Shards: 4},
			from: "2026-06-01T00:00:00Z",
			says: "no day begins then in Europe/London", proposes: "2026-10-26T00:00:00Z"},
		{name: "both, from a midnight that is none of UTC", zone: "Europe/Berlin", change: sites.Changes{Zone: "Europe/Paris", Shards: 4},
			from: "2026-06-01T22:00:00Z",
			says: "change them in two commands"},
		{name: "both, from a day of UTC where midnights are others", zone: "Europe/Berlin", change: sites.Changes{Zone: "Europe/Paris",
			Shards: 4},
			from: "2026-06-01T00:00:00Z", says: "change them in two commands"},
	} {
		t.Run(c.name, func(t *testing.T) {
			table := newTable(t)
			if err := sites.Create(t.Context(), table, keys, sites.Definition{ID: "s", Zone: c.zone}, now); err != nil {
				t.Fatal(err)
			}
			counted(t, table, "s")
			if c.from != "" {
				c.change.From = instant(t, c.from)
			}
			before := show(t, table, "s").Site
			_, err := decision(table, "s").Update(t.Context(), c.change)
			after := show(t, table, "s").Site
			if c.says != "" {
				soon, ok := errors.AsType[*sites.TooSoonError](err)
				if err == nil || !strings.Contains(err.Error(), c.says) || c.proposes != "" && (!ok || !soon.Next.Equal(instant(t, c.proposes))) {
					t.Errorf("Update = %v, want an error that says %q and proposes %s", err, c.says, c.proposes)
				}
				if fmt.Sprint(before.Revision, len(before.ZonesFrom)) != fmt.Sprint(after.Revision, len(after.ZonesFrom)) {
					t.Errorf("the site was changed: %+v", after)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var from *time.Time
			if c.change.Zone != "" {
				last := after.ZonesFrom[len(after.ZonesFrom)-1]
				if from = last.From; last.Zone != c.change.Zone {
					t.Errorf("zones %+v", after.ZonesFrom)
				}
			} else {
				last := after.ShardsFrom[len(after.ShardsFrom)-1]
				if from = last.From; last.Shards != c.change.Shards {
					t.Errorf("shards %+v", after.ShardsFrom)
				}
			}
			if from == nil || !from.Equal(instant(t, c.wants)) {
				t.Errorf("it holds from %v, want %s", from, c.wants)
			}
			if _, err := decisionAt(table, now.Add(time.Hour)).Update(t.Context(), c.change); err != nil ||
				show(t, table, "s").Site.Revision != after.Revision {
				t.Errorf("Update again = %v, and revision %d; want nothing changed", err, show(t, table, "s").Site.Revision)
			}
		})
	}
}

// TestPlansMayBeReplaced: what does not hold yet, and not within 24 hours, gives way to what is decided later.
func TestPlansMayBeReplaced(t *testing.T) {
	table := newTable(t)
	counted(t, table, "s")
	for _, c := range []sites.Changes{{Shards: 4, From: instant(t, "2026-06-01T00:00:00Z")},
		{Shards: 8, From: instant(t, "2026-07-01T00:00:00Z")},
		{Shards: 2, From: instant(t, "2026-06-15T00:00:00Z")}} {
		if _, err := decision(table, "s").Update(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for _, x := range show(t, table, "s").Site.ShardsFrom {
		from := "-"
		if x.From != nil {
			from = x.From.Format(time.DateOnly)
		}
		got = append(got, fmt.Sprint(from, " ", x.Shards))
	}
	if want := "[- 16 2026-06-01 4 2026-06-15 2]"; fmt.Sprint(got) != want {
		t.Errorf("shards %v, want %s", got, want)
	}
	for _, c := range []sites.Changes{{Zone: "Africa/Abidjan", From: instant(t, "2026-06-01T00:00:00Z")},
		{Zone: "UTC", From: instant(t, "2026-05-20T00:00:00Z")}} {
		if _, err := decision(table, "s").Update(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	if zones := show(t, table, "s").Site.ZonesFrom; len(zones) != 1 || zones[0].From != nil || zones[0].Zone != "UTC" {
		t.Errorf("zones %+v, want UTC alone: it was decided again before what was planned", zones)
	}
}

// TestPlansThatGiveWayAreTold: it is 2026-05-12T14:35:20Z when each plan is made; what is asked last is asked at that time or later.
func TestPlansThatGiveWayAreTold(t *testing.T) {
	const june, july, august = "2026-06-01T00:00:00Z", "2026-07-01T00:00:00Z", "2026-08-01T00:00:00Z"
	shards := func(n int, from string) sites.Changes {
		c := sites.Changes{Shards: n}
		if from != "" {
			c.From = instant(t, from)
		}
		return c
	}
	zone := func(name, from string) sites.Changes {
		c := shards(0, from)
		c.Zone = name
		return c
	}
	for _, c := range []struct {
		name  string
		plans []sites.Changes
		at    string // of the last; "": as the others
		note  string // of the last
		says  string // or its error
		want  string // what holds from when
	}{
		{name: "the first plan", plans: []sites.Changes{shards(8, june)}, want: "16, 8 from 06-01"},
		{name: "the same again", plans: []sites.Changes{shards(8, june), shards(8, june)}, want: "16, 8 from 06-01"},
		{name: "the same again, once it is near", plans: []sites.Changes{shards(8, june), shards(8, june)}, at: "2026-05-31T12:00:00Z",
			want: "16, 8 from 06-01"},
		{name: "the same again, which was replaced", plans: []sites.Changes{shards(8, june), shards(4, july), shards(8, june)},
			note: "This replaces what was planned: 8 shards from 2026-06-01T00:00:00Z, 4 shards from 2026-07-01T00:00:00Z.",
			want: "16, 8 from 06-01"},
		{name: "postponed", plans: []sites.Changes{shards(8, june), shards(8, july)},
			note: "This replaces what was planned: 8 shards from 2026-06-01T00:00:00Z.", want: "16, 8 from 07-01"},
		{name: "postponed past another plan", plans: []sites.Changes{shards(8, june), shards(4, july), shards(8, august)},
			want: "16, 8 from 06-01, 4 from 07-01, 8 from 08-01"},
		{name: "postponed too late", plans: []sites.Changes{shards(8, june), shards(8, july)}, at: "2026-05-31T12:00:00Z",
			says: "8 shards cannot be postponed", want: "16, 8 from 06-01"},
		{name: "sooner", plans: []sites.Changes{shards(8, july), shards(8, june)},
			note: "This replaces what was planned: 8 shards from 2026-07-01T00:00:00Z.", want: "16, 8 from 06-01"},
		{name: "another number", plans: []sites.Changes{shards(8, july), shards(4, june)},
			note: "This replaces what was planned: 8 shards from 2026-07-01T00:00:00Z.", want: "16, 4 from 06-01"},
		{name: "planned already", plans: []sites.Changes{shards(8, july), shards(8, "")},
			note: "Planned already: 8 shards from 2026-07-01T00:00:00Z on.", want: "16, 8 from 07-01"},
		{name: "in force already", plans: []sites.Changes{shards(16, july)}, note: "In force already: 16 shards, from the beginning on.",
			want: "16"},
		{name: "in force already, and long since", plans: []sites.Changes{shards(16, "2020-01-01T00:00:00Z")},
			note: "In force already: 16 shards, from the beginning on.", want: "16"},
		{name: "in force from a plan on", plans: []sites.Changes{shards(8, june), shards(8, august)}, at: "2026-06-15T00:00:00Z",
			note: "In force already: 8 shards, from 2026-06-01T00:00:00Z on.", want: "16, 8 from 06-01"},
		{name: "cancelled", plans: []sites.Changes{shards(8, july), shards(16, "")},
			note: "This cancels what was planned: 8 shards from 2026-07-01T00:00:00Z.", want: "16"},
		{name: "too near to be cancelled", plans: []sites.Changes{shards(8, june), shards(16, "2026-05-31T18:00:00Z")},
			at:   "2026-05-31T12:00:00Z",
			says: "a day of UTC must begin then; the next instant is 2026-06-02T00:00:00Z", want: "16, 8 from 06-01"},
		{name: "a zone is cancelled", plans: []sites.Changes{zone("Africa/Abidjan", june), zone("UTC", "")},
			note: "This cancels what was planned: zone Africa/Abidjan from 2026-06-01T00:00:00Z.", want: "UTC"},
		{name: "a zone is cancelled by the one in force, whose next day begins later", plans: []sites.Changes{zone("Asia/Kolkata", ""),
			zone("UTC", "")}, note: "This cancels what was planned: zone Asia/Kolkata from 2026-05-14T18:30:00Z.", want: "UTC"},
		{name: "two zones are cancelled by the one in force", plans: []sites.Changes{zone("Asia/Kolkata", "2026-06-01T18:30:00Z"),
			zone("UTC", july), zone("UTC", "")},
			note: "This cancels what was planned: zone Asia/Kolkata from 2026-06-01T18:30:00Z, zone UTC from 2026-07-01T00:00:00Z.", want: "UTC"},
		{name: "a zone replaces one that would begin a few hours before", plans: []sites.Changes{zone("Asia/Kolkata", ""),
			zone("Europe/London", "")}, note: "This replaces what was planned: zone Asia/Kolkata from 2026-05-14T18:30:00Z.",
			want: "UTC, Europe/London from 05-14"},
		{name: "a zone is too near to be cancelled", plans: []sites.Changes{zone("Asia/Kolkata", ""), zone("UTC", "")},
			at: "2026-05-12T19:00:00Z", says: "zone Asia/Kolkata from 2026-05-14T18:30:00Z cannot be cancelled: it is less than two days " +
				"ahead; to change back to UTC after it, name the instant: --from 2026-05-15T00:00:00Z",
			want: "UTC, Asia/Kolkata from 05-14"},
		{name: "a zone that begins soon and goes back", plans: []sites.Changes{zone("Asia/Kolkata", ""), zone("UTC", "2026-05-15T00:00:00Z"),
			zone("UTC", "")}, at: "2026-05-12T19:00:00Z", note: "Planned already: zone UTC from 2026-05-15T00:00:00Z on.",
			want: "UTC, Asia/Kolkata from 05-14, UTC from 05-15"},
		{name: "a zone is postponed", plans: []sites.Changes{zone("Africa/Abidjan", june), zone("Africa/Abidjan", july)},
			note: "This replaces what was planned: zone Africa/Abidjan from 2026-06-01T00:00:00Z.", want: "UTC, Africa/Abidjan from 07-01"},
		{name: "a zone is postponed to where it cannot begin", plans: []sites.Changes{zone("Europe/London", "2026-11-01T00:00:00Z"),
			zone("Europe/London", "2027-06-01T00:00:00Z")},
			says: "no day begins then in Europe/London; the next instant is 2027-06-01T23:00:00Z", want: "UTC, Europe/London from 11-01"},
		{name: "a zone in force", plans: []sites.Changes{zone("UTC", july)}, note: "In force already: zone UTC, from the beginning on.",
			want: "UTC"},
	} {
		t.Run(c.name, func(t *testing.T) {
			table := newTable(t)
			counted(t, table, "s")
			for i, change := range c.plans {
				last, asked := i == len(c.plans)-1, now
				if last && c.at != "" {
					asked = instant(t, c.at)
				}
				notes, err := decisionAt(table, asked).Update(t.Context(), change)
				switch {
				case !last && err != nil, last && c.says == "" && err != nil:
					t.Fatal(err)
				case last && c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)):
					t.Errorf("Update = %v, want an error that says %q", err, c.says)
				case last && c.note == "" && len(notes) > 0, last && c.note != "" && fmt.Sprint(notes) != "["+c.note+"]":
					t.Errorf("notes %q, want %q", notes, c.note)
				}
			}
			s := show(t, table, "s").Site
			var got []string
			add := func(value any, from *time.Time) {
				text := fmt.Sprint(value)
				if from != nil {
					text += from.Format(" from 01-02")
				}
				got = append(got, text)
			}
			if c.plans[0].Zone != "" {
				for _, z := range s.ZonesFrom {
					add(z.Zone, z.From)
				}
			} else {
				for _, x := range s.ShardsFrom {
					add(x.Shards, x.From)
				}
			}
			if text := strings.Join(got, ", "); text != c.want {
				t.Errorf("it holds %s, want %s", text, c.want)
			}
		})
	}
}

// TestOnlyCreateDecidesFromTheBeginning: events of a site may be under way although none has been counted.
func TestOnlyCreateDecidesFromTheBeginning(t *testing.T) {
	table := newTable(t)
	if err := sites.Create(t.Context(), table, keys, sites.Definition{ID: "s", Name: "S", Zone: "Europe/Berlin", Shards: 3}, now); err != nil {
		t.Fatal(err)
	}
	log, err := sites.ReadLog(t.Context(), table, keys, nil)
	if err != nil {
		t.Fatal(err)
	}
	if before := log.At(0).Site("s"); before.ShardsAt(0) != 3 || before.Zone(0).Loc.String() != "Europe/Berlin" {
		t.Errorf("a step of revision 0 has the rules %v, want the first ones", before)
	}
	name := "T"
	if _, err := decision(table, "s").Update(t.Context(), sites.Changes{Zone: "Europe/Paris", Shards: 4, Name: &name,
		Days: map[string]int64{sinks.AttrRawDays: 3}}); err != nil {
		t.Fatal(err)
	}
	s := show(t, table, "s").Site
	if len(s.ZonesFrom) != 2 || s.ZonesFrom[1].From == nil || len(s.ShardsFrom) != 2 || s.Name != "T" || *s.Retention.RawDays != 3 ||
		s.Revision != 2 {
		t.Errorf("site %+v, want a zone and shards that hold from tomorrow on", s)
	}
	if log, err = sites.ReadLog(t.Context(), table, keys, log); err != nil || log.At(0).Site("s").Name != "S" ||
		log.At(2).Site("s").Name != "T" {
		t.Errorf("the first rules are %v, the last %v; %v", log.At(0).Site("s"), log.At(2).Site("s"), err)
	}
	if _, err := decision(table, "unknown").Update(t.Context(), sites.Changes{Name: &name}); err == nil ||
		!strings.Contains(err.Error(), "not known") {
		t.Errorf("Update of a site that nobody knows = %v", err)
	}
}

// TestWorkerThatMeetsAClaimedSiteIsFirst: a creator that was cut short between claim and rules, and one that a worker overtakes
// there, find that the site may have been counted by the defaults.
func TestWorkerThatMeetsAClaimedSiteIsFirst(t *testing.T) {
	table := newTable(t)
	berlin := sites.Definition{ID: "s", Zone: "Europe/Berlin"}
	if claimed, err := sinks.ClaimSite(t.Context(), table, keys, "s", now); err != nil || !claimed {
		t.Fatal(claimed, err)
	}
	if _, err := sites.AppendLog(t.Context(), table, keys, nil, sites.Revision{At: now.UnixMilli(), Site: "s",
		Rules: new(sites.Rules)}); err != nil {
		t.Fatal(err)
	}
	if _, conflict := errors.AsType[*sites.ConflictError](sites.Create(t.Context(), table, keys, berlin, now)); !conflict {
		t.Error("a zone was decided for a site that is being counted without")
	}
	if a := show(t, table, "s"); a.Site.Created {
		t.Errorf("the site is shown as created: %+v", a.Site)
	}
	if err := sites.Create(t.Context(), table, keys, sites.Definition{ID: "s", Name: "S"}, now); err != nil ||
		show(t, table, "s").Site.Name != "S" || show(t, table, "s").Site.CreatedAt.IsZero() {
		t.Errorf("Create with a name = %v", err)
	}
	if claimed, err := sinks.ClaimSite(t.Context(), table, keys, "t", now); err != nil || !claimed {
		t.Fatal(claimed, err)
	}
	if _, err := decision(table, "t").Update(t.Context(), sites.Changes{Zone: "Europe/Berlin"}); err == nil ||
		!strings.Contains(err.Error(), "not known") {
		t.Errorf("Update of a site that was only claimed = %v", err)
	}
	if err := sites.Create(t.Context(), table, keys, sites.Definition{ID: "t", Zone: "Europe/Berlin"}, now); err != nil ||
		show(t, table, "t").Site.Zone != "Europe/Berlin" {
		t.Errorf("Create again after a claim = %v", err)
	}
}

// TestTwoWritersAtOnceLoseNothing: whoever is second decides again, knowing what the first has decided.
func TestTwoWritersAtOnceLoseNothing(t *testing.T) {
	table := newTable(t)
	counted(t, table, "s")
	var wg sync.WaitGroup
	names := []string{sinks.AttrRawDays, sinks.AttrSessionDays, sinks.AttrHourDays, sinks.AttrDayDays}
	for i, name := range names {
		wg.Go(func() {
			if _, err := decision(table, "s").Update(t.Context(), sites.Changes{Days: map[string]int64{name: int64(i + 3)}}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	r := show(t, table, "s").Site.Retention
	for i, days := range []*int64{r.RawDays, r.SessionDays, r.HourDays, r.DayDays} {
		if days == nil || *days != int64(i+3) {
			t.Errorf("%s is not what was decided: %+v", names[i], days)
		}
	}
}

// TestViewsBehindTheLogAreRepaired: a command that ended between the log and what readers look at is made up for by the next.
func TestViewsBehindTheLogAreRepaired(t *testing.T) {
	table := newTable(t)
	s := &sites.Rules{Name: "S", CreatedAt: now.UnixMilli()}
	if _, err := sites.AppendLog(t.Context(), table, keys, nil, sites.Revision{At: now.UnixMilli(), Site: "s", Rules: s}); err != nil {
		t.Fatal(err)
	}
	if a := show(t, table, "s"); a.SiteKnown {
		t.Fatalf("the site is shown already: %+v", a)
	}
	if err := sites.Create(t.Context(), table, keys, sites.Definition{ID: "s", Name: "S"}, now); err != nil {
		t.Fatal(err)
	}
	list, err := query.NewOf(table, keys, time.Now).Sites(t.Context(), query.SitesParams{})
	if a := show(t, table, "s"); err != nil || !a.SiteKnown || a.Site.Name != "S" || a.Site.Revision != 1 || len(list.Sites) != 1 {
		t.Errorf("site %+v, list %+v, %v; want the revision that was appended", a.Site, list.Sites, err)
	}
}

// TestNumbersOfRevisionsThatAreGoneAreNotGivenAgain is about a table that has lost the last revisions: a chain may name them.
func TestNumbersOfRevisionsThatAreGoneAreNotGivenAgain(t *testing.T) {
	table, earlier := newTable(t), newTable(t)
	for _, to := range []sinks.Table{table, earlier} {
		if err := sites.Create(t.Context(), to, keys, sites.Definition{ID: "s", Name: "A", Zone: "Asia/Kolkata"}, now); err != nil {
			t.Fatal(err)
		}
	}
	name := "B"
	if _, err := decision(table, "s").Update(t.Context(), sites.Changes{Name: &name}); err != nil {
		t.Fatal(err)
	}
	metadata := keys.Metadata("s")
	r, err := table.BatchGet(t.Context(), sinks.BatchGet{Keys: []sinks.Key{metadata}, Consistent: true})
	if err == nil {
		_, err = earlier.Put(t.Context(), sinks.Put{Item: r.Items[metadata]})
	}
	if err != nil {
		t.Fatal(err)
	}
	name = "C"
	_, err = decision(earlier, "s").Update(t.Context(), sites.Changes{Name: &name})
	if err == nil || !strings.Contains(err.Error(), "its metadata is of revision 2 of the site settings, and the table has 1") {
		t.Errorf("Update = %v, want it to say that a revision is gone", err)
	}
	err = sites.Create(t.Context(), earlier, keys, sites.Definition{ID: "s", Owner: "me"}, now)
	if err == nil || !strings.Contains(err.Error(), "restore what belongs together") {
		t.Errorf("Create = %v, want it to say that a revision is gone", err)
	}
	if log, err := sites.ReadLog(t.Context(), earlier, keys, nil); err != nil || log.Rev() != 1 {
		t.Errorf("the log has %d revisions, %v; want none appended", log.Rev(), err)
	}
}
