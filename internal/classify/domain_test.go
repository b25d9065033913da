package classify

import "testing"

func TestElsewhere(t *testing.T) {
	classes := New()
	own := []string{"shop.example", "Kiosk.Example.", "[2001:db8::1]"}
	for _, c := range []struct {
		url  string
		want bool
	}{
		{"https://shop.example/a", false},
		{"https://SHOP.example:8443/a", false},
		{"https://www.shop.example", false},
		{"https://user@shop.example./a?b", false},
		{"https://kiosk.example", false},
		{"https://[2001:db8::1]:80/", false},
		{"https://bookshop.example/a", true},
		{"https://shop.example.evil.test/", true},
		{"https://example/", true},
		{"https://evil.test/?https://shop.example/", true},
		{"https://evil.test@shop.example/", false},
		{"https://shop.example@evil.test/", true},
		{"/a", false},
		{"//evil.test/a", false},
		{"", false},
	} {
		if got := classes.Elsewhere([]byte(c.url), own); got != c.want {
			t.Errorf("%s: %v, want %v", c.url, got, c.want)
		}
	}
	if classes.Elsewhere([]byte("https://evil.test/"), nil) {
		t.Error("a site without domains has events that are elsewhere")
	}
	url := []byte("https://www.shop.example/a")
	if n := testing.AllocsPerRun(100, func() { classes.Elsewhere(url, own) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
