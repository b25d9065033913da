//go:build unix

package embedded

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestDirectoryIsForItsUserAlone: its files hold what visitors did. Other users lose access to a directory that an earlier release made.
func TestDirectoryIsForItsUserAlone(t *testing.T) {
	for _, before := range []fs.FileMode{0, 0o755} {
		dir := filepath.Join(t.TempDir(), "data")
		if before != 0 {
			if err := os.Mkdir(dir, before); err != nil {
				t.Fatal(err)
			}
		}
		broker, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer broker.Close()
		for name, want := range map[string]fs.FileMode{".": 0o700, "lock": 0o600, "port": 0o600} {
			if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm() != want {
				t.Errorf("%s: %v, %v; want %v", name, info.Mode(), err, want)
			}
		}
	}
}
