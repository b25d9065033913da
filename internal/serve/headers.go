package serve

import "net/http"

// policyFor is the Content-Security-Policy of each answer: nothing is loaded but from this server, and nothing within a document is
// executed, only the script that it loads. Values that producers sent are text, and stay text if that were to fail.
func policyFor(frames string) string {
	return "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self'; " +
		"base-uri 'none'; form-action 'self'; frame-ancestors " + frames
}

// secured sets the headers that keep browsers from guessing, framing, leaking and storing.
func secured(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policyFor("'none'"))
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
		h.Set("Cache-Control", "no-store") // Figures change with every flush.
		next.ServeHTTP(w, r)
	})
}
