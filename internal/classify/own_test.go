package classify_test

import (
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/classify"
)

func TestOwnListsFlagWhatTheyName(t *testing.T) {
	parts := []string{"acme-monitor", "probe/2", "größe"}
	long := strings.Repeat("Long ", 200)
	for agent, want := range map[string]bool{
		"ACME-Monitor/1.0": true, "x Probe/2.1": true, "probe/1": false, "ACME GRÖSSE": false, "ACME GRÖßE/1": true, long[:200] + "PROBE/2": true,
		long[:classify.MaxUserAgentBytes] + "PROBE/2": false, "": false, "Mozilla/5.0 (X11; Linux x86_64) Firefox/128.0": false,
	} {
		if got := classify.HasAgent([]byte(agent), parts); got != want {
			t.Errorf("HasAgent(%q) = %v, want %v", agent, got, want)
		}
	}
	if classify.HasAgent([]byte("acme-monitor"), nil) {
		t.Error("an empty list flags a user agent")
	}
	c := classify.New()
	hosts := []string{"spam.example", "co.example"}
	for _, x := range []struct {
		url, referrer string
		want          bool
	}{
		{"https://shop.example/", "https://spam.example/x", true},
		{"https://shop.example/", "https://WWW.Spam.example/x", true},
		{"https://shop.example/", "http://a.b.co.example", true},
		{"", "http://spam.example", true},
		{"https://shop.example/", "https://notspam.example/", false},
		{"https://www.spam.example/", "https://spam.example/", false}, // the site itself
		{"https://shop.example/", "spam.example", false},              // no url
		{"https://shop.example/", "", false},
	} {
		if got := c.HasReferrer([]byte(x.url), []byte(x.referrer), hosts); got != x.want {
			t.Errorf("HasReferrer(%q, %q) = %v, want %v", x.url, x.referrer, got, x.want)
		}
	}
}
