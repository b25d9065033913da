package query_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/show"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
)

// notes are what CSV has no place for.
func notes(t *testing.T, a any) string {
	t.Helper()
	var rows, notes bytes.Buffer
	if err := show.Print(&rows, &notes, show.Layout{Format: show.CSV}, a); err != nil {
		t.Fatal(err)
	}
	return notes.String()
}

func TestNoRecentSessionsAreExplained(t *testing.T) {
	w := newWorld(t)
	w.site(shop, 16)
	w.session(shop, "s-1", at(9), future, tp0, "v-1", "")
	w.recent(shop, at(9), future, tp0, 1, "s-1")
	const says = "holds those that were opened in the last two days"
	for _, c := range []struct {
		name string
		p    query.SessionsParams
		want bool
	}{
		{"a range before the list", query.SessionsParams{Site: shop, From: at(-240), To: at(-200)}, true},
		{"a session", query.SessionsParams{Site: shop, From: at(8)}, false},
		{"none of a visitor", query.SessionsParams{Site: shop, Visitor: "nobody"}, false},
		{"a site that is not known", query.SessionsParams{Site: "nowhere"}, false},
	} {
		if got := notes(t, must[query.SessionsAnswer](t)(w.Sessions(t.Context(), c.p))); strings.Contains(got, says) != c.want {
			t.Errorf("%s: notes %q; want that the list is explained: %v", c.name, got, c.want)
		}
	}
}

// What a site's rules do not say is not known here, and events that were written by earlier rules are there all the same.
func TestRawEventsThatHaveExpiredAreExplained(t *testing.T) {
	w := newWorld(t)
	for site, days := range map[string]int64{"week": 7, "earlier": 7, "always": -1} {
		w.rules(site, &sites.Rules{Days: map[string]int64{sinks.AttrRawDays: days}})
	}
	w.site(shop, 16)
	limit := now.AddDate(0, 0, -7)
	w.event("week", 16, "s", limit, future, 1, nil)
	w.event("week", 16, "s", limit.Add(time.Hour), future, 2, nil)
	w.event("earlier", 16, "s", limit.Add(-time.Second), future, 3, nil)
	for _, c := range []struct {
		name, site string
		from       time.Time
		paging     query.Paging
		want       bool
	}{
		{"a range that begins before", "week", limit.Add(-time.Second), query.Paging{}, true},
		{"its first page", "week", limit.Add(-time.Second), query.Paging{Limit: 1}, true},
		{"its first page from the end", "week", limit.Add(-time.Second), query.Paging{Limit: 1, Desc: true}, false},
		{"all of it from the end", "week", limit.Add(-time.Second), query.Paging{Desc: true}, true},
		{"a range within", "week", limit, query.Paging{}, false},
		{"events that were written by longer retention", "earlier", limit.Add(-time.Hour), query.Paging{}, false},
		{"for ever", "always", limit.AddDate(-1, 0, 0), query.Paging{}, false},
		{"no rules", shop, limit.AddDate(-1, 0, 0), query.Paging{}, false},
	} {
		a := must[query.EventsAnswer](t)(w.Events(t.Context(), query.EventsParams{Site: c.site, From: c.from, Paging: c.paging}))
		if got := notes(t, a); strings.Contains(got, "The site keeps raw events for 7 days: those of before 2026-05-05T") != c.want {
			t.Errorf("%s: notes %q; want that the retention is told: %v", c.name, got, c.want)
		}
	}
	p := query.EventsParams{Site: "week", From: limit.Add(-time.Second), Paging: query.Paging{Limit: 1}}
	p.Cursor = must[query.EventsAnswer](t)(w.Events(t.Context(), p)).Cursor
	if got := notes(t, must[query.EventsAnswer](t)(w.Events(t.Context(), p))); p.Cursor == "" || strings.Contains(got, "keeps raw events") {
		t.Errorf("notes of the second page %q, cursor %q; want them told once", got, p.Cursor)
	}
}
