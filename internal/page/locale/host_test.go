package locale

import "testing"

func TestHostsAreShownAsPeopleWriteThem(t *testing.T) {
	for host, want := range map[string]string{
		"shop.example": "shop.example", "xn--mnchen-3ya.example": "münchen.example", "www.xn--mnchen-3ya.example": "www.münchen.example",
		"xn--e1afmkfd.xn--p1ai": "пример.рф", "xn--e1afmkfd.example": "пример.example", "xn--wgv71a119e.jp": "日本語.jp",
		"xn--fa-hia.example":      "faß.example",
		"xn--pple-43d.com":        "xn--pple-43d.com",   // аpple with a Cyrillic letter
		"xn--80ak6aa92e.com":      "xn--80ak6aa92e.com", // аррӏе, all Cyrillic
		"xn--80ak6aa92e.xn--p1ai": "аррӏе.рф",
		"xn--oogle-qmc.com":       "xn--oogle-qmc.com", // ɡoogle with a phonetic g
		"xn--a.com":               "xn--a.com",         // no punycode
		"a\u202eb.xn--p1ai":       `a\u202eb.xn--p1ai`,
	} {
		if have := Host(host); have != want {
			t.Errorf("%q is shown as %q, want %q", host, have, want)
		}
	}
}
