package sites_test

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/sinks"
)

// TestExcludedPaths compares pages with a site's excluded paths.
func TestExcludedPaths(t *testing.T) {
	for _, c := range []struct {
		paths, page string
		want        bool
	}{
		{"/admin/*", "/admin/", true}, {"/admin/*", "/admin/users/1", true}, {"/admin/*", "/admin", false}, {"/admin/*", "/Admin/x", false},
		{"/preview", "/preview", true}, {"/preview", "/preview/2", false}, {"/preview", "/a/preview", false},
		{"*.php", "/wp/login.php", true}, {"*.php", "/wp/login.php/x", false}, {"*/draft/*", "/a/b/draft/c", true},
		{"/a*b*b", "/ab", false}, {"/a*b*b", "/abb", true}, {"/a*ab", "/ab", false}, {"/x /admin/*", "/admin/x", true}, {"/x", "", false},
		{"", "/", false},
	} {
		if got := (&sites.Rules{ExcludedPaths: strings.Fields(c.paths)}).ExcludesPage([]byte(c.page)); got != c.want {
			t.Errorf("%q excludes %q: %v, want %v", c.paths, c.page, got, c.want)
		}
	}
	if (*sites.Rules)(nil).ExcludesPage([]byte("/")) {
		t.Error("a site without rules excludes a page")
	}
	dice := rand.New(rand.NewPCG(1, 1))
	text := func(letters string) string {
		b := []byte{'/'}
		for range dice.IntN(7) {
			b = append(b, letters[dice.IntN(len(letters))])
		}
		return string(b)
	}
	for range 20_000 { // What the stars mean, as an expression says it.
		path, page := text("ab/**"), text("ab/")
		like := regexp.MustCompile("^" + strings.ReplaceAll(path, "*", ".*") + "$").MatchString(page)
		if got := (&sites.Rules{ExcludedPaths: []string{path}}).ExcludesPage([]byte(page)); got != like {
			t.Fatalf("%q excludes %q: %v, want %v", path, page, got, like)
		}
	}
}

// TestExcludedTypes: a site may exclude types of events once no member of an earlier release may count them.
func TestExcludedTypes(t *testing.T) {
	if r := (&sites.Rules{ExcludedTypes: []string{"asset", "ping"}}); !r.ExcludesType([]byte("ping")) || r.ExcludesType([]byte("click")) {
		t.Error("another type is excluded")
	}
	err := sites.Definition{ID: "s", ExcludedTypes: []string{""}}.Validate()
	if err == nil || !strings.Contains(err.Error(), "name a type") {
		t.Errorf("a type without a name: %v", err)
	}
	table := newTable(t)
	if err := sites.Create(t.Context(), table, sinks.Keys{}, sites.Definition{ID: "s"}, time.Now()); err != nil {
		t.Fatal(err)
	}
	settings := sinks.Item{sinks.AttrPK: sinks.Str(sinks.Keys{}.TableSettings().PK), sinks.AttrSK: sinks.Str(sinks.Keys{}.TableSettings().SK),
		sinks.AttrSessionShards: sinks.Int(16)}
	exclude := sites.Changes{ExcludedTypes: &[]string{"asset"}}
	for _, c := range []struct {
		format int64
		may    bool
	}{{sinks.FormatOfPurges - 1, false}, {sinks.FormatOfPurges, true}} {
		settings[sinks.AttrFormat] = sinks.Int(c.format)
		if _, err := table.Put(t.Context(), sinks.Put{Item: settings}); err != nil {
			t.Fatal(err)
		}
		_, err := sites.Decision{Table: table, Site: "s", Now: time.Now()}.Update(t.Context(), exclude)
		if (err == nil) != c.may || err != nil && !strings.Contains(err.Error(), "footfall upgrade finalize") {
			t.Errorf("format %d: %v", c.format, err)
		}
	}
}

func TestExcludedPathsAreChecked(t *testing.T) {
	for path, fault := range map[string]string{"/admin/*": "", "*.php": "", "/": "", "admin": "begin it with", "/a?x=1": "no query",
		"/*": "every page", "*": "every page", "/" + strings.Repeat("*a", 9): "stars", "/" + strings.Repeat("a", 300): "shorten it"} {
		err := sites.Definition{ID: "s", ExcludedPaths: []string{path}}.Validate()
		if (err == nil) != (fault == "") || err != nil && !strings.Contains(err.Error(), fault) {
			t.Errorf("%q: %v, want %q", path, err, fault)
		}
	}
}
