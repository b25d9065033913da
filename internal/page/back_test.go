package page

import (
	"bytes"
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/page/links"
	"github.com/footfall/footfall/query"
)

// From the site's page to the sessions, to one of them, to those of its visitor, and back: range, comparison and filters stay.
func TestSessionsLeadBack(t *testing.T) {
	for _, c := range []struct {
		values map[string]string
		where  []query.Condition
		back   string // the query string of the page that all lead back to
	}{
		{map[string]string{"from": "2026-05-01", "to": "2026-05-04", "compare": "year", "tz": "UTC", "pages": "exits", "by": "hour"},
			[]query.Condition{of("country", query.Is, "D&E"), of("city", query.IsNot, "é=#")},
			"compare=year&from=2026-05-01&to=2026-05-04&tz=UTC&where=country%3DD%26E&where=city%21%3D%C3%A9%3D%23"},
		{map[string]string{"period": "2026-05"}, []query.Condition{of("page", query.Begins, "/a")},
			"period=2026-05&where=page%5E%3D%2Fa"},
		{nil, nil, ""},
	} {
		at := links.Address{Site: "shop", Values: c.values, Where: c.where}
		home := links.To("/sites/shop", queryOf(t, c.back))
		list := addressIn(t, at.Sessions())
		if scope := query.ScopeOf(c.where); (scope == query.ScopeSessions) != (len(list.Where) == len(c.where)) {
			t.Errorf("the list under %v has the filters %v", c.where, list.Where)
		}
		if list.Values["from"]+list.Values["period"] != "" {
			t.Errorf("the list has the range of the page: %v", list.Values)
		}
		render := func(b *bytes.Buffer, at links.Address, err error) string {
			t.Helper()
			if page := html.UnescapeString(b.String()); err != nil || !strings.Contains(page, `<h1><a href="`+home+`"`) {
				t.Errorf("%+v does not lead back to %s: %v", at, home, err)
			}
			return html.UnescapeString(b.String())
		}
		var b, of bytes.Buffer
		answer := query.SessionsAnswer{Sessions: []query.Session{visit("abc")}, Cursor: "more"}
		page := render(&b, list, Sessions(&b, SessionsView{At: list, Answer: answer, Zone: time.UTC}))
		next := addressIn(t, linked(t, page, `<a href="([^"]*)" rel="next"`))
		if next.Values[links.BackParam] != list.Values[links.BackParam] {
			t.Errorf("older sessions have %v, want %v", next.Values, list.Values)
		}
		one := addressIn(t, linked(t, page, `<th scope="row"><a href="([^"]*)"`))
		if direct := addressIn(t, at.Session("abc")); direct.Values[links.BackParam] != one.Values[links.BackParam] {
			t.Errorf("a session has %v from the list and %v from the page", one.Values, direct.Values)
		}
		page = render(&of, one, Session(&of, SessionView{At: one, Session: query.SessionAnswer{SessionID: "abc", StartedAt: &day,
			Parts: []query.Session{visit("abc")}}, Events: query.EventsAnswer{Cursor: "more"}, Zone: time.UTC}))
		if got := linked(t, page, `<a href="([^"]*)">All sessions`); got != at.Sessions() {
			t.Errorf("all sessions: %s, want %s", got, at.Sessions())
		}
		others := addressIn(t, linked(t, page, `<a href="([^"]*visitor=[^"]*)"`))
		if others.Values[links.BackParam] != one.Values[links.BackParam] {
			t.Errorf("those of the visitor have %v, want %v", others.Values, one.Values)
		}
	}
}

// What is no range and no filter of a page is refused.
func TestBackIsARange(t *testing.T) {
	for value, want := range map[string]bool{"from=-7d&compare=off": true, "where=country%3DDE&where=page%3D/": true, "": true,
		"search=x": false, "from=": false, "from=a&from=b": false, "where=nothing": false, "%zz": false, "https://other.example": false} {
		if _, ok := links.ParseBack(value); ok != want {
			t.Errorf("%s: %t, want %t", value, ok, want)
		}
	}
}

func queryOf(t *testing.T, text string) url.Values {
	t.Helper()
	values, err := url.ParseQuery(text)
	if err != nil {
		t.Fatal(err)
	}
	return values
}

// addressIn reads the address of a page as the server does.
func addressIn(t *testing.T, link string) links.Address {
	t.Helper()
	_, text, _ := strings.Cut(link, "?")
	at := links.Address{Site: "shop", Values: map[string]string{}}
	for name, all := range queryOf(t, text) {
		at.Values[name] = all[0]
		if name == links.WhereParam {
			var err error
			if at.Where, err = query.ParseConditions(all); err != nil {
				t.Fatal(err)
			}
			delete(at.Values, name)
		}
	}
	return at
}

func linked(t *testing.T, page, pattern string) string {
	t.Helper()
	m := regexp.MustCompile(pattern).FindStringSubmatch(page)
	if m == nil {
		t.Fatalf("the page has no link like %s", pattern)
	}
	return m[1]
}

// A session that was opened from a segment leads back to it, and to its sessions if the segment selects sessions.
func TestSessionsLeadBackToTheSegment(t *testing.T) {
	for _, dimension := range []string{"country", "page"} {
		all, err := query.ParseConditions([]string{dimension + "=x", "device=mobile"})
		if err != nil {
			t.Fatal(err)
		}
		of := all[:1]
		at := links.Address{Site: "shop", Values: map[string]string{"from": "2026-05-01"}, Segment: "mine", Segmented: of,
			Where: all}
		one := addressIn(t, at.Session("abc"))
		one.BackSegmented = of
		if got, want := one.Origin().Sessions(), at.Sessions(); got != want ||
			strings.Contains(got, "&segment=mine") != (dimension == "country") {
			t.Errorf("all sessions: %s, want %s", got, want)
		}
		if got, want := one.Home(), "/sites/shop?from=2026-05-01&segment=mine&where=device%3Dmobile"; got != want {
			t.Errorf("back: %s, want %s", got, want)
		}
	}
}
