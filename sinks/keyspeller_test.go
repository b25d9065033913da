package sinks_test

import (
	"strings"
	"testing"

	"github.com/footfall/footfall/sinks"
)

// TestSpellerSpellsWhatKeysDo asks for keys of changing sites, instants and steps: what is remembered
// is each time that of others.
func TestSpellerSpellsWhatKeysDo(t *testing.T) {
	const minute, hour, day = int64(60_000), int64(3_600_000), int64(86_400_000)
	for _, generation := range []int{0, 2} {
		k, tp := sinks.Keys{Generation: generation}, sinks.TP{Topic: 3, Partition: 17}
		speller := sinks.NewSpeller(k, tp)
		sites := []string{"shop", "a#b", strings.Repeat("long", 100)}
		names := make([]sinks.SiteNames, len(sites))
		for i := range int64(200) {
			site, n := sites[i%3], &names[i%3]
			at := 1_800_000_000_000 + i/5%4*(day/3+minute*30)
			for _, c := range []struct {
				what      string
				got, want sinks.Key
			}{
				{"realtime", speller.Realtime(site, n, at+i%2*minute), k.Realtime(site, at+i%2*minute, tp)},
				{"hour", speller.HourStats(site, n, at+i%2*hour), k.HourStats(site, at+i%2*hour)},
				{"day", speller.DayStats(site, n, at-at%day), k.DayStats(site, at-at%day)},
				{"uniques", speller.Uniques(site, n, at+i%2*hour), k.Uniques(site, at+i%2*hour, tp)},
				{"breakdown", speller.Breakdown(site, n, at), k.Breakdown(site, at, tp)},
				{"recent", speller.Recent(site, n, at, i/7, 0), k.Recent(site, at, tp, i/7, 0)},
				{"second recent", speller.Recent(site, n, at, i/7, 1), k.Recent(site, at, tp, i/7, 1)},
				{"site", sinks.Key{PK: speller.Site(site, n)}, sinks.Key{PK: k.Site(site)}},
			} {
				if c.got != c.want {
					t.Fatalf("%s: %q, want %q", c.what, c.got, c.want)
				}
			}
		}
	}
}
