package classify

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestVersionNamesLibraryAndLists fails when the library or a list has changed and Version has not. Then set the parts
// of Version that differ, and look with `go test -update` at which vectors answer differently.
func TestVersionNamesLibraryAndLists(t *testing.T) {
	readme, err := os.ReadFile("data/README.md")
	if err != nil {
		t.Fatal(err)
	}
	gomod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	library := regexp.MustCompile(`github.com/mileusna/(useragent) (v\S+)`).FindStringSubmatch(string(gomod))
	uap := regexp.MustCompile(`\((ua-parser-builtins) (\S+)\)`).FindStringSubmatch(string(readme))
	if library == nil || uap == nil {
		t.Fatal("go.mod does not require github.com/mileusna/useragent, or data/README.md names no version of ua-parser-builtins")
	}
	for by, want := range map[Rules]struct{ reads, hash string }{
		FormerRules:  {library[1] + "-" + library[2], hashOfLists(t, "data/agents.json")},
		PresentRules: {"uap-core-" + uap[2], hashOfLists(t)},
	} {
		parts := strings.Split(by.Version(), "/")
		if len(parts) != 4 {
			t.Fatalf("Version = %q, want number/date/what reads user agents/hash", by.Version())
		}
		if !regexp.MustCompile(`^\d+$`).MatchString(parts[0]) {
			t.Errorf("Version begins with %q, want a number", parts[0])
		}
		if !strings.Contains(string(readme), parts[1]) {
			t.Errorf("Version names %s; data/README.md does not", parts[1])
		}
		if parts[2] != want.reads || parts[3] != want.hash {
			t.Errorf("Version = %q, want it to end with %s/%s", by.Version(), want.reads, want.hash)
		}
	}
}

// hashOfLists returns the beginning of the SHA-256 over name and content of each embedded file but some, in order of the names.
func hashOfLists(t *testing.T, without ...string) string {
	t.Helper()
	h := sha256.New()
	err := fs.WalkDir(data, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || slices.Contains(without, path) {
			return err
		}
		b, err := data.ReadFile(path)
		h.Write([]byte(path + "\x00"))
		h.Write(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return hex.EncodeToString(h.Sum(nil))[:8]
}
