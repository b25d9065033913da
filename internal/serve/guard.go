package serve

import (
	"mime"
	"net"
	"net/http"
	"slices"
	"strings"

	"github.com/footfall/footfall/internal/access"
	"github.com/footfall/footfall/internal/serve/problem"
)

// guard lets requests in that come from this machine's own pages and tools.
//
//   - The Host must be one of the server's: see hosted. Otherwise any page could have its own name resolve to 127.0.0.1 and read the
//     answers as its own.
//   - An Origin must be the server's, and a request that a page of another site makes must be a navigation: a link may lead here, but no
//     other page may spend the table's read units.
//   - The method must be GET or HEAD, but for what writes: the cookie of /login and /logout, and annotations, as JSON alone, which no
//     form of another page can send without asking.
func (s *server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case s.foreign(r):
			problem.Write(w, http.StatusForbidden, "a page of another origin may not ask this server: open it by a link, or ask it from a program")
		case annotates(r) && plainForm(r):
			problem.Write(w, http.StatusUnsupportedMediaType, "Content-Type "+problem.Quote(r.Header.Get("Content-Type"))+": send application/json")
		case posts(r), annotates(r):
			next.ServeHTTP(w, r)
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			methods := methodsOf(r)
			if posts(&http.Request{Method: http.MethodPost, URL: r.URL}) {
				methods = append(methods, http.MethodPost)
			}
			allowed := strings.Join(methods, ", ")
			w.Header().Set("Allow", allowed)
			problem.Write(w, http.StatusMethodNotAllowed, "method "+problem.Quote(r.Method)+" is not allowed here: use "+allowed)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// hosted lets requests in whose Host is a loopback one or that of the server's public address.
func (s *server) hosted(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if host := hostname(r.Host); !Loopback(host) && (s.public == nil || !strings.EqualFold(host, s.public.Hostname())) {
			problem.Write(w, http.StatusMisdirectedRequest,
				"Host "+problem.Quote(r.Host)+" is not this server: ask for localhost, a loopback address, or "+
					"the host of --public-url")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// foreign reports whether a page of another origin makes the request, by what browsers say. Such a page may only lead here, or show a
// link in a frame that may be embedded: the answer's policy says by which origins.
func (s *server) foreign(r *http.Request) bool {
	if origin := r.Header.Get("Origin"); origin != "" {
		if s.public != nil && origin == s.public.String() { // A proxy may send another Host.
			return false
		}
		_, host, ok := strings.Cut(origin, "://")
		return !ok || !strings.EqualFold(host, r.Host)
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "none", "same-origin":
		return false
	}
	frame := r.Header.Get("Sec-Fetch-Dest") == "iframe" && len(access.Of(r.Context()).Limits.Origins) > 0
	return r.Header.Get("Sec-Fetch-Mode") != "navigate" || r.Header.Get("Sec-Fetch-Dest") != "document" && !frame
}

// hostname returns a host without its port and brackets.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
}

// annotates reports whether a request is one that writes annotations.
func annotates(r *http.Request) bool {
	return r.Method != http.MethodGet && r.Method != http.MethodHead && slices.Contains(methodsOf(r), r.Method)
}

// methodsOf returns the methods of a path, apart from those of login.
func methodsOf(r *http.Request) []string {
	rest, ok := strings.CutPrefix(r.URL.EscapedPath(), base+"/sites/")
	parts := strings.Split(rest, "/")
	switch {
	case ok && len(parts) == 2 && parts[1] == "annotations":
		return []string{http.MethodGet, http.MethodHead, http.MethodPost}
	case ok && len(parts) == 3 && parts[1] == "annotations":
		return []string{http.MethodDelete}
	}
	return []string{http.MethodGet, http.MethodHead}
}

// plainForm reports whether a request that writes is one that a form of any page can send: its origin may not say whose page that is, so
// only JSON is taken.
func plainForm(r *http.Request) bool {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return r.Method == http.MethodPost && (err != nil || kind != "application/json")
}
