package classify

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/footfall/footfall/internal/realdata"
)

// checkSource fails unless the answers to a url and a referrer are what they promise to be, whatever the bytes.
func checkSource(t *testing.T, c *Classifier, url, referrer []byte) {
	t.Helper()
	s, name := c.Source(url, referrer), c.Hostname(url)
	for _, value := range []string{s.UTMSource, s.UTMMedium, s.UTMCampaign, s.UTMContent, s.UTMTerm} {
		checkText(t, value, maxValueBytes)
	}
	for _, host := range []string{s.Referrer, name} {
		checkText(t, host, maxHostBytes)
		if host != lower(host) {
			t.Errorf("%q is not in lower case", host)
		}
	}
	if other := []byte("https://" + name + "/other"); c.HasHost(other, name) != (c.Hostname(other) == name) {
		t.Errorf("%q has the host %q, and %q is said to have it: %v", other, c.Hostname(other), name, c.HasHost(other, name))
	}
	if !slices.Contains(channelNames(), s.Channel) {
		t.Errorf("channel %q is not one of Channels", s.Channel)
	}
	if s.Spam && s.Referrer == "" {
		t.Errorf("spam without a referrer: %q, %q", url, referrer)
	}
	if again := c.Source(url, referrer); again != s {
		t.Errorf("%q, %q: %+v, and then %+v", url, referrer, s, again)
	}
	if fresh := New().By(c.rules); fresh.Source(url, referrer) != s || fresh.Hostname(url) != name {
		t.Errorf("%q, %q: %+v, %q; a new Classifier says %+v, %q",
			url, referrer, s, name, fresh.Source(url, referrer), fresh.Hostname(url))
	}
}

// checkAgent is checkSource for user agents, by all rules.
func checkAgent(t *testing.T, c *Classifier, userAgent []byte) {
	t.Helper()
	for by := range rulesKnown {
		a := c.By(by).Agent(userAgent, nil)
		checkText(t, a.Browser, maxNameBytes)
		checkText(t, a.OS, 16)
		if a.Device != "" && !slices.Contains(devices, a.Device) {
			t.Errorf("%q: device %q is not one of Devices", userAgent, a.Device)
		}
		if again := c.By(by).Agent(userAgent, nil); again != a {
			t.Errorf("%q: %+v, and then %+v", userAgent, a, again)
		}
		if fresh := New().By(by).Agent(userAgent, nil); fresh != a {
			t.Errorf("%q: %+v; a new Classifier says %+v", userAgent, a, fresh)
		}
	}
}

func checkText(t *testing.T, text string, most int) {
	t.Helper()
	if len(text) > most {
		t.Errorf("%q has %d bytes, want %d at most", text, len(text), most)
	}
	if !utf8.ValidString(text) {
		t.Errorf("%q is not valid UTF-8", text)
	}
}

// hostile are texts that have broken parsers of urls and user agents, or are as long as a record allows.
func hostile() []string {
	const most = 64 << 10
	all := []string{
		"", " ", "\x00", "\xff", "\xc3", "\xed\xa0\x80", "é", "://", "a://", "http://", "https:///", "https://?", "https://#",
		"https://@", "https://:@:/", "https://[", "https://]", "https://[]", "https://[::1", "https://[a]b@c/", "https://.",
		"https://..", "https://...a", "https://www.", "https://www.a", "https://a:b:c/", "https://\xff/", "https://a\xff.example/",
		"https://a\x00b/", "https://\u202ea.example/", "HTTPS://A/", "javascript:alert(1)",
		"https://a/?utm_source=%", "https://a/?utm_source=%f", "https://a/?utm_source=%ff%fe", "https://a/?utm_source=%00",
		"https://a/?&&=&=&?#?", "https://a/?utm_source=\xff&utm_medium=\xc3",
		"https://a/?utm_source=" + strings.Repeat("%C3%A9", 100), "https://a/?utm_source=" + strings.Repeat("\xff", 200),
		"https://a/?utm_source=" + strings.Repeat("é", 63) + "x\xc3\xa9",
		"Mozilla/5.0 (", "()", "/", "//", "a/", "/1", "[[[[", "CrOS x86_64 ", "Android", "iPhone; OS",
	}
	units := []string{"a", ".", "a.", "/", "%", "%C3", "é", "\xff", "@", ":", "?", "&", "=", "&utm_source=x", "(", ";", " ",
		"a/1 ", "http://", "bot", "xx-yy."}
	for _, unit := range units {
		long := strings.Repeat(unit, most/len(unit))
		all = append(all, long, "https://"+long, "https://a.example/"+long, "https://a.example/?utm_source="+long, "Mozilla/5.0 "+long)
	}
	return all
}

func TestHostileTexts(t *testing.T) {
	c := New()
	for _, text := range hostile() {
		checkSource(t, c, []byte(text), []byte("https://www.google.com/"))
		checkSource(t, c, []byte("https://shop.example/"), []byte(text))
		checkSource(t, c, []byte(text), []byte(text))
		checkAgent(t, c, []byte(text))
	}
}

func TestNaughtyStrings(t *testing.T) {
	var all []string
	if err := json.Unmarshal(realdata.Read(t, "badinput/blns.json"), &all); err != nil {
		t.Fatal(err)
	}
	c := New()
	for _, s := range all {
		checkAgent(t, c, []byte(s))
		checkSource(t, c, []byte(s), []byte(s))
		checkSource(t, c.By(FormerRules), []byte(s), []byte("https://"+s+"/"))
		checkSource(t, c, []byte("https://"+s+"/?utm_source="+s), []byte("https://"+s+"/"))
		checkSource(t, c, []byte("https://shop.example/?utm_medium="+s), []byte("https://"+s))
	}
	if len(all) < 500 {
		t.Errorf("%d naughty strings, want 500", len(all))
	}
}

// TestOnlyTheBeginningOfAUserAgentCounts holds the work for one to its bound, and cuts it at a rune.
func TestOnlyTheBeginningOfAUserAgentCounts(t *testing.T) {
	c := New()
	full := "Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0 " + strings.Repeat("é", 600)
	short := full[:MaxUserAgentBytes]
	if !utf8.ValidString(short) {
		short = full[:MaxUserAgentBytes-1]
	}
	if got, want := c.Agent([]byte(full+" bot"), nil), c.Agent([]byte(short), nil); got != want || got.Bot {
		t.Errorf("%+v, want %+v as without what is beyond %d bytes", got, want, MaxUserAgentBytes)
	}
	if n := len(c.agents[PresentRules].young); n != 1 {
		t.Errorf("%d user agents are remembered, want 1: both have the same beginning", n)
	}
}

func FuzzSource(f *testing.F) {
	for _, text := range hostile() {
		if len(text) < 1<<10 {
			f.Add([]byte(text), []byte("https://www.google.com/search?q=a"))
			f.Add([]byte("https://shop.example/?utm_source=a"), []byte(text))
		}
	}
	c := New()
	c.hosts.size, c.values.size, c.channels.size = 2, 2, 2
	f.Fuzz(func(t *testing.T, url, referrer []byte) {
		checkSource(t, c, url, referrer)
		checkSource(t, c.By(FormerRules), url, referrer)
	})
}

func FuzzAgent(f *testing.F) {
	for _, userAgent := range append(browsers(f)[:50], hostile()...) {
		f.Add([]byte(userAgent))
	}
	c := New()
	c.agents[PresentRules].size = 2
	f.Fuzz(func(t *testing.T, userAgent []byte) { checkAgent(t, c, userAgent) })
}

// devices are what Agent.Device may be besides empty.
var devices = []string{desktop, mobile, tablet, tv, console}

// channelNames returns the names of all channels, in the order of the rules.
func channelNames() (names []string) {
	for _, r := range rules {
		names = append(names, r.channel)
	}
	return append(names, unassigned)
}
