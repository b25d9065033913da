package serving

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/cli/clitest"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/internal/serve/reads"
)

// protected is the handler of a table as footfall serve --require-token has it.
func protected(t *testing.T, url string) http.Handler {
	t.Helper()
	table, err := connect.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { table.Close() })
	o := serveFlags{tokens: true}
	h, err := o.handler(table, slog.New(slog.NewTextHandler(t.Output(), nil)), (*reads.Metrics)(nil))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// with asks a handler with a token.
func with(t *testing.T, h http.Handler, address, token string) (int, string) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1:8787"+address, nil)
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	b, err := io.ReadAll(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	return w.Code, string(b)
}

// A token is created, used, listed with the day of its last use, and revoked; so is a share link.
func TestTokensComeAndGo(t *testing.T) {
	url := clitest.TableURL(t)
	h := protected(t, url)
	for _, c := range []struct {
		kind    string
		args    []string
		address func(created map[string]any) (path, token string)
	}{
		{"token", []string{"token", "create", "--site", "shop", "--note", "a test"}, func(created map[string]any) (string, string) {
			return "/api/v1/sites/shop/stats", created["token"].(string)
		}},
		{"share", []string{"share", "create", "shop", "--from", "-30d", "--note", "a test"}, func(created map[string]any) (string, string) {
			return created["address"].(string) + "/api/v1/sites/shop/stats", ""
		}},
	} {
		var created map[string]any
		clitest.AskedJSON(t, &created, append(c.args, "--table", url)...)
		path, token := c.address(created)
		if code, text := with(t, h, path, token); code != http.StatusOK || !strings.Contains(text, `"siteId": "shop"`) {
			t.Errorf("%s: %d: %s", path, code, text)
		}
		if code, text := with(t, h, "/api/v1/sites/shop/stats", ""); code != http.StatusUnauthorized {
			t.Errorf("without a token: %d: %s", code, text)
		}
		_, out, _ := clitest.Footfall(t, c.kind, "list", "--json", "--table", url)
		var list struct {
			Tokens []map[string]any `json:"tokens"`
		}
		if err := json.Unmarshal([]byte(out), &list); err != nil || len(list.Tokens) != 1 {
			t.Fatalf("%s list: %s: %v", c.kind, out, err)
		}
		if got := list.Tokens[0]; got["id"] != created["id"] || got["note"] != "a test" || got["lastUsedOn"] == nil || got["expired"] != false {
			t.Errorf("%s list: %s", c.kind, out)
		}
		secret := created["token"].(string)
		if _, text, _ := clitest.Footfall(t, c.kind, "list", "--table", url); strings.Contains(text, secret) || !strings.Contains(text,
			created["id"].(string)) {
			t.Errorf("%s list: %s", c.kind, text)
		}
		id := created["id"].(string)
		if code, out, errs := clitest.Footfall(t, c.kind, "revoke", id, "--table", url); code != 0 || !strings.Contains(out, "Revoked "+id) {
			t.Errorf("%s revoke: exit %d, out %q, err %q", c.kind, code, out, errs)
		}
		if code, text := with(t, protected(t, url), path, token); code != http.StatusUnauthorized {
			t.Errorf("revoked: %s: %d: %s", path, code, text)
		}
		if code, _, errs := clitest.Footfall(t, c.kind, "revoke", id, "--table", url); code != 1 ||
			!strings.Contains(errs, "footfall "+c.kind+" list") {
			t.Errorf("%s revoked twice: exit %d, err %q", c.kind, code, errs)
		}
	}
}

// The filters of a share link are listed as they are given, and its answers are under them.
func TestShareLinksHaveTheirFilters(t *testing.T) {
	url := clitest.TableURL(t)
	var created struct {
		Address string   `json:"address"`
		Where   []string `json:"where"`
	}
	clitest.AskedJSON(t, &created, "share", "create", "shop", "--where", "country=DE,AT", "--where", `city!="Washington, D.C."`,
		"--table", url)
	if want := []string{"country=AT,DE", `city!="Washington, D.C."`}; !slices.Equal(created.Where, want) {
		t.Errorf("the link has the filters %q, want %q", created.Where, want)
	}
	_, list, _ := clitest.Footfall(t, "share", "list", "--table", url)
	code, text := with(t, protected(t, url), created.Address+"/api/v1/sites/shop/stats?from=-1d&estimate=false", "")
	for _, filter := range created.Where {
		if !strings.Contains(list, filter) {
			t.Errorf("share list lacks %s: %s", filter, list)
		}
		if spelled, _ := json.Marshal(filter); code != http.StatusOK || !strings.Contains(text, string(spelled)) {
			t.Errorf("the answer is not under %s: %d: %s", filter, code, text)
		}
	}
}

func TestTokensAreRefusedByName(t *testing.T) {
	url := clitest.TableURL(t)
	for _, c := range []struct {
		says string
		args []string
	}{
		{"no site is named", []string{"token", "create"}},
		{"not known", []string{"token", "create", "--site", "shpo"}},
		{"named twice", []string{"token", "create", "--site", "shop", "--site", "shop"}},
		{"not a right", []string{"token", "create", "--site", "shop", "--right", "write"}},
		{"as in 90d", []string{"token", "create", "--site", "shop", "--expires", "soon"}},
		{"has passed", []string{"token", "create", "--site", "shop", "--expires", "2020-01-01"}},
		{"as in 90d", []string{"token", "create", "--site", "shop", "--expires", "0d"}},
		{"beginning of a day", []string{"share", "create", "shop", "--from", "-24h"}},
		{"beginning of a day", []string{"share", "create", "shop", "--from", "2026-05-12T14:00:00Z"}},
		{"name from as well", []string{"share", "create", "shop", "--to", "2026-05-12"}},
		{"period", []string{"share", "create", "shop", "--period", "fortnight"}},
		{"there is no dimension", []string{"share", "create", "shop", "--where", "land=DE"}},
		{"given twice", []string{"share", "create", "shop", "--where", "country=DE,AT", "--where", "country=AT,DE"}},
		{"write one filter with a comma", []string{"share", "create", "shop", "--where", "country=DE", "--where", "country=AT"}},
		{"one is missing", []string{"share", "create", "shop", "--where", "country=DE,"}},
		{"the value is empty", []string{"share", "create", "shop", "--where", `country=DE,""`}},
		{"the value is empty", []string{"share", "create", "shop", "--where", "country="}},
		{"--period and --from", []string{"share", "create", "shop", "--period", "month", "--from", "-7d"}},
		{"as in https://app.example", []string{"share", "create", "shop", "--origin", "*"}},
		{"as in https://app.example", []string{"share", "create", "shop", "--origin", "https://a.example; script-src *"}},
		{"as in https://app.example", []string{"share", "create", "shop", "--origin", "https://a.example/page"}},
		{"is not the id", []string{"token", "revoke", "everything"}},
	} {
		if code, out, errs := clitest.Footfall(t, append(c.args, "--table", url)...); code == 0 || out != "" || !strings.Contains(errs, c.says) {
			t.Errorf("%v: exit %d, out %q, err %q; want %s", c.args, code, out, errs, c.says)
		}
	}
}
