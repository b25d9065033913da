package serve

import (
	"net"
	"net/http"
	"strings"
)

// guard lets requests in that come from this machine's own pages and tools.
//
//   - The Host must be a loopback one. Otherwise any page could have its own name resolve to 127.0.0.1 and read the answers as its own.
//   - An Origin must be the server's, and a request that a page of another site makes must be a navigation: a link may lead here, but no
//     other page may spend the table's read units.
//   - The method must be GET or HEAD: there is nothing to write.
func guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !loopback(hostname(r.Host)):
			writeProblem(w, http.StatusMisdirectedRequest, "Host "+quoted(r.Host)+" is not this server: ask for localhost or a loopback address")
		case foreign(r):
			writeProblem(w, http.StatusForbidden, "a page of another origin may not ask this server: open it by a link, or ask it from a program")
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			w.Header().Set("Allow", "GET, HEAD")
			writeProblem(w, http.StatusMethodNotAllowed, "method "+quoted(r.Method)+": use GET, since nothing can be written here")
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// foreign reports whether a page of another origin makes the request, by what browsers say. Such a page may only lead here.
func foreign(r *http.Request) bool {
	if origin := r.Header.Get("Origin"); origin != "" {
		_, host, ok := strings.Cut(origin, "://")
		return !ok || !strings.EqualFold(host, r.Host)
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "none", "same-origin":
		return false
	}
	return r.Header.Get("Sec-Fetch-Mode") != "navigate" || r.Header.Get("Sec-Fetch-Dest") != "document"
}

// hostname returns a host without its port and brackets.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
}
