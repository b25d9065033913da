package classify

import (
	"strings"
	"unicode/utf8"

	"github.com/mileusna/useragent"
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

// Agent returns what a user agent tells. It does not allocate for one that was asked for lately.
func (c *Classifier) Agent(userAgent []byte) Agent {
	userAgent = cut(userAgent, MaxUserAgentBytes)
	if len(userAgent) == 0 {
		return Agent{}
	}
	if a, ok := c.agents.get(userAgent); ok {
		return a
	}
	text := string(userAgent)
	a := c.lists.describe(text)
	c.agents.put(text, a)
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

func (l *lists) describe(userAgent string) Agent {
	known := useragent.Parse(userAgent)
	text := lower(userAgent)
	return Agent{
		Device:  deviceOf(text, known),
		Browser: browserOf(known),
		OS:      known.OS,
		Bot:     l.bots.match(text),
	}
}

// spelledOut are names that the library takes from user agents as they are abbreviated there.
var spelledOut = map[string]string{
	"Trident":            useragent.InternetExplorer, // version 11 no longer calls itself MSIE
	"AvastSecureBrowser": "Avast Secure Browser",
	"Ddg":                "DuckDuckGo",
	"HeyTapBrowser":      "HeyTap Browser",
	"MQQBrowser":         "QQ Browser",
	"MiuiBrowser":        "Miui Browser",
	"Mobile DuckDuckGo":  "DuckDuckGo", // here and below the library takes a word too many
	"Mobile UCBrowser":   "UC Browser",
	"QQBrowser":          "QQ Browser",
	"TV Safari":          useragent.Safari,
	"UBrowser":           "UC Browser",
	"UCBrowser":          "UC Browser",
	"VivoBrowser":        "Vivo Browser",
	"Whale":              "Naver Whale",
	"YaBrowser":          "Yandex Browser",
}

// browserOf returns the name, if it is one: where the library finds none it gives some word that has no version, or the
// whole user agent.
func browserOf(known useragent.UserAgent) string {
	if known.Version == "" {
		return ""
	}
	if name, ok := spelledOut[known.Name]; ok {
		return name
	}
	return string(appendText(nil, []byte(known.Name), maxNameBytes))
}

// What a user agent in lower case says about the device that the library does not tell: consoles and televisions call
// themselves by some name, and old phones by their platform.
var (
	consoleWords = []string{"playstation", "xbox", "nintendo"}
	tvWords      = []string{"smart-tv", "smarttv", "smart tv", "appletv", "apple tv", "googletv", "google tv",
		"android tv", "hbbtv", "netcast", "web0s", "tizen/tv", "roku", "bravia", "crkey", "viera", "aquos", "ce-html", "; aft"}
	phoneWords = []string{"midp", "symbian", "series60", "series40", "kaios", "j2me", "iemobile", "windows phone"}
)

// deviceOf tells the kind of device by a user agent in lower case and by what the library found in it. An Android
// browser on a phone has the word Mobile in its user agent, and on a tablet has not: Google asks for that, and the
// others do as Chrome does.
func deviceOf(text string, known useragent.UserAgent) string {
	android := known.OS == useragent.Android && strings.Contains(text, "applewebkit")
	switch {
	case containsAny(text, consoleWords):
		return console
	case containsAny(text, tvWords) || strings.Contains(text, "tizen") && strings.Contains(text, " tv "):
		return tv
	case known.Tablet || strings.Contains(text, "kindle") || android && !strings.Contains(text, "mobi"):
		return tablet
	case known.Mobile || containsAny(text, phoneWords):
		return mobile
	case known.Desktop:
		return desktop
	}
	return ""
}

func containsAny(text string, words []string) bool {
	for _, word := range words {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}
