package sinks_test

import (
	"strings"
	"testing"

	"github.com/footfall/footfall/sinks"
)

func TestSiteOfFindsTheSiteOfEachKey(t *testing.T) {
	tp := sinks.TP{Topic: 1, Partition: 7}
	for _, generation := range []int{1, 2, 12} {
		k := sinks.Keys{Generation: generation}
		for _, site := range []string{"shop.example", "G2", "a#b%c", "SITE", "ä"} {
			for _, key := range []sinks.Key{
				k.SiteEntry(site), k.Metadata(site), k.Session(site, "s", tp, 16), k.Event(site, 3, "01"), k.HourStats(site, 0),
				k.Realtime(site, 0, tp), k.Goal(site, "g"), k.VisitorState(site, "v", tp, 16),
			} {
				if got, ok := sinks.SiteOf(key); !ok || got != site {
					t.Errorf("SiteOf(%v) = %q, %v, want %q", key, got, ok, site)
				}
			}
		}
		for _, key := range []sinks.Key{k.TableSettings(), k.Topic("SITE"), k.Rules(1), k.Checkpoint(tp, "stats"), k.NewSites(tp, "stats")} {
			if site, ok := sinks.SiteOf(key); ok {
				t.Errorf("SiteOf(%v) = %q, want none", key, site)
			}
		}
	}
	long := strings.Repeat("x", 400)
	a, _ := sinks.SiteOf(sinks.Keys{}.Metadata(long))
	b, _ := sinks.SiteOf(sinks.Keys{}.Metadata(long + "y"))
	if a == b || !strings.HasPrefix(long, a[:100]) {
		t.Errorf("long ids are shown as %q and %q, want their beginnings, different", a, b)
	}
}
