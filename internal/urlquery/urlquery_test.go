package urlquery_test

import (
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/urlquery"
)

func TestCut(t *testing.T) {
	const list = "gclid,utm_*"
	for _, c := range []struct{ setting, url, want string }{
		{"all", "https://a/b?token=1#t", "https://a/b?token=1#t"},
		{"none", "https://a/b?utm_source=x", "https://a/b"},
		{"none", "https://a/b", "https://a/b"},
		{list, "https://a/b?utm_source=x&gclid=1", "https://a/b?utm_source=x&gclid=1"},
		{list, "https://a/b?utm_source=x&token=1", "https://a/b?utm_source=x"},
		{list, "https://a/b?token=1&utm_source=x", "https://a/b?utm_source=x"},
		{list, "https://a/b?utm_source=x&token=1&gclid=2&utm_term=t", "https://a/b?utm_source=x&gclid=2&utm_term=t"},
		{list, "https://a/b?token", "https://a/b"},
		{list, "https://a/b?", "https://a/b"},
		{list, "https://a/b?&&token=1&", "https://a/b"},
		{list, "https://a/b?gclid", "https://a/b?gclid"},
		{list, "https://a/b?GCLID=1&%67clid=2", "https://a/b"},
		{list, "https://a/b?x=1?gclid=2", "https://a/b"},
		{list, "https://a/b#access_token=1", "https://a/b"},
		{list, "https://a/b#/route?gclid=1", "https://a/b"},
		{list, "https://a/b?gclid=1#gclid=2", "https://a/b?gclid=1"},
		{list, "?token=1", "?"},
		{list, "#token=1", "#"},
		{list, "?", "?"},
		{list, "", ""},
	} {
		k, err := urlquery.Parse(c.setting)
		if err != nil {
			t.Fatal(err)
		}
		before := strings.Clone(c.url)
		url := []byte(c.url)
		if got := string(k.Cut(url)); got != c.want {
			t.Errorf("%s: Cut(%q) = %q, want %q", c.setting, c.url, got, c.want)
		}
		if again := string(k.Cut([]byte(c.want))); again != c.want {
			t.Errorf("%s: Cut(%q) = %q, want it unchanged", c.setting, c.want, again)
		}
		if string(url) != before {
			t.Errorf("%s: Cut changed its argument from %q to %q", c.setting, before, url)
		}
	}
}

func TestParseNamesFaults(t *testing.T) {
	for _, text := range []string{"", "a,", "a,all", "none,b", "*", "a*b", "a=b", "a b", "ä", strings.Repeat("x", 65),
		strings.Repeat("x,", 100) + "x"} {
		if _, err := urlquery.Parse(text); err == nil {
			t.Errorf("Parse(%q) accepts it", text)
		}
	}
	if _, err := urlquery.Parse(urlquery.Default); err != nil {
		t.Error(err)
	}
	if got := urlquery.Canonical([]string{"b", "a", "b"}); got != "a,b" {
		t.Errorf("Canonical = %q", got)
	}
}

func FuzzCut(f *testing.F) {
	f.Add("https://a/b?utm_source=x&token=1#f", "gclid,utm_*")
	f.Fuzz(func(t *testing.T, url, setting string) {
		k, err := urlquery.Parse(setting)
		if err != nil {
			return
		}
		once := string(k.Cut([]byte(url)))
		if twice := string(k.Cut([]byte(once))); twice != once {
			t.Errorf("%s: %q becomes %q, and then %q", setting, url, once, twice)
		}
		if len(once) > len(url) {
			t.Errorf("%s: %q grew to %q", setting, url, once)
		}
	})
}
