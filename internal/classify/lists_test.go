package classify

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestEnginesAreReadAsYAML compares our reading of Matomo's lists, of which we understand what they use, with that of a
// whole YAML parser: lists that come to use more are noticed.
func TestEnginesAreReadAsYAML(t *testing.T) {
	var all map[string][]struct {
		URLs          []string `yaml:"urls"`
		Params        []string `yaml:"params"`
		HiddenKeyword []string `yaml:"hiddenkeyword"`
	}
	if err := yaml.Unmarshal([]byte(read("SearchEngines.yml")), &all); err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{}
	for _, engines := range all {
		for _, e := range engines {
			names := slices.DeleteFunc(e.Params, func(p string) bool { return strings.HasPrefix(p, "/") })
			for _, url := range e.URLs {
				if !strings.Contains(url, "/") {
					want[url] = append(want[url], fmt.Sprint(len(e.HiddenKeyword) > 0, names))
				}
			}
		}
	}
	s := &sites{engines: map[string][]*engine{}}
	s.readEngines(read("SearchEngines.yml"))
	if len(s.engines) != len(want) || len(want) < 600 {
		t.Errorf("%d hosts of engines, a YAML parser finds %d", len(s.engines), len(want))
	}
	for host, engines := range s.engines {
		var got []string
		for _, e := range engines {
			got = append(got, fmt.Sprint(e.hides, e.params))
		}
		slices.Sort(got)
		slices.Sort(want[host])
		if !slices.Equal(got, want[host]) {
			t.Errorf("%s: %v, a YAML parser finds %v", host, got, want[host])
		}
	}
}

func TestSocialsAreReadAsYAML(t *testing.T) {
	var all map[string][]string
	if err := yaml.Unmarshal([]byte(read("Socials.yml")), &all); err != nil {
		t.Fatal(err)
	}
	s := &sites{listed: map[string]kind{}}
	s.readSocials(read("Socials.yml"))
	n := 0
	for _, hosts := range all {
		for _, host := range hosts {
			n++
			if s.listed[host] != social {
				t.Errorf("%s is %v, want social", host, s.listed[host])
			}
		}
	}
	if n != len(s.listed) || n < 100 {
		t.Errorf("%d hosts of social networks, a YAML parser finds %d", len(s.listed), n)
	}
}

// TestOwnHostsAreSpelledAsLookedUp keeps hosts.txt free of entries that could never be found, or that are given twice.
func TestOwnHostsAreSpelledAsLookedUp(t *testing.T) {
	seen := map[string]bool{}
	for line := range strings.Lines(read("hosts.txt")) {
		_, hosts, _ := strings.Cut(line, ": ")
		if strings.HasPrefix(line, "#") {
			continue
		}
		for _, host := range strings.Fields(hosts) {
			if seen[host] {
				t.Errorf("%s is given twice", host)
			}
			seen[host] = true
			if host != lower(host) || host != bare(host) || strings.HasSuffix(host, ".") {
				t.Errorf("%s is not spelled as hosts are looked up: lower case, without www.", host)
			}
		}
	}
	if len(seen) < 200 {
		t.Errorf("%d hosts in hosts.txt, want 200 or more", len(seen))
	}
}

func TestBotsSurroundings(t *testing.T) {
	for _, c := range []struct {
		expr, middle        string
		notBefore, notAfter []string
	}{
		{"scan", "scan", nil, nil},
		{"(?<!cam)scan", "scan", []string{"cam"}, nil},
		{"java(?!;)", "java", nil, []string{";"}},
		{"(?<! channel/|google/)google(?!(?:wv|app))", "google", []string{" channel/", "google/"}, []string{"wv", "app"}},
		{"a(?:b|c)", "a(?:b|c)", nil, nil},
	} {
		middle, notBefore, notAfter := cutSurroundings(c.expr)
		if middle != c.middle || !slices.Equal(notBefore, c.notBefore) || !slices.Equal(notAfter, c.notAfter) {
			t.Errorf("cutSurroundings(%q) = %q, %q, %q, want %q, %q, %q",
				c.expr, middle, notBefore, notAfter, c.middle, c.notBefore, c.notAfter)
		}
	}
}

func TestBotPatternsOfEachSort(t *testing.T) {
	bots := readBots()
	for _, c := range []struct {
		name, userAgent string
		want            bool
	}{
		{"a text anywhere", "mozilla/5.0 (x) crawl", true},
		{"a text at the beginning", "wget/1", true},
		{"the same text later", "mozilla/5.0 (x11; linux) wget/1 safari", false},
		{"an expression", "mozilla/5.0 (x11; perl) safari", true},
		{"a part of a word that is the expression", "mozilla/5.0 (x11; perly) safari", false},
		{"a text with one before it that forbids it", "mozilla/5.0 (webcamscan) safari", false},
		{"a text with another before it", "mozilla/5.0 (webscan) safari", true},
		{"both in one user agent", "mozilla/5.0 (camscan; scan) safari", true},
		{"a text with one after it that forbids it", "mozilla/5.0 (java;) safari", false},
		{"a text with another after it", "mozilla/5.0 (java) safari", true},
	} {
		if got := bots.match(c.userAgent); got != c.want {
			t.Errorf("%s: %q is a bot's: %v, want %v", c.name, c.userAgent, got, c.want)
		}
	}
}
