package changed

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

func TestPackagesThatAChangeCanBreak(t *testing.T) {
	all := map[string]pkg{
		"example.com/b/c": {module: "example.com/b"},
		"example.com/d":   {imports: []string{"example.com/b/c"}, module: "example.com/d"},

		"low":          {imports: []string{"example.com/d"}},
		"middle":       {imports: []string{"low"}, testImports: []string{"helper"}},
		"cmd/footfall": {imports: []string{"middle"}},
		"other":        {testImports: []string{"middle"}},
		"helper":       {testImports: []string{"example.com/d"}},
		"e2e":          {},
	}
	for _, c := range []struct{ files, want string }{
		{"low/a.go", "cmd/footfall e2e low middle other"},
		{"low/a_test.go", "low"},
		{"low/testdata/x.json", "low"},
		{"low/data/list.txt", "cmd/footfall e2e low middle other"}, // It may be embedded.
		{"helper/h.go", "helper middle"},
		{"e2e/a_test.go", "e2e"},
		{"scripts/recount", "e2e examples internal/realdata"},
		{"README.md .ci/proved", ""},
		{"other/o.go helper/h_test.go", "helper other"},
	} {
		s := among(all, strings.Fields(c.files), nil)
		if got := strings.Join(slices.Sorted(maps.Keys(s.packages)), " "); got != c.want || s.everything {
			t.Errorf("changed %s: packages %q, everything %v; want %q", c.files, got, s.everything, c.want)
		}
	}
	for module, want := range map[string]string{
		"example.com/b": "cmd/footfall e2e example.com/d helper low middle other",
		"example.com/e": "",
	} {
		s := among(all, []string{"go.mod", "go.sum"}, map[string]bool{module: true})
		if got := strings.Join(slices.Sorted(maps.Keys(s.packages)), " "); got != want {
			t.Errorf("another version of %s: packages %q, want %q", module, got, want)
		}
	}
}

func TestModulesOfOtherVersions(t *testing.T) {
	const file = "module x\n\ngo 1.26\n\nrequire (\n\ta.com/a v1.0.0\n\tb.com/b v1.0.0 // indirect\n)\n"
	for _, c := range []struct{ old, new, want string }{
		{"", "", ""},
		{"a v1.0.0", "a v1.1.0", "a.com/a"},
		{"a.com/a v1.0.0", "c.com/c v1.0.0", "a.com/a c.com/c"},
		{" // indirect", "", ""},
		{"go 1.26", "go 1.27", "everything"},
		{"require", "tool d.com/d\n\nrequire", "everything"},
	} {
		modules, everything, err := otherModules([]byte(file), []byte(strings.Replace(file, c.old, c.new, 1)))
		got := strings.Join(slices.Sorted(maps.Keys(modules)), " ")
		if everything {
			got = "everything"
		}
		if err != nil || got != c.want {
			t.Errorf("%q in place of %q: %q, %v; want %q", c.new, c.old, got, err, c.want)
		}
	}
}

func TestCommentsChangeNothing(t *testing.T) {
	const source = "package x\n\n//go:embed a.txt\nvar a string // the text\n\n/* b */ func f() {\n\tg()\n}\n"
	for _, c := range []struct {
		old, new string
		same     bool
	}{
		{" // the text", "", true},
		{"/* b */", "\n// What f does.\n", true},
		{"\tg()", "\t\tg() //", true},
		{"a.txt", "b.txt", false},
		{"g()", "g(1)", false},
		{"\tg()\n", "", false},
	} {
		other := strings.Replace(source, c.old, c.new, 1)
		if same := slices.Equal(tokens([]byte(source)), tokens([]byte(other))); same != c.same {
			t.Errorf("%q in place of %q: the same is %v, want %v", c.new, c.old, same, c.same)
		}
	}
}

func TestUnknownCommitChangesEverything(t *testing.T) {
	s, err := Since(t.Context(), "../..", strings.Repeat("0", 40))
	if err != nil || !s.Has("query") {
		t.Errorf("Since an unknown commit = %+v, %v", s, err)
	}
}

// What is named here by hand exists.
func TestNamedPackagesExist(t *testing.T) {
	all, err := list(t.Context(), "../..")
	if err != nil {
		t.Fatal(err)
	}
	named := append([]string{program}, runners...)
	for folder, users := range usedBy {
		if _, err := os.Stat("../../" + folder); err != nil {
			t.Error(err)
		}
		named = append(named, users...)
	}
	for _, name := range named {
		if _, ok := all[name]; !ok {
			t.Errorf("there is no package %s", name)
		}
	}
}

func TestATenthOfTheRestIsDrawn(t *testing.T) {
	all := strings.Split("ABabcdefghijklmnopqrstu", "") // 2 and 21
	draw := func(seed uint64) []string {
		return Choose(all, func(name string) bool { return name == strings.ToUpper(name) }, seed)
	}
	first := draw(1)
	if len(first) != 2+3 || !slices.Equal(first[:2], all[:2]) {
		t.Errorf("drawn: %v, want A, B and 3 others", first)
	}
	if !slices.Equal(first, draw(1)) {
		t.Error("the same seed draws others")
	}
	drawn := make(map[string]bool)
	for seed := range uint64(200) {
		for _, name := range draw(seed) {
			drawn[name] = true
		}
	}
	if len(drawn) != len(all) {
		t.Errorf("200 seeds draw %d of %d", len(drawn), len(all))
	}
}
