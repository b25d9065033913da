package manage

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/cli/clitest"
	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/testenv"
	"github.com/footfall/footfall/query"
)

// siteLife goes through a site's life at a table: created, changed, deleted, listed and back again.
func siteLife(t *testing.T, url string) {
	run := func(code int, says string, args ...string) string {
		t.Helper()
		have, out, errs := clitest.Footfall(t, append(append([]string{"site"}, args...), "--table", url)...)
		if have != code || !strings.Contains(errs, says) || (says == "") != (errs == "") {
			t.Errorf("%q: exit %d, err %q; want exit %d and %q", args, have, errs, code, says)
		}
		return out
	}
	list := func(args ...string) (ids []string) {
		t.Helper()
		for cursor, pages := "", 0; ; pages++ {
			var a query.SitesAnswer
			if err := json.Unmarshal([]byte(run(0, "", append([]string{"list", "-o", "json", "--limit", "3", "--consistent", "--cursor", cursor},
				args...)...)), &a); err != nil {
				t.Fatal(err)
			}
			for _, s := range a.Sites {
				ids = append(ids, s.SiteID)
			}
			if cursor = a.Cursor; cursor == "" {
				if pages == 0 {
					t.Errorf("%q: %q are on one page", args, ids)
				}
				return ids
			}
		}
	}
	for i := range 7 {
		run(0, "", "create", fmt.Sprint("s", i), "--name", "Shop")
	}
	shown := func(id string) (s query.Site) {
		t.Helper()
		var a query.SiteAnswer
		if err := json.Unmarshal([]byte(run(0, "", "show", id, "--consistent", "-o", "json")), &a); err != nil || a.Site == nil {
			t.Fatalf("site %s: %v", id, err)
		}
		return *a.Site
	}
	for _, verb := range []string{"update", "delete"} {
		args := []string{verb, "nobody"}
		if verb == "update" {
			args = append(args, "--name", "x")
		} else {
			args = append(args, "--yes")
		}
		run(1, "is not known", args...)
		args[1] = "s1"
		run(1, `site "s1" has revision 2, not 1`, append(args, "--if-revision", "1")...)
	}
	run(2, "add --yes", "delete", "s1")
	run(2, `--realtime "maybe": write on or off`, "update", "s1", "--realtime", "maybe")
	run(0, "", "update", "s1", "--realtime", "off", "--visitor-index", "off", "--if-revision", "2")
	if s := shown("s1"); s.Realtime || s.VisitorIndex || !s.Recent || s.Revision != 8 {
		t.Errorf("site %+v, want realtime and visitors off, in revision 8", s)
	}
	if code, out, errs := clitest.Footfall(t, "query", "realtime", "s1", "--table", url); code != 0 ||
		!strings.Contains(out, "Realtime is switched off") {
		t.Errorf("query realtime: exit %d, %q, %q; want that it is off", code, out, errs)
	}
	if out := run(0, "", "delete", "s1", "--yes", "--if-revision", "8"); !strings.Contains(out, "Deleted (UTC)") {
		t.Errorf("site delete: %s", out)
	}
	run(0, "", "delete", "s4", "--yes")
	run(1, "footfall site create", "update", "s4", "--name", "x")
	if ids := strings.Join(list(), " "); ids != "s0 s2 s3 s5 s6" && ids != "s0 s2 s3 s5 s6 shop" {
		t.Errorf("sites %s, want those that were not deleted", ids)
	}
	if ids := strings.Join(list("--deleted"), " "); ids != "s0 s1 s2 s3 s4 s5 s6" && ids != "s0 s1 s2 s3 s4 s5 s6 shop" {
		t.Errorf("sites %s, want the deleted, too", ids)
	}
	t.Setenv("FOOTFALL_SITES_ACCEPT", "registered")
	run(1, "zone is UTC, not Asia/Kolkata", "create", "s4", "--zone", "Asia/Kolkata")
	run(0, "within 30 seconds", "create", "s4", "--name", "Kiosk")
	if s := shown("s4"); s.DeletedAt != nil || s.Name != "Kiosk" {
		t.Errorf("site %+v, want it there again", s)
	}
}

func TestLifeOfASite(t *testing.T) { siteLife(t, clitest.TableURL(t)) }

func TestLifeOfASiteAtRealDynamoDB(t *testing.T) {
	slow.Unraced(t)
	testenv.SetAWS(t)
	url := "dynamodb://footfall-" + rand.Text()
	if code, _, errs := clitest.Footfall(t, "table", "create", "--table", url); code != 0 {
		t.Fatalf("table create: exit %d, err %q", code, errs)
	}
	siteLife(t, url)
}
