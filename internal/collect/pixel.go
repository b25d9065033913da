package collect

import (
	"crypto/rand"
	"encoding/hex"
	"net/http"
	"net/url"

	"github.com/footfall/footfall/visitorid"
)

// pixelImage is a transparent GIF of one pixel.
var pixelImage = []byte("GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\x00\x00\x00!\xf9\x04\x01\x00\x00\x00\x00,\x00\x00\x00\x00" +
	"\x01\x00\x01\x00\x00\x02\x02D\x01\x00;")

// pixel takes a page view of a browser without scripts. The page is the parameter url, or what the browser sends as Referer.
func (c *collector) pixel(w http.ResponseWriter, r *http.Request) (int, error) {
	w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin") // Pages may demand it (COEP).
	q := r.URL.Query()
	now, page := c.Now(), r.Referer()
	u, err := url.Parse(page)
	if err != nil {
		return 0, refuse(http.StatusForbidden, "Referer: not a URL")
	}
	if err := c.mayCome(q.Get("siteId"), u.Scheme+"://"+u.Host); err != nil {
		return 0, err
	}
	if c.optedOut(r) {
		return 0, refuse(http.StatusOK, optedOutText)
	}
	if given := q.Get("url"); given != "" {
		page = given
	}
	from := c.Network.clientOf(r)
	var id [16]byte
	rand.Read(id[:]) // Never fails (crypto/rand).
	e := sent{SiteID: q.Get("siteId"), Type: "page_view", ID: hex.EncodeToString(id[:]), URL: page, Referrer: q.Get("referrer"),
		Title: q.Get("title")}
	p := e.event(now)
	p.UserAgent, p.Country = userAgent(r), from.country
	p.hint(clientHints(r.Header))
	v := visitorid.Visitor{Site: e.SiteID, Address: from.address.String(), UserAgent: r.UserAgent()}
	if p.VisitorID, err = c.Visitors.ID(v, now, now); err != nil {
		return 0, err
	}
	return c.publish(r.Context(), e.SiteID, []published{p}, now)
}
