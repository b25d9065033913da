package realdata

import (
	"path/filepath"
	"testing"
)

// witness sees how a test would have ended.
type witness struct {
	testing.TB
	skipped, failed bool
}

func (w *witness) Helper()               {}
func (w *witness) Skipf(string, ...any)  { w.skipped = true }
func (w *witness) Fatalf(string, ...any) { w.failed = true }

func TestAbsentDataSkipsUnlessItIsRequired(t *testing.T) {
	for _, c := range []struct {
		required        string
		skipped, failed bool
	}{{"", true, false}, {"1", false, true}} {
		t.Setenv("FOOTFALL_TEST_REQUIRE_DATA", c.required)
		w := &witness{TB: t}
		if Path(w, "nothing/of/this/name"); w.skipped != c.skipped || w.failed != c.failed {
			t.Errorf("required %q: skipped %v, failed %v; want %v, %v", c.required, w.skipped, w.failed, c.skipped, c.failed)
		}
	}
}

func TestDataLiesBesideTheModule(t *testing.T) {
	if got, want := root(t), filepath.Join("..", ".."); !samePath(t, got, want) {
		t.Errorf("the module lies in %s, want %s", got, want)
	}
}

func samePath(t *testing.T, a, b string) bool {
	t.Helper()
	b, err := filepath.Abs(b)
	if err != nil {
		t.Fatal(err)
	}
	return a == b
}
