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
		"low":          {},
		"middle":       {imports: []string{"low"}, testImports: []string{"helper"}},
		"cmd/footfall": {imports: []string{"middle"}},
		"other":        {testImports: []string{"middle"}},
		"helper":       {},
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
		s := among(all, strings.Fields(c.files))
		if got := strings.Join(slices.Sorted(maps.Keys(s.packages)), " "); got != c.want || s.everything {
			t.Errorf("changed %s: packages %q, everything %v; want %q", c.files, got, s.everything, c.want)
		}
	}
	if s := among(all, []string{"go.sum"}); !s.Has("helper") {
		t.Error("another module changes everything, and helper is left out")
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
