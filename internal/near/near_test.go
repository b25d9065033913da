package near

import (
	"slices"
	"testing"
)

func TestNearestNames(t *testing.T) {
	names := []string{"page", "pageViews", "referrer", "device", "shop.example", "docs.example"}
	for _, c := range []struct {
		wrong string
		want  []string
	}{
		{"pag", []string{"page", "pageViews"}},
		{"pageview", []string{"pageViews"}},
		{"referer", []string{"referrer"}},
		{"SHOP.example", []string{"shop.example"}},
		{"shop.exampel", []string{"shop.example"}},
		{"ios", nil},
		{"", nil},
	} {
		if have := Of(c.wrong, names); !slices.Equal(have, c.want) {
			t.Errorf("Of(%q) = %q, want %q", c.wrong, have, c.want)
		}
	}
	if have := Hint("referer", names); have != "did you mean referrer? " {
		t.Errorf("Hint = %q", have)
	}
}
