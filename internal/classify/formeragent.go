package classify

import (
	"strings"

	"github.com/mileusna/useragent"
)

// describeFormerly is describe by the former rules. text is the user agent in lower case.
func (l *lists) describeFormerly(userAgent, text string) Agent {
	known := useragent.Parse(userAgent)
	return Agent{
		Device:  formerDeviceOf(text, known),
		Browser: formerBrowserOf(known),
		OS:      known.OS,
		Bot:     l.bots.match(text),
	}
}

// formerlySpelled are names that the library takes from user agents as they are abbreviated there.
var formerlySpelled = map[string]string{
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

// formerBrowserOf returns the name, if it is one: where the library finds none it gives some word that has no version, or the
// whole user agent.
func formerBrowserOf(known useragent.UserAgent) string {
	if known.Version == "" {
		return ""
	}
	if name, ok := formerlySpelled[known.Name]; ok {
		return name
	}
	return string(appendText(nil, []byte(known.Name), maxNameBytes))
}

// What a user agent in lower case says about the device that the library does not say: consoles and televisions call
// themselves by some name, and old phones by their platform.
var (
	formerConsoleWords = []string{"playstation", "xbox", "nintendo"}
	formerTVWords      = []string{"smart-tv", "smarttv", "smart tv", "appletv", "apple tv", "googletv", "google tv",
		"android tv", "hbbtv", "netcast", "web0s", "tizen/tv", "roku", "bravia", "crkey", "viera", "aquos", "ce-html", "; aft"}
	formerPhoneWords = []string{"midp", "symbian", "series60", "series40", "kaios", "j2me", "iemobile", "windows phone"}
)

// formerDeviceOf returns the kind of device by a user agent in lower case and by what the library found in it. An Android
// browser on a phone has the word Mobile in its user agent, and on a tablet has not: Google asks for that, and the
// others do as Chrome does.
func formerDeviceOf(text string, known useragent.UserAgent) string {
	android := known.OS == useragent.Android && strings.Contains(text, "applewebkit")
	switch {
	case containsAny(text, formerConsoleWords):
		return console
	case containsAny(text, formerTVWords) || strings.Contains(text, "tizen") && strings.Contains(text, " tv "):
		return tv
	case known.Tablet || strings.Contains(text, "kindle") || android && !strings.Contains(text, "mobi"):
		return tablet
	case known.Mobile || containsAny(text, formerPhoneWords):
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
