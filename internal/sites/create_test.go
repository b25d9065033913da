package sites_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
)

// show reads a site back as a user does.
func show(t *testing.T, table sinks.Table, id string) query.SiteAnswer {
	t.Helper()
	a, err := query.NewOf(table, keys, func() time.Time { return now }).Site(t.Context(), query.SiteParams{Site: id, Consistent: true})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

var shop = sites.Definition{ID: "shop#1", Name: "Shop", Domains: []string{"shop.example", "www.shop.example"}, Owner: "acme",
	Shards: 4, Days: map[string]int64{sinks.AttrRawDays: 7, sinks.AttrDayDays: sites.Never}}

func TestCreatedSiteIsShownAndListed(t *testing.T) {
	table := newTable(t)
	if err := sites.Create(t.Context(), table, keys, shop, now); err != nil {
		t.Fatal(err)
	}
	s := show(t, table, "shop#1").Site
	if s == nil || !s.Created || s.Name != "Shop" || s.Owner != "acme" || !slices.Equal(s.Domains, shop.Domains) || s.Shards != 4 ||
		!s.CreatedAt.Equal(now) ||
		*s.Retention.RawDays != 7 || *s.Retention.DayDays != -1 || s.Retention.HourDays != nil || s.Retention.SessionDays != nil {
		t.Errorf("site %+v, want what was created", s)
	}
	list, err := query.NewOf(table, keys, time.Now).Sites(t.Context(), query.SitesParams{Owner: "acme"})
	if err != nil || len(list.Sites) != 1 || list.Sites[0].SiteID != "shop#1" {
		t.Errorf("sites of the owner: %+v, %v; want the created one", list, err)
	}
}

func TestCreateMayBeRepeated(t *testing.T) {
	table := newTable(t)
	for i := range 3 {
		if err := sites.Create(t.Context(), table, keys, shop, now.Add(time.Duration(i)*time.Hour)); err != nil {
			t.Fatalf("Create, time %d = %v", i+1, err)
		}
	}
	if s := show(t, table, "shop#1").Site; !s.CreatedAt.Equal(now) {
		t.Errorf("created at %v, want the first time, %v", s.CreatedAt, now)
	}
}

func TestWhatHoldsStays(t *testing.T) {
	table := newTable(t)
	// The pipeline saw an event of the site first: what it wrote lies by the defaults.
	if _, err := sinks.EnsureSiteEntry(t.Context(), table, keys, "shop#1"); err != nil {
		t.Fatal(err)
	}
	d := shop
	d.Zone = "Europe/Berlin"
	err := sites.Create(t.Context(), table, keys, d, now)
	conflict, ok := errors.AsType[*sites.ConflictError](err)
	want := []string{"shards is 16, not 4", "zone is UTC, not Europe/Berlin", "rawDays is as configured, not 7",
		"dayDays is as configured, not never", `name is "", not "Shop"`,
		`domains is "", not "shop.example www.shop.example"`, `owner is "", not "acme"`}
	if !ok || !slices.Equal(conflict.Differences, want) || !strings.Contains(err.Error(), "nothing was changed") {
		t.Errorf("Create = %v, want a conflict that names %q", err, want)
	}
	if s := show(t, table, "shop#1").Site; s.Created || s.Shards != 16 {
		t.Errorf("site %+v, want it as it was, without metadata", s)
	}
	// Asking for no shards takes what holds. Retention is for what is yet to be written.
	if err := sites.Create(t.Context(), table, keys, sites.Definition{ID: "shop#1", Name: "Shop",
		Days: map[string]int64{sinks.AttrDayDays: 30}}, now); err != nil {
		t.Errorf("Create with a name and a retention = %v", err)
	}
	err = sites.Create(t.Context(), table, keys, sites.Definition{ID: "shop#1", Name: "Other", Owner: "me", Domains: []string{"a"},
		Days: map[string]int64{sinks.AttrDayDays: sites.Never, sinks.AttrRawDays: 1}}, now)
	conflict, ok = errors.AsType[*sites.ConflictError](err)
	want = []string{"rawDays is as configured, not 1", "dayDays is 30, not never", `name is "Shop", not "Other"`,
		`domains is "", not "a"`, `owner is "", not "me"`}
	if !ok || !slices.Equal(conflict.Differences, want) {
		t.Errorf("Create = %v, want a conflict that names %q", err, want)
	}
	if s := show(t, table, "shop#1").Site; s.Name != "Shop" || s.Shards != 16 || *s.Retention.DayDays != 30 {
		t.Errorf("site %+v, want the first name and the pipeline's shards", s)
	}
}

// TestZoneOfTheEntryStays: a site that a worker has listed with a zone keeps it, whichever rules it gets.
func TestZoneOfTheEntryStays(t *testing.T) {
	table := newTable(t)
	entry := sinks.SiteEntryItem(keys, "s")
	entry[sinks.AttrZone] = sinks.Str("Europe/Berlin")
	if _, err := table.Put(t.Context(), sinks.Put{Item: entry}); err != nil {
		t.Fatal(err)
	}
	for _, zone := range []string{"UTC", "Asia/Tokyo"} {
		err := sites.Create(t.Context(), table, keys, sites.Definition{ID: "s", Zone: zone}, now)
		if _, ok := errors.AsType[*sites.ConflictError](err); !ok || !strings.Contains(err.Error(), "zone is Europe/Berlin, not "+zone) {
			t.Errorf("Create with %s = %v, want a conflict", zone, err)
		}
	}
	change := sites.Decision{Table: table, Keys: keys, Site: "s", Now: now}
	for _, step := range []func() error{
		func() error {
			return sites.Create(t.Context(), table, keys, sites.Definition{ID: "s", Zone: "Europe/Berlin", Name: "S"}, now)
		},
		func() error { _, err := change.Update(t.Context(), sites.Changes{Zone: "Europe/Berlin"}); return err },
		func() error { _, err := change.Update(t.Context(), sites.Changes{Zone: "Europe/Paris"}); return err },
		func() error { _, err := change.Update(t.Context(), sites.Changes{Zone: "Europe/Berlin"}); return err },
		func() error { return change.Delete(t.Context()) },
		func() error {
			return sites.Create(t.Context(), table, keys, sites.Definition{ID: "s", Zone: "Europe/Berlin", Name: "S"}, now)
		},
	} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
		if s := show(t, table, "s").Site; s.Zone != "Europe/Berlin" || s.ZonesFrom[0].Zone != "Europe/Berlin" {
			t.Errorf("site %+v, want the zone of its entry", s)
		}
	}
	log, err := sites.ReadLog(t.Context(), table, keys, nil)
	if err != nil {
		t.Fatal(err)
	}
	if rules := log.At(log.Rev()).Site("s"); len(rules.Zones) != 0 {
		t.Errorf("rules %s, want no zone: the entry has it", rules)
	}
}

func TestOneOfManyCreatorsDecides(t *testing.T) {
	table := newTable(t)
	var wg sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		wg.Go(func() {
			errs[i] = sites.Create(t.Context(), table, keys, sites.Definition{ID: "s", Shards: i + 1, Name: fmt.Sprint("by ", i)}, now)
		})
	}
	wg.Wait()
	winner := -1
	for i, err := range errs {
		_, conflict := errors.AsType[*sites.ConflictError](err)
		switch {
		case err == nil && winner < 0:
			winner = i
		case !conflict:
			t.Errorf("creator %d got %v; want one success and conflicts", i, err)
		}
	}
	if s := show(t, table, "s").Site; winner < 0 || s.Shards != winner+1 || s.Name != fmt.Sprint("by ", winner) {
		t.Errorf("creator %d won and the site is %+v", winner, s)
	}
}

func TestBadDefinitionsAreRefusedBeforeAnythingIsWritten(t *testing.T) {
	table := newTable(t)
	for name, c := range map[string]struct {
		d    sites.Definition
		says string
	}{
		"no id":                  {sites.Definition{}, "id is empty"},
		"an id of 129 bytes":     {sites.Definition{ID: strings.Repeat("x", 129)}, "shorten it to 128"},
		"an id that is not text": {sites.Definition{ID: "\xff"}, "not valid UTF-8"},
		"65 shards":              {sites.Definition{ID: "s", Shards: 65}, "shards 65: choose 1 to 64"},
		"negative shards":        {sites.Definition{ID: "s", Shards: -1}, "shards -1"},
		"zero days":              {sites.Definition{ID: "s", Days: map[string]int64{sinks.AttrRawDays: 0}}, "rawDays 0"},
		"two days of sessions":   {sites.Definition{ID: "s", Days: map[string]int64{sinks.AttrSessionDays: 2}}, "sessionDays 2: choose 3"},
		"an unknown retention":   {sites.Definition{ID: "s", Days: map[string]int64{"monthDays": 1}}, `"monthDays"`},
		"a url for a domain":     {sites.Definition{ID: "s", Domains: []string{"https://a.example/"}}, "host name"},
		"a star for a domain":    {sites.Definition{ID: "s", Domains: []string{"*.a.example"}}, `domain "*.a.example": no host is called that`},
		"no zone":                {sites.Definition{ID: "s", Zone: "Europe/Bärlin"}, "no time zone"},
		"a short user agent":     {sites.Definition{ID: "s", UserAgents: []string{"a"}}, "3 bytes or more"},
		"a blank user agent":     {sites.Definition{ID: "s", UserAgents: []string{"   "}}, `user agent "   " has no letter or digit`},
		"punctuation":            {sites.Definition{ID: "s", UserAgents: []string{"(;)"}}, `user agent "(;)" has no letter or digit`},
		"a dot for a referrer":   {sites.Definition{ID: "s", Referrers: []string{"."}}, "host name"},
		"a referrer with a port": {sites.Definition{ID: "s", Referrers: []string{"a.example:80"}}, "host name"},
		"a long owner":           {sites.Definition{ID: "s", Owner: strings.Repeat("x", 257)}, "shorten it to 256"},
	} {
		t.Run(name, func(t *testing.T) {
			if err := sites.Create(t.Context(), table, keys, c.d, now); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("Create = %v, want an error that says %q", err, c.says)
			}
		})
	}
	list, err := query.NewOf(table, keys, time.Now).Sites(t.Context(), query.SitesParams{})
	if err != nil || len(list.Sites) != 0 {
		t.Errorf("sites %+v, %v; want none", list, err)
	}
	many := sites.Definition{Shards: 99, Days: map[string]int64{sinks.AttrHourDays: -2}}
	if err := many.Validate(); err == nil || strings.Count(err.Error(), "\n") != 2 {
		t.Errorf("Validate = %v, want all three faults", err)
	}
}

// lostOnce is a table whose first put is done but not answered.
type lostOnce struct {
	sinks.Table
	done bool
}

func (l *lostOnce) Put(ctx context.Context, p sinks.Put) (sinks.Result, error) {
	r, err := l.Table.Put(ctx, p)
	if !l.done {
		l.done = true
		return sinks.Result{}, sinks.ErrUnknownOutcome
	}
	return r, err
}

func TestLostAnswerIsHealedByRepeating(t *testing.T) {
	table := &lostOnce{Table: newTable(t)}
	if err := sites.Create(t.Context(), table, keys, shop, now); !errors.Is(err, sinks.ErrUnknownOutcome) || !strings.Contains(err.Error(),
		"repeat") {
		t.Errorf("Create = %v, want an unknown outcome and the advice to repeat", err)
	}
	if err := sites.Create(t.Context(), table, keys, shop, now); err != nil {
		t.Errorf("the second Create = %v, want nil", err)
	}
}

func TestParseDays(t *testing.T) {
	for text, want := range map[string]int64{"1": 1, "30d": 30, "730": 730, "36500": 36500, "never": sites.Never} {
		if got, err := sites.ParseDays(sinks.AttrRawDays, text); got != want || err != nil {
			t.Errorf("ParseDays(%q) = %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "0", "-1", "36501", "30h", "d", "Never"} {
		if got, err := sites.ParseDays(sinks.AttrRawDays, text); err == nil {
			t.Errorf("ParseDays(%q) = %d, want an error", text, got)
		}
	}
	for text, valid := range map[string]bool{"2": false, "3": true, "never": true} {
		if _, err := sites.ParseDays(sinks.AttrSessionDays, text); (err == nil) != valid {
			t.Errorf("ParseDays(%q) of sessions = %v, want it allowed: %v", text, err, valid)
		}
	}
}
