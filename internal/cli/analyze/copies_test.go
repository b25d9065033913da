package analyze

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/cli/clitest"
)

// A file that is there packed, too, counts once. Files of the same name that have other lines all count.
func TestAnalyzeCountsACopyOnce(t *testing.T) {
	for _, c := range []struct {
		name, packed string
		want         string
	}{
		{"a copy", logOf(1, 60), "Counted 120 lines"},
		{"more lines", logOf(1, 60) + logOf(1, 1), "Counted 242 lines"},
		{"other lines of the same length", logOf(2, 60), "Counted 240 lines"},
	} {
		dir := t.TempDir()
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		if _, err := w.Write([]byte(c.packed)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		log := filepath.Join(dir, "access.log.1")
		for name, text := range map[string]string{log: logOf(1, 60), log + ".gz": packed.String()} {
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		code, _, errs := clitest.Footfall(t, "analyze", dir)
		left := strings.Contains(errs, log+".gz is left out: its lines are in "+log)
		if code != 0 || !strings.Contains(errs, c.want) || left != (c.name == "a copy") {
			t.Errorf("%s: exit code %d, %q; want %q", c.name, code, errs, c.want)
		}
	}
}
