package page

import (
	"bytes"
	"fmt"
	"html"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/query"
)

// The card of now has five pages and leads to all that are known. Both count the views of the rest, so that rows add up to all page views.
func TestPagesOfNowAddUp(t *testing.T) {
	v := view("shop")
	v.Realtime = query.RealtimeAnswer{CurrentVisitors: 3, PageViews: 100, From: day, To: day.Add(5 * time.Minute)}
	for i := range 8 {
		v.Realtime.ActivePages = append(v.Realtime.ActivePages, query.ActivePage{Page: fmt.Sprint("/", i), PageViews: uint64(16 - 2*i)})
	}
	wantAll(t, siteOf(t, v), `<th scope="row"><bdi>(others)</bdi></th><td>40</td>`,
		`<a href="/sites/shop/now?from=-4d" aria-label="All: Pages now">`,
		`/4</bdi></a></th>
<td>8</td>
<td class="share">8.0 %</td>`)
	var b bytes.Buffer
	if err := NowPages(&b, NowView{At: v.At, Realtime: v.Realtime, Zone: time.UTC}); err != nil {
		t.Fatal(err)
	}
	wantAll(t, html.UnescapeString(b.String()), `<bdi>(others)</bdi></th><td>28</td><td class="share">28.0 %</td>`,
		`<small class="span" data-minutes-zone="UTC">00:00 – 00:05</small>`,
		"3 visitors, 100 page views", `href="/sites/shop?from=-4d&where=page%3D%2F7"`, "the 50 busiest of all")
	v.Realtime.PageViews = 72
	wantAll(t, siteOf(t, v), `<tbody class="rest"><tr><th scope="row"><bdi>(others)</bdi></th><td>12</td>`)
	v.Realtime.ActivePages = v.Realtime.ActivePages[:5]
	v.Realtime.PageViews = 60
	wantAll(t, siteOf(t, v), `<tbody class="rest" hidden>`)
}

// The list of all pages names where the script has later figures from, and what it fills in: as the card does, but of all pages.
func TestListOfPagesNowUpdatesItself(t *testing.T) {
	v := NowView{At: view("shop").At, Zone: time.UTC, Streamed: true}
	list := func() string {
		var b bytes.Buffer
		if err := NowPages(&b, v); err != nil {
			t.Fatal(err)
		}
		return html.UnescapeString(b.String())
	}
	for _, text := range []string{list(), siteOf(t, view("shop"))} {
		wantAll(t, text, `id="now"`, `data-realtime="/api/v1/sites/shop/realtime`, `data-minutes-zone="UTC"`, `data-text="`,
			`<tbody class="rest"`, `<p class="empty"`)
	}
	wantAll(t, list(), `data-realtime="/api/v1/sites/shop/realtime?pages=50" data-stream="/api/v1/sites/shop/realtime/stream?pages=50"`,
		`data-site="/sites/shop?from=-4d"`, `<table class="list" data-most="50" hidden>`, `<tbody class="rest" hidden>`,
		`<p class="empty">No page`)
	v.Streamed = false
	if strings.Contains(list(), "data-stream") {
		t.Error("a list has a stream that its reader may not have")
	}
	if v.Realtime.SwitchedOff = true; strings.Contains(list(), "data-realtime") {
		t.Error("a list updates itself where realtime is switched off")
	}
}
