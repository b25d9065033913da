package plural

import "testing"

func TestCount(t *testing.T) {
	for n, want := range []string{"0 lines", "1 line", "2 lines"} {
		if got := Count(n, "line", "lines"); got != want {
			t.Errorf("Count(%d) = %q, want %q", n, got, want)
		}
	}
}
