package sites_test

import (
	"context"
	"testing"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/sinks"
)

// TestPublishedOfALostRevision: a copy shows a site and a goal of a revision that its log lacks. The number of the revision was given out
// again, to the site itself or to another one. What was published is deleted, and what the log has stays.
func TestPublishedOfALostRevision(t *testing.T) {
	for name, again := range map[string]string{"to the site": "shop", "to another site": "blog"} {
		t.Run(name, func(t *testing.T) {
			copied, lost := newTable(t), newTable(t)
			append1 := func(table sinks.Table, site string, rules *sites.Rules) *sites.Log {
				t.Helper()
				log, err := sites.ReadLog(t.Context(), table, keys, nil)
				if err == nil {
					log, err = sites.AppendLog(t.Context(), table, keys, log, sites.Revision{At: now.UnixMilli(), Site: site, Rules: rules})
				}
				if err != nil {
					t.Fatal(err)
				}
				return log
			}
			publish := func(table sinks.Table, log *sites.Log, site string) {
				t.Helper()
				if err := sites.PublishSite(t.Context(), table, keys, site, log.History(site)); err != nil {
					t.Fatal(err)
				}
			}
			goal := sites.Goal{ID: "seen", N: 1, On: sites.Pattern{On: "event", Type: "page_view"}}
			publish(copied, append1(lost, "shop", &sites.Rules{CreatedAt: 1, LastGoal: 1, Goals: []sites.Goal{goal}}), "shop")
			append1(copied, again, &sites.Rules{})
			log := append1(copied, "news", &sites.Rules{CreatedAt: 2})
			publish(copied, log, "news")
			m := sites.Mending{Table: copied, May: func(context.Context) error { return nil }}
			for _, site := range []string{"shop", "news", "blog"} {
				if err := m.Published(t.Context(), log, site); err != nil {
					t.Fatal(err)
				}
			}
			found, err := sinks.Get(t.Context(), copied, keys.Metadata("shop"), keys.Goal("shop", "seen"), keys.Metadata("news"))
			if err != nil {
				t.Fatal(err)
			}
			if len(found) != 1 || found[keys.Metadata("news")] == nil {
				t.Errorf("the copy shows %v, want the metadata of news alone", found)
			}
		})
	}
}
