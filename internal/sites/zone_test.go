package sites_test

import (
	"crypto/sha256"
	"encoding/hex"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/sinks"
)

// Another database under the name of this one would change the days of what is counted already.
func TestDatabaseIsTheOneThatVersionNames(t *testing.T) {
	b, err := os.ReadFile("zoneinfo.zip")
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(b)
	if got, want := sites.ZoneVersion+" "+hex.EncodeToString(sum[:8]), "2025c d37bf84af9b1621b"; got != want {
		t.Errorf("the database is %s, want %s: with another database comes another Version", got, want)
	}
}

func load(t *testing.T, name string) *time.Location {
	t.Helper()
	loc, err := sites.LoadZone(name)
	if err != nil {
		t.Fatal(err)
	}
	return loc
}

func TestZonesOfTheSystemPlayNoPart(t *testing.T) {
	t.Setenv("ZONEINFO", "/nowhere")
	t.Setenv("TZ", "Asia/Tokyo")
	if loc := load(t, "Europe/Berlin"); loc.String() != "Europe/Berlin" || loc != load(t, "Europe/Berlin") {
		t.Errorf("Europe/Berlin is %v, and not always the same", loc)
	}
	if load(t, "UTC") != time.UTC {
		t.Error("UTC is not time.UTC")
	}
	for _, name := range []string{"", "Local", "europe/berlin", "Europe", "Europe/", "../UTC", "CEST"} {
		if loc, err := sites.LoadZone(name); err == nil {
			t.Errorf("Load(%q) = %v, want an error", name, loc)
		}
	}
}

func instantMs(t *testing.T, s string) int64 {
	t.Helper()
	x, err := time.Parse(time.RFC3339, s)
	if err != nil {
		t.Fatal(err)
	}
	return x.UnixMilli()
}

func TestHoursAndDaysFollowTheClocks(t *testing.T) {
	for _, c := range []struct {
		name, zone, at        string
		hour, hourEnd         string
		day, dayBegin, dayEnd string
	}{
		{"UTC", "UTC", "2026-05-12T14:59:59Z", "2026-05-12T14:00:00Z", "2026-05-12T15:00:00Z",
			"2026-05-12", "2026-05-12T00:00:00Z", "2026-05-13T00:00:00Z"},
		{"a day of 23 hours", "Europe/Berlin", "2026-03-29T01:30:00Z", "2026-03-29T01:00:00Z", "2026-03-29T02:00:00Z",
			"2026-03-29", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"},
		{"a day of 25 hours", "Europe/Berlin", "2026-10-25T01:00:00Z", "2026-10-25T01:00:00Z", "2026-10-25T02:00:00Z",
			"2026-10-25", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z"},
		{"half an hour off", "Asia/Kolkata", "2026-05-12T18:29:59Z", "2026-05-12T17:30:00Z", "2026-05-12T18:30:00Z",
			"2026-05-12", "2026-05-11T18:30:00Z", "2026-05-12T18:30:00Z"},
		{"three quarters off", "Asia/Kathmandu", "2026-05-12T18:15:00Z", "2026-05-12T18:15:00Z", "2026-05-12T19:15:00Z",
			"2026-05-13", "2026-05-12T18:15:00Z", "2026-05-13T18:15:00Z"},
		{"clocks are set forward by half an hour", "Australia/Lord_Howe", "2026-10-03T15:45:00Z", "2026-10-03T15:30:00Z", "2026-10-03T16:00:00Z",
			"2026-10-04", "2026-10-03T13:30:00Z", "2026-10-04T13:00:00Z"},
		{"clocks are set back by half an hour", "Australia/Lord_Howe", "2026-04-04T15:10:00Z", "2026-04-04T15:00:00Z", "2026-04-04T15:30:00Z",
			"2026-04-05", "2026-04-04T13:00:00Z", "2026-04-05T13:30:00Z"},
		{"midnight is skipped", "Africa/Cairo", "2026-04-23T22:10:00Z", "2026-04-23T22:00:00Z", "2026-04-23T23:00:00Z",
			"2026-04-24", "2026-04-23T22:00:00Z", "2026-04-24T21:00:00Z"},
		{"clocks are set back over midnight", "America/St_Johns", "2010-11-07T02:40:00Z", "2010-11-07T02:31:00Z", "2010-11-07T03:30:00Z",
			"2010-11-07", "2010-11-07T02:30:00Z", "2010-11-08T03:30:00Z"},
		{"a day is left out", "Pacific/Apia", "2011-12-30T10:00:00Z", "2011-12-30T10:00:00Z", "2011-12-30T11:00:00Z",
			"2011-12-31", "2011-12-30T10:00:00Z", "2011-12-31T10:00:00Z"},
		{"the last day of a leap year", "America/New_York", "2028-12-31T23:30:00Z", "2028-12-31T23:00:00Z", "2029-01-01T00:00:00Z",
			"2028-12-31", "2028-12-31T05:00:00Z", "2029-01-01T05:00:00Z"},
		{"before the epoch", "Pacific/Honolulu", "1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z", "1970-01-01T01:00:00Z",
			"1969-12-31", "1969-12-31T10:00:00Z", "1970-01-01T10:00:00Z"},
	} {
		t.Run(c.name, func(t *testing.T) {
			loc, ms := load(t, c.zone), instantMs(t, c.at)
			if from, to := sites.HourOf(loc, ms); from != instantMs(t, c.hour) || to != instantMs(t, c.hourEnd) {
				t.Errorf("hour [%v, %v), want [%s, %s)", time.UnixMilli(from).UTC(), time.UnixMilli(to).UTC(), c.hour, c.hourEnd)
			}
			day, from, to := sites.DayOf(loc, ms)
			if time.UnixMilli(day*86_400_000).UTC().Format(time.DateOnly) != c.day || from != instantMs(t, c.dayBegin) ||
				to != instantMs(t, c.dayEnd) {
				t.Errorf("day %d [%v, %v), want %s [%s, %s)", day, time.UnixMilli(from).UTC(), time.UnixMilli(to).UTC(), c.day, c.dayBegin, c.dayEnd)
			}
		})
	}
}

// Hours tile days, and days tile time, in every zone: each instant of a bucket finds the same bucket, and the next begins where
// it ends.
func TestHoursTileDaysAndDaysTileTime(t *testing.T) {
	dice := rand.New(rand.NewPCG(3, 4))
	for _, name := range []string{"Europe/Berlin", "Australia/Lord_Howe", "Asia/Kathmandu", "America/St_Johns", "America/Sao_Paulo",
		"Pacific/Apia", "Africa/Monrovia", "Africa/Casablanca", "Antarctica/Troll", "America/Caracas"} {
		loc := load(t, name)
		for range 60 {
			at := dice.Int64N(instantMs(t, "2045-01-01T00:00:00Z"))
			day, dayFrom, dayTo := sites.DayOf(loc, at)
			hours := 0
			for h := dayFrom; h < dayTo; hours++ {
				from, to := sites.HourOf(loc, h)
				if from != h || to <= h || to > dayTo {
					t.Fatalf("%s: the hour at %v is [%v, %v), of the day [%v, %v)", name, time.UnixMilli(h).UTC(), time.UnixMilli(from).UTC(),
						time.UnixMilli(to).UTC(), time.UnixMilli(dayFrom).UTC(), time.UnixMilli(dayTo).UTC())
				}
				if f, e := sites.HourOf(loc, h+dice.Int64N(to-h)); f != from || e != to {
					t.Fatalf("%s: two instants of the hour at %v are of different hours", name, time.UnixMilli(h).UTC())
				}
				h = to
			}
			if at < dayFrom || at >= dayTo || hours < 20 {
				t.Fatalf("%s: %v is in the day [%v, %v) of %d hours", name, time.UnixMilli(at).UTC(), time.UnixMilli(dayFrom).UTC(),
					time.UnixMilli(dayTo).UTC(), hours)
			}
			if next, from, _ := sites.DayOf(loc, dayTo); from != dayTo || next <= day {
				t.Fatalf("%s: day %d ends at %v, and day %d begins at %v", name, day, time.UnixMilli(dayTo).UTC(), next, time.UnixMilli(from).UTC())
			}
		}
	}
}

// TestZoneOfAGeneration: in a generation that was counted under the settings of a later time, the zone of then holds from the beginning on,
// and a change of zone is planned on top of that. The rules keep what was decided before, for other generations.
func TestZoneOfAGeneration(t *testing.T) {
	table, live := newTable(t), sinks.KeysOfGeneration(2)
	counted(t, table, "shop")
	change := func(zone string, at time.Time) *sites.Rules {
		t.Helper()
		d := sites.Decision{Table: table, Keys: keys, Site: "shop", Now: at}
		if _, err := d.Update(t.Context(), sites.Changes{Zone: zone}); err != nil {
			t.Fatal(err)
		}
		log, err := sites.ReadLog(t.Context(), table, keys, nil)
		if err != nil {
			t.Fatal(err)
		}
		return log.At(log.Rev()).Site("shop")
	}
	rules := change("Asia/Kolkata", now)
	until := now.Add(100 * 24 * time.Hour)
	key, spelled := keys.SiteEntry("shop"), sites.GenerationZone(live, rules, until.UnixMilli())
	if early := sites.GenerationZone(live, rules, now.UnixMilli()); early != "" {
		t.Errorf("before the zone holds: %q, want none", early)
	}
	_, err := table.Update(t.Context(), sinks.Update{Key: key,
		Set: []sinks.Attr{{Name: sinks.AttrGenerationZones, Value: sinks.Str(spelled)}}})
	if err == nil {
		_, err = sinks.EnsureTableSettings(t.Context(), table, keys, nil)
	}
	if err == nil {
		_, err = table.Update(t.Context(), sinks.Update{Key: keys.TableSettings(), Set: []sinks.Attr{
			{Name: sinks.AttrGeneration, Value: sinks.Int(2)}, {Name: sinks.AttrGenerations, Value: sinks.Int(2)}}})
	}
	if err != nil {
		t.Fatal(err)
	}
	if same := change("Asia/Kolkata", until); same.String() != rules.String() {
		t.Errorf("the zone in force again: %s, want %s", same, rules)
	}
	rules = change("Pacific/Honolulu", until)
	found, err := sinks.Get(t.Context(), table, key)
	if err != nil {
		t.Fatal(err)
	}
	for generation, want := range map[int]string{1: "UTC Asia/Kolkata Pacific/Honolulu", 2: "Asia/Kolkata Asia/Kolkata Pacific/Honolulu"} {
		zone, err := sites.EntryZone(found[key], sinks.KeysOfGeneration(generation))
		if err != nil {
			t.Fatal(err)
		}
		var held []string
		for _, at := range []time.Time{now, until, until.Add(100 * 24 * time.Hour)} {
			held = append(held, rules.In(zone).Zone(at.UnixMilli()).Loc.String())
		}
		if got := strings.Join(held, " "); got != want {
			t.Errorf("generation %d: zones %s, want %s", generation, got, want)
		}
	}
}

// TestDamagedZoneOfAGeneration is reported: without the instant, all zones of the rules would hold.
func TestDamagedZoneOfAGeneration(t *testing.T) {
	entry := sinks.SiteEntryItem(keys, "shop")
	for _, text := range []string{"2:soon:Asia/Kolkata", "2:1000:Nowhere/Else"} {
		entry[sinks.AttrGenerationZones] = sinks.Str(text)
		if _, err := sites.EntryZone(entry, sinks.KeysOfGeneration(2)); err == nil || !strings.Contains(err.Error(), sinks.AttrGenerationZones) {
			t.Errorf("%s: %v, want the attribute", text, err)
		}
		if zone, err := sites.EntryZone(entry, sinks.KeysOfGeneration(3)); err != nil || zone.Name != "" {
			t.Errorf("%s, in another generation: %v, %v", text, zone, err)
		}
	}
}
