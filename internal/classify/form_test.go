package classify_test

import (
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/classify"
)

func TestFormIsWhatBrowsersSend(t *testing.T) {
	long := strings.Repeat("ü", 300) + ".example"
	for host, want := range map[string]string{
		"shop.example": "shop.example", "münchen.example": "xn--mnchen-3ya.example", "www.MÜNCHEN.Example": "www.xn--mnchen-3ya.example",
		"faß.example": "xn--fa-hia.example", "пример.рф": "xn--e1afmkfd.xn--p1ai", "日本語.jp": "xn--wgv71a119e.jp", "": "",
		"xn--mnchen-3ya.example": "xn--mnchen-3ya.example", "xn--ü": "xn--ü", long: long, // These have no form.
	} {
		if have := classify.Form(host); have != want {
			t.Errorf("%q has the form %q, want %q", host, have, want)
		}
	}
}

func TestPresentRulesCompareHostsInOneForm(t *testing.T) {
	present := classify.New()
	c := present.By(classify.FormerRules)
	for _, x := range []struct {
		url, referrer    string
		spelled, formed  string // the host of the referrer that counts
		spam, formedSpam bool
	}{
		{"https://shop.example", "https://www.Other.example/", "other.example", "other.example", false, false},
		{"https://shop.example", "https://www.MÜNCHEN.example", "mÜnchen.example", "xn--mnchen-3ya.example", false, false},
		{"https://xn--mnchen-3ya.example", "https://www.münchen.example/b", "münchen.example", "", false, false},
		{"https://shop.example", "http://www.localhost:8080/", "www.localhost", "localhost", false, false},
		{"http://localhost", "http://www.localhost:8080/", "www.localhost", "", false, false},
		{"https://shop.example", "https://semalt.com", "semalt.com", "semalt.com", true, true},
		{"https://blog.semalt.com", "https://semalt.com", "semalt.com", "semalt.com", true, false},
		{"https://notsemalt.com", "https://semalt.com", "semalt.com", "semalt.com", true, true},
	} {
		a, b := c.Source([]byte(x.url), []byte(x.referrer)), present.Source([]byte(x.url), []byte(x.referrer))
		if a.Referrer != x.spelled || b.Referrer != x.formed || a.Spam != x.spam || b.Spam != x.formedSpam {
			t.Errorf("from %s to %s: %q %v, in one form %q %v; want %q %v, %q %v", x.referrer, x.url, a.Referrer, a.Spam, b.Referrer, b.Spam,
				x.spelled, x.spam, x.formed, x.formedSpam)
		}
		if a, b := c.Spam([]byte(x.url), []byte(x.referrer)), present.Spam([]byte(x.url), []byte(x.referrer)); a != x.spam || b != x.formedSpam {
			t.Errorf("from %s to %s: spam %v, in one form %v; want %v, %v", x.referrer, x.url, a, b, x.spam, x.formedSpam)
		}
	}
	own := []string{"münchen.example"}
	for url, spelled := range map[string]bool{"https://münchen.example": true, "https://xn--mnchen-3ya.example": false,
		"https://a.MÜNCHEN.example": false} {
		if is := c.Within([]byte(url), own...); is != spelled || is == c.Elsewhere([]byte(url), own) {
			t.Errorf("%s is within %q: %v, want %v", url, own, is, spelled)
		}
		if !present.Within([]byte(url), own...) || present.Elsewhere([]byte(url), own) ||
			!present.HasReferrer([]byte("https://shop.example"), []byte(url), own) {
			t.Errorf("%s is not within %q in one form", url, own)
		}
	}
}
