package classify

import (
	"strings"
	"testing"
)

// TestSameSite holds the comparison of a spelled host with a bare name against what the host itself says.
func TestSameSite(t *testing.T) {
	for _, c := range []*Classifier{New(), New().By(FormerRules)} {
		sameSite(t, c)
	}
}

func sameSite(t *testing.T, c *Classifier) {
	t.Helper()
	spelled := append(hostile(), "shop.example", "www.shop.example", "WWW.shop.example", "Shop.example", "www.www.shop.example", "www.example",
		"example", "www.", "www", "müller.example",
		"MÜLLER.example", "www.xn--mller-kva.example", "www.müller", "xn--ü", "a b", "a\x00b", strings.Repeat("a", maxHostBytes),
		strings.Repeat("a.", maxHostBytes))
	bare := make([]string, len(spelled))
	for i, s := range spelled {
		bare[i] = c.host([]byte(s)).bare
	}
	for i, s := range spelled {
		for _, name := range bare {
			if name == "" {
				continue
			}
			if got, want := c.isSite([]byte(s), name), bare[i] == name; got != want {
				t.Errorf("%.80q is the site %.80q: %v, want %v", s, name, got, want)
			}
		}
	}
}
