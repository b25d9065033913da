package page

import (
	"bytes"
	"fmt"
	"html"
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
		"10 May 2026, 00:00 – 00:05",
		"3 visitors, 100 page views", `href="/sites/shop?from=-4d&where=page%3D%2F7"`, "the 50 busiest of all")
	v.Realtime.PageViews = 72
	wantAll(t, siteOf(t, v), `<tbody class="rest"><tr><th scope="row"><bdi>(others)</bdi></th><td>12</td>`)
	v.Realtime.ActivePages = v.Realtime.ActivePages[:5]
	v.Realtime.PageViews = 60
	wantAll(t, siteOf(t, v), `<tbody class="rest" hidden>`)
}
