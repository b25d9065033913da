package schema_test

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/erase"
	"github.com/footfall/footfall/internal/seal"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// damageAs puts a value in the place of an item's attribute.
func (w *world) damageAs(key sinks.Key, attr string, bad sinks.Value) {
	w.t.Helper()
	it := maps.Clone(w.item(key))
	it[attr] = bad
	if _, err := w.table.Table.Put(w.t.Context(), sinks.Put{Item: it}); err != nil {
		w.t.Fatal(err)
	}
}

// wantNamed wants an error that names the item and what an operator can do.
func wantNamed(t *testing.T, reader string, key sinks.Key, err error) {
	t.Helper()
	d, ok := errors.AsType[*sinks.DamagedError](err)
	if want := "`footfall table quarantine '" + key.PK + "' '" + key.SK + "'`"; !ok || d.Key != key || !strings.Contains(err.Error(), want) {
		t.Errorf("%s: %v, want an error that says %s", reader, err, want)
	}
}

// Each reader of a damaged item names the item and the command that quarantines it. No reader takes an attribute of another type
// for absent.
func TestReadersNameDamagedItems(t *testing.T) {
	inWorld(t, nil, func(t *testing.T, w *world) {
		w.create()
		w.traffic()
		w.fold()
		keys, tp, at := sinks.Keys{}, sinks.TP{Topic: 1}, w.start.UnixMilli()
		session, visitor := keys.Session(shop, "s-1", tp, sinks.DefaultShards), keys.VisitorState(shop, "v-5", sinks.TP{Topic: 1, Partition: 1},
			sinks.DefaultShards)
		garbage, list := sinks.Bytes([]byte("damaged")), sinks.Strings([]string{"damaged"})
		w.damageAs(keys.Breakdown(blog, at, tp), sinks.AttrPart, garbage)
		w.damageAs(keys.Uniques(blog, at, tp), sinks.AttrPart, garbage)
		w.damageAs(keys.HourStats(shop, at), sinks.AttrEvents, list)
		w.damageAs(keys.Realtime(shop, at, tp), sinks.AttrPages, garbage)
		w.damageAs(session, sinks.AttrCur, garbage)
		w.damageAs(visitor, sinks.AttrCur, garbage)
		w.damageAs(keys.SiteEntry(blog), sinks.AttrSiteID, list)

		r, ctx := query.NewOf(w.table, keys, time.Now), t.Context()
		from, to := w.start, w.start.Add(2*time.Hour)
		_, err := r.Top(ctx, query.TopParams{Site: blog, Dimension: sketch.Dimensions()[0].String(), From: from, To: to})
		wantNamed(t, "Top", keys.Breakdown(blog, at, tp), err)
		_, err = r.Uniques(ctx, query.UniquesParams{Site: blog, From: from, To: to})
		wantNamed(t, "Uniques", keys.Uniques(blog, at, tp), err)
		_, err = r.Stats(ctx, query.StatsParams{Site: shop, From: from, To: to, By: query.Hour})
		wantNamed(t, "Stats", keys.HourStats(shop, at), err)
		_, err = r.Realtime(ctx, query.RealtimeParams{Site: shop, At: w.start.Add(2 * time.Minute)})
		wantNamed(t, "Realtime", keys.Realtime(shop, at, tp), err)
		_, err = erase.Export(ctx, erase.Options{Table: w.table, Site: shop, Person: sites.Visitor, ID: "v-1"}, io.Discard)
		wantNamed(t, "Export of a session", session, err)
		_, err = erase.Export(ctx, erase.Options{Table: w.table, Site: shop, Person: sites.Visitor, ID: "v-5"}, io.Discard)
		wantNamed(t, "Export of visits", visitor, err)

		// One site's damage hides no other.
		sites, err := r.Sites(ctx, query.SitesParams{})
		if err != nil || !slices.ContainsFunc(sites.Sites, func(s query.Site) bool { return s.SiteID == blog }) {
			t.Errorf("Sites = %+v, %v, want %s among them", sites, err, blog)
		}
		var log bytes.Buffer
		if err := seal.New(seal.Options{Table: w.table, After: -40 * 24 * time.Hour,
			Log: slog.New(slog.NewTextHandler(&log, nil))}).Pass(ctx); err != nil {
			t.Errorf("a pass of sealing ends early: %v", err)
		}
		for _, site := range []string{blog, shop} {
			if !strings.Contains(log.String(), "footfall table quarantine 'SITE#"+strings.ReplaceAll(site, "#", "%23")) {
				t.Errorf("sealing says nothing of what is damaged of %s:\n%s", site, log.String())
			}
		}
	})
}
