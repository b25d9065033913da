package collect

import (
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/footfall/footfall/visitorid"
)

// maxBodyBytes bounds a request's body, as it is sent and unpacked.
const maxBodyBytes = 64 << 10

// browser takes the events of a page.
func (c *collector) browser(w http.ResponseWriter, r *http.Request) (int, error) {
	origin := r.Header.Get("Origin")
	allowOrigin(w, origin) // Also for refusals, which a page may want to read: they say nothing that its visitor did not send.
	all, err := read[sent](w, r)
	if err != nil {
		return 0, err
	}
	now := c.Now()
	if err := c.mayCome(all[0].SiteID, origin); err != nil {
		return 0, err
	}
	if c.optedOut(r) {
		return 0, refuse(http.StatusOK, optedOutText)
	}
	from, hints := c.Network.clientOf(r), clientHints(r.Header)
	events := make([]published, len(all))
	for i := range all {
		e := &all[i]
		at, err := e.at(now)
		if err != nil {
			return 0, refuse(http.StatusBadRequest, err.Error())
		}
		events[i] = e.event(at)
		events[i].UserAgent, events[i].Country = userAgent(r), from.country
		events[i].hint(hints)
		v := visitorid.Visitor{Site: e.SiteID, Address: from.address.String(), UserAgent: r.UserAgent()}
		if events[i].VisitorID, err = c.Visitors.ID(v, at, now); err != nil {
			return 0, err
		}
	}
	return c.publish(r.Context(), all[0].SiteID, events, now)
}

// backend takes the events of a program that has a token of the site.
func (c *collector) backend(w http.ResponseWriter, r *http.Request) (int, error) {
	all, err := read[sentByBackend](w, r)
	if err != nil {
		return 0, err
	}
	now, id := c.Now(), all[0].SiteID
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if s := c.Sites.site(id, now); s == nil || !strings.EqualFold(scheme, "Bearer") || !s.has(strings.TrimSpace(token)) {
		w.Header().Set("WWW-Authenticate", "Bearer")
		return 0, refuse(http.StatusUnauthorized, "no token of this site: send Authorization: Bearer TOKEN, "+
			"whose SHA-256 is among the site's tokens")
	}
	events := make([]published, len(all))
	for i := range all {
		e := &all[i]
		if t := string(e.Timestamp); t == "null" || t == `""` {
			e.Timestamp = nil // Many serializers write these for none.
		}
		at, err := e.sent.at(now)
		switch {
		case err != nil:
			return 0, refuse(http.StatusBadRequest, err.Error())
		case len(e.Timestamp) > 0 && e.Ago != 0:
			return 0, refuse(http.StatusBadRequest, "timestamp and ago: send one of them")
		case len(e.Timestamp) > 0 && e.Address != "":
			return 0, refuse(http.StatusBadRequest, "timestamp and address: with an address send ago, the milliseconds since the event: "+
				"its day's salt must still exist")
		}
		events[i] = e.event(at)
		if e.Address != "" && e.VisitorID == "" {
			v := visitorid.Visitor{Site: e.SiteID, Address: e.Address, UserAgent: e.UserAgent}
			if events[i].VisitorID, err = c.Visitors.ID(v, at, now); err != nil {
				return 0, err
			}
		}
	}
	return c.publish(r.Context(), id, events, now)
}

// mayCome refuses events of pages that are not the site's.
func (c *collector) mayCome(id, origin string) error {
	s := c.Sites.site(id, c.Now())
	switch {
	case s == nil:
		return refuse(http.StatusForbidden, "siteId: this collector takes no events of this site: add it to the file of sites")
	case !s.from(origin):
		return refuse(http.StatusForbidden, "origin: pages from there may not send events of this site: add it to the site's origins")
	}
	return nil
}

// optedOut reports whether the visitor's browser asks not to be tracked, and the collector obeys.
func (c *collector) optedOut(r *http.Request) bool {
	return c.RespectGPC && r.Header.Get("Sec-GPC") == "1"
}

const optedOutText = "not counted: the browser sends Global Privacy Control"

// preflight answers browsers that ask before they send JSON under its own type.
func (c *collector) preflight(w http.ResponseWriter, r *http.Request) {
	allowOrigin(w, r.Header.Get("Origin"))
	w.Header().Set("Access-Control-Allow-Methods", "POST")
	w.Header().Set("Access-Control-Allow-Headers", "Content-Type, Content-Encoding")
	w.Header().Set("Access-Control-Max-Age", "86400")
	w.WriteHeader(http.StatusNoContent)
}

// allowOrigin lets a page read the answer. Which site it may send events of is decided when it does.
func allowOrigin(w http.ResponseWriter, origin string) {
	w.Header().Add("Vary", "Origin")
	if origin != "" && origin != "null" {
		w.Header().Set("Access-Control-Allow-Origin", origin)
	}
}

// read reads a request's events.
func read[T any](w http.ResponseWriter, r *http.Request) ([]T, error) {
	var in io.Reader = http.MaxBytesReader(w, r.Body, maxBodyBytes)
	switch strings.ToLower(r.Header.Get("Content-Encoding")) {
	case "", "identity":
	case "gzip":
		unpacked, err := gzip.NewReader(in)
		if err != nil {
			return nil, unread(err)
		}
		in = unpacked
	default:
		return nil, refuse(http.StatusUnsupportedMediaType, "Content-Encoding: send gzip or none")
	}
	body, err := io.ReadAll(io.LimitReader(in, maxBodyBytes+1))
	if err != nil {
		return nil, unread(err)
	}
	if len(body) > maxBodyBytes {
		return nil, tooLarge
	}
	all, err := readAll[T](body)
	if err != nil {
		return nil, refuse(http.StatusBadRequest, err.Error())
	}
	return all, nil
}

var tooLarge = refuse(http.StatusRequestEntityTooLarge, "body: larger than 65536 bytes: send fewer events in a request")

// unread says what is wrong with a body that cannot be read.
func unread(err error) error {
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return tooLarge
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return refuse(http.StatusServiceUnavailable, "body: it came too slowly: send the events again, with the same ids")
	}
	return refuse(http.StatusBadRequest, "body: "+err.Error())
}
