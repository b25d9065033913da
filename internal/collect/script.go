package collect

import (
	_ "embed"
	"fmt"
	"html"
	"net/http"
)

// script is what pages load, made of script.js by `make script`: see there.
//
//go:embed script.min.js
var script []byte

func serveScript(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
	w.Header().Set("Cache-Control", "public, max-age=3600")
	w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin")
	w.Write(script) // The client may have gone.
}

// ScriptTag is what a page of a site has to contain. address is where browsers reach the collector, as in https://in.example.
func ScriptTag(address, site string) string {
	return fmt.Sprintf(`<script defer src="%s%s" data-site="%s"></script>`, address, PathScript, html.EscapeString(site))
}
