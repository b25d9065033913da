package classify

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestVersionNamesLibraryAndLists fails when the library or a list has changed and Version has not. Then set the parts
// of Version that differ, and look with `go test -update` at which vectors answer differently.
func TestVersionNamesLibraryAndLists(t *testing.T) {
	parts := strings.Split(Version, "/")
	if len(parts) != 4 {
		t.Fatalf("Version = %q, want number/date/library/hash", Version)
	}
	if !regexp.MustCompile(`^\d+$`).MatchString(parts[0]) {
		t.Errorf("Version begins with %q, want a number", parts[0])
	}
	readme, err := os.ReadFile("data/README.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(readme), "Fetched on "+parts[1]) {
		t.Errorf("Version names %s; data/README.md does not say %q", parts[1], "Fetched on "+parts[1])
	}
	gomod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	library := regexp.MustCompile(`github.com/mileusna/(useragent) (v\S+)`).FindStringSubmatch(string(gomod))
	if library == nil {
		t.Fatal("go.mod does not require github.com/mileusna/useragent")
	}
	if want := library[1] + "-" + library[2]; parts[2] != want {
		t.Errorf("Version names %s, go.mod has %s", parts[2], want)
	}
	if want := hashOfLists(t); parts[3] != want {
		t.Errorf("Version has the hash %s, that of the lists is %s", parts[3], want)
	}
}

// hashOfLists returns the beginning of the SHA-256 over name and content of each embedded file, in order of the names.
func hashOfLists(t *testing.T) string {
	t.Helper()
	h := sha256.New()
	err := fs.WalkDir(data, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
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
