package serve

import (
	"net"
	"net/http"
	"strings"

	"github.com/footfall/footfall/internal/access"
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
			writeProblem(w, http.StatusForbidden, "a page of another origin may not ask this server: open it by a link, or ask it from a program")
		case annotates(r) && plainForm(r):
			writeProblem(w, http.StatusUnsupportedMediaType, "Content-Type "+quoted(r.Header.Get("Content-Type"))+": send application/json")
		case posts(r), annotates(r):
			next.ServeHTTP(w, r)
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			methods := methodsOf(r)
			if posts(&http.Request{Method: http.MethodPost, URL: r.URL}) {
				methods = append(methods, http.MethodPost)
			}
			allowed := strings.Join(methods, ", ")
			w.Header().Set("Allow", allowed)
			writeProblem(w, http.StatusMethodNotAllowed, "method "+quoted(r.Method)+" is not allowed here: use "+allowed)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// hosted lets requests in whose Host is a loopback one or that of the server's public address.
func (s *server) hosted(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if host := hostname(r.Host); !loopback(host) && (s.public == nil || !strings.EqualFold(host, s.public.Hostname())) {
			writeProblem(w, http.StatusMisdirectedRequest,
				"Host "+quoted(r.Host)+" is not this server: ask for localhost, a loopback address, or "+
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
