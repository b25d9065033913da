package query_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/show"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/query"
)

// testDeletedSites: pages of the list are full although some sites in between were deleted.
func testDeletedSites(t *testing.T, w *world) {
	var there, all []string
	for i := range 30 {
		id := fmt.Sprintf("site-%02d", i)
		all = append(all, id)
		w.site(id, 16)
		r := &sites.Rules{Owner: "acme", CreatedAt: at(8).UnixMilli()}
		if i%3 > 0 {
			r.DeletedAt = at(9).UnixMilli()
		} else {
			there = append(there, id)
		}
		w.rules(id, r)
	}
	for _, c := range []struct {
		params query.SitesParams
		want   []string
		pages  int
	}{
		{query.SitesParams{}, there, 3}, {query.SitesParams{Owner: "acme"}, there, 3},
		{query.SitesParams{Deleted: true}, all, 8}, {query.SitesParams{Deleted: true, Owner: "acme"}, all, 8},
	} {
		rows, _, count := pages(t, 4, func(cursor string) ([]query.Site, int, string, error) {
			c.params.Limit, c.params.Cursor = 4, cursor
			a, err := w.Sites(t.Context(), c.params)
			return a.Sites, 0, a.Cursor, err
		})
		var got []string
		for _, s := range rows {
			got = append(got, s.SiteID)
			if deleted := s.DeletedAt != nil; deleted == slices.Contains(there, s.SiteID) {
				t.Errorf("site %s: deleted %v", s.SiteID, deleted)
			}
		}
		if !slices.Equal(got, c.want) || count != c.pages {
			t.Errorf("%+v: %q on %d pages, want %q on %d", c.params, got, count, c.want, c.pages)
		}
	}
}

func testSwitchedOff(t *testing.T, w *world) {
	w.site("off", 16)
	w.rules("off", &sites.Rules{NoRealtime: true, NoRecent: true, NoVisitorIndex: true})
	w.site("on", 16)
	w.rules("on", &sites.Rules{Name: "all is kept"})
	for _, site := range []string{"off", "on"} {
		for what, answer := range map[string]any{
			"Realtime is switched off":        must[query.RealtimeAnswer](t)(w.Realtime(t.Context(), query.RealtimeParams{Site: site})),
			"recent sessions is switched off": must[query.SessionsAnswer](t)(w.Sessions(t.Context(), query.SessionsParams{Site: site})),
			"Sessions by visitor are switched off": must[query.SessionsAnswer](t)(w.Sessions(t.Context(), query.SessionsParams{Site: site,
				Visitor: "v"})),
			"no realtime minutes": must[query.SiteAnswer](t)(w.Site(t.Context(), query.SiteParams{Site: site})),
		} {
			var out bytes.Buffer
			if err := show.Print(&out, &out, show.Layout{Format: show.Table}, answer); err != nil {
				t.Fatal(err)
			}
			if said := strings.Contains(out.String(), what); said != (site == "off") {
				t.Errorf("site %s: said %v that %s:\n%s", site, said, what, &out)
			}
		}
	}
	a := must[query.SessionsAnswer](t)(w.Sessions(t.Context(), query.SessionsParams{Site: "off", User: "u"}))
	if a.SwitchedOff {
		t.Error("sessions by user are switched off")
	}
}
