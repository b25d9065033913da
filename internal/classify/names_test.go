package classify

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

var (
	fixtures = flag.String("fixtures", "", "directory with checkouts of matomo-org/device-detector and ua-parser/uap-core of GitHub")
	misses   = flag.Bool("misses", false, "with -fixtures: list the user agents whose answer is wrong")
)

// BenchmarkNamesOfFixtures counts how many user agents of Matomo's device-detector and of uap-core are named as these projects name them,
// by the former rules and by the present ones. The files are not ours to ship: they are read from -fixtures.
func BenchmarkNamesOfFixtures(b *testing.B) {
	if *fixtures == "" {
		b.Skip("no -fixtures: a directory with checkouts of device-detector and uap-core")
	}
	agents, bots := matomoAgents(b)
	named, systems, spiders := uapAgents(b)
	for by, rules := range []string{"former rules", "present rules"} {
		c := New().By(Rules(by))
		ask := func(userAgent string) Agent { return c.Agent([]byte(userAgent), nil) }
		s := shares{t: b, rules: rules}
		for _, a := range agents {
			got := ask(a.userAgent)
			s.count("device-detector: browsers", a.userAgent, got.Browser, a.browser, bareName(a.browser) == bareName(got.Browser))
			if a.device != "" {
				s.count("device-detector: devices", a.userAgent, got.Device, a.device, got.Device == a.device)
			}
			s.count("device-detector: systems", a.userAgent, got.OS, a.os, bareSystem(got.OS) == bareSystem(a.os))
			s.count("device-detector: browsers that are no bots", a.userAgent, "", "", !got.Bot)
		}
		for _, userAgent := range bots {
			s.count("device-detector: bots", userAgent, "", "bot", ask(userAgent).Bot)
		}
		for _, c := range named {
			got := ask(c.UserAgent)
			s.count("uap-core: browsers", c.UserAgent, got.Browser, c.Family, bareName(c.Family) == bareName(got.Browser))
		}
		for _, c := range systems {
			got := ask(c.UserAgent).OS
			s.count("uap-core: systems", c.UserAgent, got, c.Family, bareSystem(c.Family) == bareSystem(got))
		}
		for _, c := range spiders {
			s.count("uap-core: bots", c.UserAgent, "", "bot", ask(c.UserAgent).Bot)
		}
		s.print()
	}
}

// shares counts answers by question.
type shares struct {
	t          testing.TB
	rules      string
	right, all map[string]int
}

func (s *shares) count(question, userAgent, got, want string, right bool) {
	if s.all == nil {
		s.right, s.all = map[string]int{}, map[string]int{}
	}
	s.all[question]++
	if right {
		s.right[question]++
	} else if *misses && s.rules == "present rules" {
		s.t.Logf("MISS %s: %q, want %q: %s", question, got, want, userAgent)
	}
}

func (s *shares) print() {
	for _, question := range slices.Sorted(maps.Keys(s.all)) {
		s.t.Logf("%s | %s | %d of %d | %.1f %%", s.rules, question, s.right[question], s.all[question],
			100*float64(s.right[question])/float64(s.all[question]))
	}
}

type matomoAgent struct{ userAgent, browser, device, os string }

// matomoDevices are the kinds of devices that both have.
var matomoDevices = map[string]string{
	"desktop": desktop, "smartphone": mobile, "phablet": mobile, "feature phone": mobile, "tablet": tablet,
	"tv": tv, "console": console}

// matomoAgents returns 3,000 modern user agents of browsers, and of apps that show pages, at even distances of all there are; and bots.
// Modern are Chromium and Firefox 110 and later, and where neither is named Android 10, iOS 15, macOS 11 and Windows 10.
func matomoAgents(t testing.TB) (agents []matomoAgent, bots []string) {
	files, _ := filepath.Glob(filepath.Join(*fixtures, "device-detector", "Tests", "fixtures", "*.yml"))
	slices.Sort(files)
	seen := map[string]bool{}
	for _, file := range files {
		var cases []struct {
			UserAgent string         `yaml:"user_agent"`
			Headers   map[string]any `yaml:"headers"`
			Bot       any            `yaml:"bot"`
			Client    struct{ Type, Name string }
			OS        any `yaml:"os"`
			Device    struct{ Type string }
		}
		readYAML(t, file, &cases)
		for _, c := range cases {
			os, _ := c.OS.(map[string]any)
			name := fmt.Sprint(cmp.Or(os["name"], any("")))
			switch {
			case c.Bot != nil:
				bots = append(bots, c.UserAgent)
			case c.Headers != nil || c.Client.Type != "browser" && c.Client.Type != "mobile app" || seen[c.UserAgent] ||
				!strings.HasPrefix(c.UserAgent, "Mozilla/") || !isModern(c.UserAgent, name, fmt.Sprint(os["version"])):
			default:
				seen[c.UserAgent] = true
				agents = append(agents, matomoAgent{c.UserAgent, c.Client.Name, matomoDevices[c.Device.Type], name})
			}
		}
	}
	const n = 3000
	if len(agents) < n || len(bots) == 0 {
		t.Fatalf("%d user agents and %d bots in %s/device-detector", len(agents), len(bots), *fixtures)
	}
	chosen := make([]matomoAgent, n)
	for i := range chosen {
		chosen[i] = agents[i*len(agents)/n]
	}
	return chosen, bots
}

var engineVersion = regexp.MustCompile(`(?:Chrome|CriOS|Firefox|FxiOS)/(\d+)`)

func isModern(userAgent, os, version string) bool {
	if m := engineVersion.FindStringSubmatch(userAgent); m != nil {
		n, _ := strconv.Atoi(m[1])
		return n >= 110
	}
	first, _, _ := strings.Cut(version, ".")
	n, err := strconv.Atoi(first)
	least := map[string]int{"Android": 10, "iOS": 15, "iPadOS": 15, "Mac": 11, "Windows": 10}[os]
	return err == nil && least > 0 && n >= least
}

type uapCase struct {
	UserAgent string `yaml:"user_agent_string"`
	Family    string
}

func uapAgents(t testing.TB) (browsers, systems, spiders []uapCase) {
	read := func(name string) []uapCase {
		var file struct {
			Cases []uapCase `yaml:"test_cases"`
		}
		readYAML(t, filepath.Join(*fixtures, "uap-core", "tests", name), &file)
		return file.Cases
	}
	for _, c := range read("test_device.yaml") {
		if c.Family == "Spider" {
			spiders = append(spiders, c)
		}
	}
	return read("test_ua.yaml"), read("test_os.yaml"), spiders
}

func readYAML(t testing.TB, file string, into any) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(b, into); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

// sameNames are names in these projects of what has another name here, as bareName spells both.
var sameNames = map[string]string{
	"android webview": "chrome webview", "safari (in-app)": "safari ui/wkwebview", "silk": "amazon silk", "microsoft edge": "edge",
	"duckduckgo privacy": "duckduckgo", "facebook lite": "facebook", "yandex lite": "yandex", "samsung internet": "samsung",
	"heytapbrowser": "heytap", "vivobrowser": "vivo", "miuibrowser": "mi", "ie": "internet explorer", "google search": "google",
	"firefox ios": "firefox", "chrome ios": "chrome", "twitter": "twitter", "seznam prohlížeč": "seznam", "other": "",
	"opera devices": "opera", "vewd": "opera", "puffin cloud": "puffin", "puffin web": "puffin",
}

// bareName is a browser's name without the words that say no more than that it is one, or on which kind of device.
func bareName(name string) string {
	var words []string
	for _, word := range strings.Fields(strings.ToLower(name)) {
		if word != "mobile" && word != "browser" && word != "app" && word != "mobile-browser" {
			words = append(words, word)
		}
	}
	name = strings.Join(words, " ")
	if same, ok := sameNames[name]; ok {
		return same
	}
	return name
}

// sameSystems are systems that count as another: distributions, and Android under a name of its own.
var sameSystems = map[string]string{
	"Mac": "macOS", "Mac OS X": "macOS", "Mac OS": "macOS", "iPadOS": "iOS", "Chrome OS": "ChromeOS", "GNU/Linux": "Linux",
	"Ubuntu": "Linux", "Debian": "Linux",
	"Fedora": "Linux", "Mint": "Linux", "CentOS": "Linux", "SUSE": "Linux", "Red Hat": "Linux", "Gentoo": "Linux", "Arch Linux": "Linux",
	"Fire OS": "Android", "Android TV": "Android", "Lineage OS": "Android", "HyperOS": "Android", "Wear OS": "Android",
	"Chromecast Android": "Android",
	"Chromecast Linux":   "Linux", "Chromecast Fuchsia": "Fuchsia", "ATV OS X": "tvOS", "WatchOS": "watchOS", "BlackBerry OS": "BlackBerry",
	"BlackBerry Tablet OS": "BlackBerry", "Windows Mobile": "Windows Phone", "Symbian OS": "Symbian", "Symbian^3": "Symbian",
	"Other": "", "Meta Horizon": "Android",
	"HarmonyOS NEXT": "HarmonyOS", "OpenHarmony": "HarmonyOS",
}

func bareSystem(name string) string {
	if same, ok := sameSystems[name]; ok {
		return same
	}
	return name
}
