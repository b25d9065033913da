package classify

import (
	"maps"
	"slices"
	"testing"
)

// TestSpamIsWhatSourceSays asks both about every host of the list, as others spell it and of a page of its own, and about
// texts that are no referrer of another site.
func TestSpamIsWhatSourceSays(t *testing.T) {
	c := New()
	referrers := []string{"", "/", "https://", "https://search.example/", "ftp://semalt.com/", "semalt.com", "https://notsemalt.com/",
		"HTTPS://WWW.SEMALT.COM:80/x", "android-app://semalt.com", "https://a.b.semalt.com./", "//semalt.com", "\xff://\xff"}
	for _, host := range slices.Sorted(maps.Keys(c.lists.spam)) {
		referrers = append(referrers, "https://"+host, "http://sub."+host+"/a?b=c")
	}
	spam := 0
	for _, referrer := range referrers {
		for _, url := range []string{"", "/a", "https://shop.example/", "https://semalt.com/", "https://www.semalt.com/", referrer} {
			got, want := c.Spam([]byte(url), []byte(referrer)), c.Source([]byte(url), []byte(referrer)).Spam
			if got != want {
				t.Errorf("of %q from %q: Spam %v, Source says %v", url, referrer, got, want)
			}
			if got {
				spam++
			}
		}
	}
	if spam < len(referrers) {
		t.Errorf("%d answers say spam, of %d referrers: the list is not asked about", spam, len(referrers))
	}
}

func BenchmarkSpam(b *testing.B) {
	for name, referrer := range map[string]string{"known": "https://www.google.com/", "spam": "https://www.semalt.com/x", "none": ""} {
		b.Run(name, func(b *testing.B) {
			c := New()
			url, referrer := []byte("https://shop.example/some/path/of/common/length?page=2"), []byte(referrer)
			b.ReportAllocs()
			for b.Loop() {
				c.Spam(url, referrer)
			}
		})
	}
}
