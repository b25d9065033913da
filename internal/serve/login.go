package serve

import (
	"bytes"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/footfall/footfall/internal/access"
	"github.com/footfall/footfall/internal/page"
	"github.com/footfall/footfall/internal/serve/problem"
)

// maxLogin is how long a browser keeps a token, if the token does not expire sooner.
const maxLogin = 30 * 24 * time.Hour

// maxForm is the greatest size of the form, in bytes.
const maxForm = 16 << 10

// addLogin registers the login form. With it a browser exchanges a token for a cookie.
func (s *server) addLogin(g gate) {
	g.open("GET /login", s.loginForm)
	g.open("POST /login", s.login)
	g.open("POST /logout", func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, s.cookie("", -1))
		http.Redirect(w, r, "/login", http.StatusSeeOther)
	})
}

// posts reports whether a request is one of the two that change something, in the browser.
func posts(r *http.Request) bool {
	return r.Method == http.MethodPost && (r.URL.Path == "/login" || r.URL.Path == "/logout")
}

func (s *server) cookie(token string, seconds int) *http.Cookie {
	return &http.Cookie{Name: s.cookieName(), Value: token, Path: "/", MaxAge: seconds, HttpOnly: true, Secure: s.overTLS(),
		SameSite: http.SameSiteStrictMode}
}

// local returns the address of a page of this server; "/" for any other.
func local(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.Scheme != "" || u.Host != "" || !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") ||
		strings.ContainsFunc(next, func(c rune) bool { return c <= ' ' || c > '~' || c == '\\' }) {
		return "/"
	}
	return u.String()
}

// loginForm shows the form. A browser that was led here from another site has not sent its cookie; it sends it with the next request, which
// this page makes.
func (s *server) loginForm(w http.ResponseWriter, r *http.Request) {
	if err := refused(r, []string{"next"}); err != nil {
		s.showFault(w, r, s.refusal(r.Context(), err))
		return
	}
	who, next := identityOf(r.Context()), local(r.URL.Query().Get("next"))
	if from := r.Header.Get("Sec-Fetch-Site"); who.err != nil && (from == "cross-site" || from == "same-site") {
		w.Header().Set("Refresh", "0; url="+next)
	}
	v := page.LoginView{Next: next, In: who.err == nil, Needless: s.keeper == nil}
	if who.grant.Kind == access.Token { // The note of a link is its owner's.
		v.Note = who.grant.Note
	}
	s.showLogin(w, http.StatusOK, v)
}

func (s *server) showLogin(w http.ResponseWriter, status int, v page.LoginView) {
	var document bytes.Buffer
	if err := page.Login(&document, v); err != nil {
		// Cause: A fault of footfall: a template does not fit what it shows. Remedy: Report it with the archive of `footfall support-bundle`.
		s.log.Error("a page was not rendered", "error", err)
	}
	w.Header().Set("Referrer-Policy", "same-origin") // Otherwise a browser sends the form with Origin: null.
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	document.WriteTo(w) // The client has gone, if it fails.
}

// login exchanges a token for the cookie.
func (s *server) login(w http.ResponseWriter, r *http.Request) {
	if s.keeper == nil {
		http.Redirect(w, r, "/", http.StatusSeeOther)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		s.showFault(w, r, refusalProblem{Problem: problem.New(http.StatusBadRequest, "The form cannot be read: "+err.Error())})
		return
	}
	token, next := strings.TrimSpace(r.PostForm.Get("token")), local(r.PostForm.Get("next"))
	grant, err := s.keeper.Grant(r.Context(), token)
	if err == nil && grant.Kind != access.Token {
		err = access.ErrUnknown
	}
	switch {
	case errors.Is(err, access.ErrUnknown):
		s.showLogin(w, http.StatusUnauthorized, page.LoginView{Next: next, Wrong: "This is no valid token. It may have expired, or be revoked, " +
			"or be cut. A share link is opened as it is."})
	case err != nil:
		s.showFault(w, r, s.refusal(r.Context(), asBusy(err)))
	default:
		http.SetCookie(w, s.cookie(token, int(min(maxLogin, untilEnd(grant, s.now())).Seconds())))
		http.Redirect(w, r, next, http.StatusSeeOther)
	}
}

// untilEnd is how long a grant lasts.
func untilEnd(g access.Grant, now time.Time) time.Duration {
	if g.Expires.IsZero() {
		return maxLogin
	}
	return g.Expires.Sub(now)
}
