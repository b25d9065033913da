package serve

import (
	"html"
	"net/http"
	"regexp"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/access"
)

// linkOf is the link to a view in its page, and shownOf its heading with the totals.
var (
	linkOf  = regexp.MustCompile(`<p class="link"[^>]*><a href="([^"]*)"`)
	shownOf = regexp.MustCompile(`(?s)<h2 id="totals">.*?</h2>|<strong>.*?</strong>|<p>compared with.*?</p>`)
)

// unfinished is an earlier range that is cut where the range is. On the next day neither is.
var unfinished = regexp.MustCompile("<p>compared with .*, 15:00</p>")

// The link to a view shows the same on the next day, whatever the address of the view was.
func TestLinkToAViewShowsTheSame(t *testing.T) {
	table := shopTable(t)
	tomorrow := New(Options{Table: table, Now: func() time.Time { return now.AddDate(0, 0, 1) }, Log: quiet(t)})
	for _, address := range []string{"", "?period=today", "?period=2026-05&compare=off", "?from=-3d&by=hour&tz=Asia/Tokyo",
		"?from=-24h&compare=year"} {
		_, text := ask(t, handler(t, table), "/sites/shop"+address, "Accept", "text/html")
		link := linkOf.FindStringSubmatch(text)
		if link == nil {
			t.Fatalf("%q: the page has no link to itself: %s", address, text)
		}
		r, later := ask(t, tomorrow, html.UnescapeString(link[1]), "Accept", "text/html")
		now, then := shownOf.FindAllString(text, -1), shownOf.FindAllString(later, -1)
		if r.Code != http.StatusOK || len(now) < 4 || len(now) != len(then) {
			t.Fatalf("%q: %s: %d: %q, want %q", address, link[1], r.Code, then, now)
		}
		for i := range now {
			if now[i] != then[i] && !unfinished.MatchString(now[i]) {
				t.Errorf("%q: %s shows %s, want %s", address, link[1], then[i], now[i])
			}
		}
	}
}

// A share link with a range leads to a view that it can show.
func TestLinkToASharedViewStaysWithin(t *testing.T) {
	g := newGuarded(t, Options{}, nil)
	base := "/share/" + g.create(access.Stored{Kind: access.Share, Sites: []string{"shop"},
		Limits: access.Limits{From: "2026-05-11", To: "2026-05-13"}})
	_, text := ask(t, g.Handler, base+"/sites/shop", "Accept", "text/html")
	link := linkOf.FindStringSubmatch(text)
	if link == nil {
		t.Fatalf("the page has no link to itself: %s", text)
	}
	if r, text := ask(t, g.Handler, html.UnescapeString(link[1]), "Accept", "text/html"); r.Code != http.StatusOK {
		t.Errorf("%s: %d: %s", link[1], r.Code, text)
	}
}
