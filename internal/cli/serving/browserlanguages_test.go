package serving

import (
	"encoding/base64"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/footfall/footfall/internal/access"
)

// embedSecret signs tokens of embedded pages.
var embedSecret = []byte(strings.Repeat("s", 32))

// embedKeys are those of a file with embedSecret.
func embedKeys(t *testing.T) *access.EmbedKeys {
	t.Helper()
	path := filepath.Join(t.TempDir(), "keys.yml")
	text := "keys:\n  - {id: product, algorithm: HS256, secret: " + base64.StdEncoding.EncodeToString(embedSecret) + ", allSites: true}\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	keys, err := access.LoadEmbedKeys(path, slog.New(slog.NewTextHandler(t.Output(), nil)))
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

// embeddedBase is what the paths of embedded pages of a site begin with, under a filter, in a language.
func embeddedBase(t *testing.T, site, filter, language string) string {
	t.Helper()
	token := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims{"sites": []string{site}, "where": []string{filter}, "language": language,
		"exp": time.Now().Add(time.Hour).Unix()})
	token.Header["kid"] = "product"
	signed, err := token.SignedString(embedSecret)
	if err != nil {
		t.Fatal(err)
	}
	return "/embed/" + signed
}

// embeddedStates are an embedded page and a whole list in each language.
func embeddedStates(t *testing.T, params string) (all []state) {
	t.Helper()
	for language, says := range map[string]string{"de": "Diese Ansicht ist gefiltert. Sie zeigt nur, was entspricht: Land ist Indien.",
		"fr": "Cette vue est filtrée. Elle ne porte que sur ce qui correspond à Pays est Inde.",
		"es": "Esta vista está filtrada. Solo muestra lo que cumple País es India."} {
		base := embeddedBase(t, "shop", "country=IN", language)
		holds := `document.documentElement.lang == "` + language + `" && document.querySelector(".locked").textContent == "` + says + `"`
		all = append(all, state{"embedded, " + language, base + "/sites/shop" + params, holds},
			state{"an embedded list, " + language, base + "/sites/shop/top/country" + params, holds})
	}
	return all
}
