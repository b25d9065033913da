package serve

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/footfall/footfall/internal/access"
	"github.com/footfall/footfall/internal/page/links"
)

// An identity is who asks, as their credential says.
type identity struct {
	grant      access.Grant
	err        error  // why there is no grant; nil: there is one
	cookie     bool   // the credential is a cookie
	credential string // as it was shown; "": none
	base       string // what the paths of links begin with that keep the credential, as in /share/TOKEN; "": they need none
}

type identityKey struct{}

// identityOf returns who asks; of a context without an identity, someone without a credential.
func identityOf(ctx context.Context) identity {
	who, ok := ctx.Value(identityKey{}).(identity)
	if !ok {
		who.err = errNoCredential
	}
	return who
}

// baseOf returns what the paths of links begin with.
func baseOf(ctx context.Context) string { return identityOf(ctx).base }

// lookOf returns how pages look to who asks.
func lookOf(ctx context.Context) links.Look {
	who := identityOf(ctx)
	return links.Look{Base: who.base, Theme: who.grant.Theme, Account: who.cookie, Language: who.grant.Language}
}

// errNoCredential reports a request without a credential.
var errNoCredential = errors.New("there is no credential: send the header Authorization: Bearer TOKEN, where `footfall token create` printed " +
	"the token")

// A busyError reports a request that would be answered later.
type busyError struct {
	wait   time.Duration
	detail string
}

func (e *busyError) Error() string {
	return fmt.Sprintf("%s: ask again in %d s", e.detail, access.Seconds(e.wait))
}

// A credential is what a request has to show, and where it has it.
type credential struct {
	text   string // "": none
	cookie bool   // it is one
	kind   access.Kind
	base   string // of a path that holds the credential
	rest   string // of such a path, escaped
}

// kindsOf are the kinds of grants whose credential may be in a path, by how the path begins. A token of more than a link would be in
// logs and histories there.
var kindsOf = map[string]access.Kind{"share": access.Share, "embed": access.Embed}

// credentialOf finds the credential of a request.
func (s *server) credentialOf(r *http.Request) credential {
	parts := strings.SplitN(r.URL.EscapedPath(), "/", 4) // "", share, TOKEN, the rest
	if len(parts) >= 3 && kindsOf[parts[1]] != "" {
		c := credential{text: parts[2], kind: kindsOf[parts[1]], base: "/" + parts[1] + "/" + parts[2], rest: "/"}
		if len(parts) == 4 {
			c.rest += parts[3]
		}
		return c
	}
	if scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok && strings.EqualFold(scheme, "Bearer") {
		return credential{text: strings.TrimSpace(token)}
	}
	if cookie, err := r.Cookie(s.cookieName()); err == nil {
		return credential{text: cookie.Value, kind: access.Token, cookie: true}
	}
	return credential{}
}

// identify finds out who asks, and takes the credential out of paths that have one. A server without a keeper lets everyone ask.
func (s *server) identify(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who := identity{grant: access.Everything()}
		if s.keeper != nil {
			c := s.credentialOf(r)
			who = s.identity(r.Context(), c)
			if c.base != "" {
				r = atRest(r, c.rest)
			}
		}
		ctx := context.WithValue(r.Context(), identityKey{}, who)
		if who.err == nil {
			ctx = access.With(ctx, who.grant)
			allowFrames(w.Header(), who.grant.Limits.Origins)
		}
		if home := who.home(); home != "" && r.URL.Path == "/" {
			http.Redirect(w, r, home, http.StatusSeeOther)
			return
		}
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// identity is who has a credential.
func (s *server) identity(ctx context.Context, c credential) identity {
	who := identity{base: c.base, cookie: c.cookie, credential: c.text}
	if c.text == "" {
		who.err = errNoCredential
		return who
	}
	who.grant, who.err = s.keeper.Grant(ctx, c.text)
	if who.err == nil && c.kind != "" && who.grant.Kind != c.kind {
		who.grant, who.err = access.Grant{}, access.ErrUnknown
	}
	who.err = asBusy(who.err)
	switch {
	case errors.Is(who.err, access.ErrUnknown) && c.base != "":
		who.err = fmt.Errorf("the link is not valid; it may have expired, or be cut or revoked: %w", who.err)
	case errors.Is(who.err, access.ErrUnknown) && c.cookie: // A cookie of a token that is no more.
		who.err = errNoCredential
	}
	return who
}

// asBusy has an error say when to try again, if that is worth it.
func asBusy(err error) error {
	if errors.Is(err, access.ErrBusy) {
		return &busyError{wait: time.Second, detail: err.Error()}
	}
	return err
}

// home is the address that the root of a link leads to; "": the root has a page of its own.
func (who identity) home() string {
	if who.err != nil || who.base == "" || who.grant.AllSites || len(who.grant.Sites) != 1 {
		return ""
	}
	return who.base + links.SitePath(who.grant.Sites[0])
}

// atRest returns a request for the rest of its path.
func atRest(r *http.Request, rest string) *http.Request {
	path, err := url.PathUnescape(rest)
	if err != nil {
		path, rest = "/", "" // The server has refused such a path already.
	}
	u := *r.URL
	u.Path, u.RawPath = path, rest
	r = r.WithContext(r.Context())
	r.URL = &u
	return r
}

// allowFrames has pages of these origins show the answer in a frame; none: no page may.
func allowFrames(h http.Header, origins []string) {
	if len(origins) == 0 {
		return
	}
	h.Set("Content-Security-Policy", policyFor(strings.Join(origins, " ")))
	h.Del("X-Frame-Options")
}

// cookieName is the name of the cookie. By its prefix a browser takes it from this host alone, over TLS.
func (s *server) cookieName() string {
	if s.overTLS() {
		return "__Host-footfall"
	}
	return "footfall"
}

// overTLS reports whether browsers reach the server over TLS.
func (s *server) overTLS() bool { return s.public != nil && s.public.Scheme == "https" }
