package query_test

import (
	"context"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/query/retention"
	"github.com/footfall/footfall/sinks"
)

// A watched table counts how often an item was read.
type watched struct {
	sinks.Table
	key    sinks.Key
	read   int
	during func() // is called once, before the item is read
}

func (w *watched) BatchGet(ctx context.Context, g sinks.BatchGet) (sinks.BatchResult, error) {
	for _, key := range g.Keys {
		if key == w.key {
			w.read++
			if during := w.during; during != nil {
				w.during = nil
				during()
			}
		}
	}
	return w.Table.BatchGet(ctx, g)
}

// Answers of one page are under the settings that the first has read, which are not read again. The next page is under those of then.
func TestAnswersOfOnePageReadSettingsOnce(t *testing.T) {
	w := newWorld(t)
	w.site(shop, 16)
	table := &watched{Table: w.table, key: w.keys.SiteEntry(shop)}
	r := query.New(table, func() time.Time { return now })
	counted := func(ctx context.Context) bool {
		t.Helper()
		if a := must[query.FunnelsAnswer](t)(r.Funnels(ctx, query.FunnelsParams{Site: shop})); !a.SiteKnown {
			t.Error("the site is not known")
		}
		return must[query.RetentionAnswer](t)(r.Retention(ctx, retention.Params{Site: shop})).Counted
	}
	page := query.OfOneGeneration(t.Context())
	must[query.RetentionAnswer](t)(r.Retention(page, retention.Params{Site: shop}))
	w.rules(shop, &sites.Rules{NewVisitors: true})
	if counted(page) || table.read != 1 {
		t.Errorf("a page counts new visitors as of a later change, or reads the entry of the site %d times, want once", table.read)
	}
	if !counted(query.OfOneGeneration(t.Context())) {
		t.Error("the next page is under settings of the page before it")
	}
	other := must[query.FunnelsAnswer](t)(r.Funnels(page, query.FunnelsParams{Site: "blog"}))
	if other.SiteKnown {
		t.Error("a page takes a site for another that it has read")
	}
}

// Answers of one page that are read at the same time are under the same settings, though these change in between.
func TestAnswersAtOnceAreUnderTheSameSettings(t *testing.T) {
	w := newWorld(t)
	w.site(shop, 16)
	table := &watched{Table: w.table, key: w.keys.SiteEntry(shop)}
	r := query.New(table, func() time.Time { return now })
	page := query.OfOneGeneration(t.Context())
	counted := func() bool {
		return must[query.RetentionAnswer](t)(r.Retention(page, retention.Params{Site: shop})).Counted
	}
	other := true
	table.during = func() {
		other = counted()
		w.rules(shop, &sites.Rules{NewVisitors: true})
	}
	if counted() || other {
		t.Error("an answer is under settings that another of its page did not have")
	}
}
