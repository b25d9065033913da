package classify

import (
	"bytes"
	"unicode/utf8"
)

// MaxUserAgentBytes is how much of a user agent is looked at: whole browsers', most apps', and few enough that no forged one
// costs much more than they do.
const MaxUserAgentBytes = 1 << 8

// maxNameBytes is how long a browser's name may be: one that nobody knows is taken from the user agent.
const maxNameBytes = 64

// An Agent says what a user agent tells about itself. The zero value is that of an empty one: nothing is known.
type Agent struct {
	// Device is one of Devices, or empty when it cannot be told.
	Device string
	// Browser is the name of the browser or app without its version, at most 64 bytes, empty when it cannot be told.
	// It is no closed set: a name that the library does not know is the one that the user agent gives.
	Browser string
	// OS is the name of the operating system without its version, of a closed set; empty when it cannot be told.
	OS string
	// Bot is true when a program sent it that is no browser in somebody's hands. An empty user agent is no bot: apps
	// and producers may leave it out.
	Bot bool
}

const (
	desktop = "desktop"
	mobile  = "mobile"
	tablet  = "tablet"
	tv      = "tv"
	console = "console"
)

// Agent returns what a user agent says. By the present rules the client hints among the event's properties, which are JSON, win over it.
// It does not allocate for a user agent that was asked for lately, unless there are hints.
func (c *Classifier) Agent(userAgent, properties []byte) Agent {
	a := c.agent(cut(userAgent, MaxUserAgentBytes))
	if c.rules >= PresentRules && bytes.Contains(properties, hintsKey) {
		a = withHints(a, properties)
	}
	return a
}

func (c *Classifier) agent(userAgent []byte) Agent {
	if len(userAgent) == 0 {
		return Agent{}
	}
	known := &c.agents[c.rules]
	if a, ok := known.get(userAgent); ok {
		return a
	}
	text := string(userAgent)
	a := c.lists.describe(c.rules, text)
	known.put(text, a)
	return a
}

// cut returns at most max bytes of the text, whole runes if it is valid UTF-8.
func cut(text []byte, max int) []byte {
	if len(text) <= max {
		return text
	}
	for end := max; end > max-utf8.UTFMax; end-- {
		if utf8.RuneStart(text[end]) {
			return text[:end]
		}
	}
	return text[:max]
}

func (l *lists) describe(by Rules, userAgent string) Agent {
	text := lower(userAgent)
	if by == FormerRules {
		return l.describeFormerly(userAgent, text)
	}
	browsers, systems := agentFamilies()
	found := browsers.texts.of(userAgent)
	os := systemOf(systems.findWith(userAgent, found), text)
	return Agent{
		Device:  deviceOf(text, os),
		Browser: browserOf(browsers.findWith(userAgent, found)),
		OS:      os,
		Bot:     l.isBot(text),
	}
}

// inApps are rules for browsers and apps that uap-core takes for the browser below them.
var inApps = [][]string{{"YaBrowser/|YaSearchBrowser/|YandexSearch", "Yandex Browser"}, {"Quark/", "Quark"}, {" Barcelona ", "Threads"},
	{"MicroMessenger/", "WeChat"}, {"NAVER\\(inapp", "Naver"}, {" QQ/", "QQ"}, {"BingSapphire/", "Microsoft Bing"}, {"GoogleApp/", "Google"},
	{"JioSphere/", "JioSphere"}, {"TV Bro/", "TV Bro"}}

// spelledOut are families of uap-core, as they are named here: without the kind of device, which is another question.
var spelledOut = map[string]string{
	"Android":                    "Android Browser",
	"Chrome Mobile":              "Chrome",
	"Chrome Mobile WebView":      "Android WebView",
	"Chrome Mobile iOS":          "Chrome",
	"DuckDuckGo Mobile":          "DuckDuckGo",
	"Edge Mobile":                "Edge",
	"Firefox Mobile":             "Firefox",
	"Firefox iOS":                "Firefox",
	"HeyTapBrowser":              "HeyTap Browser",
	"IE":                         "Internet Explorer",
	"IE Mobile":                  "Internet Explorer",
	"LINE":                       "Line",
	"MiuiBrowser":                "Mi Browser",
	"Mobile Safari":              "Safari",
	"Mobile Safari UI/WKWebView": "Safari (in-app)",
	"Opera Mobile":               "Opera",
	"QQ Browser Mobile":          "QQ Browser",
	"Seznam prohlížeč":           "Seznam Browser",
	"Samsung Internet":           "Samsung Browser",
	"VivoBrowser":                "Vivo Browser",
}

// browserOf names a family.
func browserOf(family string) string {
	if name, ok := spelledOut[family]; ok {
		return name
	}
	return string(appendText(nil, []byte(family), maxNameBytes))
}
